#include "models/support/name_pattern.h"

#include <re2/re2.h>

namespace tilescope {
namespace {

std::string reason(const re2::RE2& expression) {
  const std::string& part = expression.error_arg();
  const bool looks_around = part.starts_with("(?=") || part.starts_with("(?!") || part.starts_with("(?<");
  const bool refers_back = part.size() == 2 && part[0] == '\\' && part[1] >= '1' && part[1] <= '9';
  std::string text = expression.error();
  if (looks_around) text += "; look-ahead and look-behind are not supported";
  if (refers_back) text += "; back references are not supported";
  return text;
}

re2::StringPiece piece(std::string_view text) { return {text.data(), text.size()}; }

}  // namespace

tl::expected<NamePattern, std::string> NamePattern::make(const std::string& text) {
  re2::RE2::Options options;
  options.set_log_errors(false);
  options.set_encoding(re2::RE2::Options::EncodingLatin1);  // a name may hold any bytes
  NamePattern pattern;
  pattern.expression_ = std::make_shared<const re2::RE2>(piece(text), options);
  if (!pattern.expression_->ok()) return tl::unexpected(reason(*pattern.expression_));
  return pattern;
}

std::size_t NamePattern::groups() const {
  return expression_ == nullptr ? 0 : static_cast<std::size_t>(expression_->NumberOfCapturingGroups());
}

std::vector<std::string> NamePattern::captures(std::string_view name) const {
  if (expression_ == nullptr) return {};
  std::vector<re2::StringPiece> found(groups() + 1);
  if (!expression_->Match(piece(name), 0, name.size(), re2::RE2::ANCHOR_BOTH, found.data(),
                          static_cast<int>(found.size())))
    return {};
  std::vector<std::string> texts;
  texts.reserve(found.size());
  for (const re2::StringPiece& one : found) texts.emplace_back(one.data() == nullptr ? "" : one.data(), one.size());
  return texts;
}

bool NamePattern::occurs_in(std::string_view name) const {
  return expression_ != nullptr && expression_->Match(piece(name), 0, name.size(), re2::RE2::UNANCHORED, nullptr, 0);
}

}  // namespace tilescope
