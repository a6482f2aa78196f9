#include "traces/sass/nvdisasm_facts.h"

#include <charconv>
#include <sstream>
#include <string_view>

namespace tilescope::sass {
namespace {

constexpr std::string_view kShared = ".nv.shared.", kInfo = ".nv.info", kConstant = ".nv.constant";

std::uint64_t number(std::string_view text) {
  std::uint64_t value = 0;
  const bool is_hex = text.starts_with("0x");
  std::from_chars(text.data() + (is_hex ? 2 : 0), text.data() + text.size(), value, is_hex ? 16 : 10);
  return value;
}

// The words behind a directive: "0x05, 0x00" or "index@(name)".
std::vector<std::string> values_of(const std::string& line, std::string_view directive) {
  std::vector<std::string> values;
  std::string rest = line.substr(line.find(directive) + directive.size());
  for (char& c : rest)
    if (c == ',') c = ' ';
  std::istringstream words(rest);
  for (std::string word; words >> word;) values.push_back(word);
  return values;
}

class Reader {
 public:
  FactsByFunction read(const std::string& text) {
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) read_line(line);
    end_attribute();
    return std::move(facts_);
  }

 private:
  void read_line(const std::string& line) {
    if (const std::size_t at = line.find(".section\t"); at != std::string::npos) {
      end_attribute();
      const std::size_t from = at + 9;
      section_ = line.substr(from, line.find_first_of(",\"", from) - from);
      return;
    }
    const bool shared = section_.starts_with(kShared), info = section_.starts_with(kInfo);
    const bool constant = section_.starts_with(kConstant) && !section_.starts_with(".nv.constant0");
    if (!shared && !info && !constant) return;
    if (line.find("//----- nvinfo : ") != std::string::npos) {
      end_attribute();
      attribute_ = line.substr(line.find(": ") + 2);
      while (!attribute_.empty() && attribute_.back() <= ' ') attribute_.pop_back();
      return;
    }
    struct Directive {
      const char* name;
      unsigned bytes;
    };
    for (const Directive& directive :
         {Directive{".byte\t", 1}, {".short\t", 2}, {".word\t", 4}, {".dword\t", 8}, {".zero\t", 0}})
      if (line.find(directive.name) != std::string::npos)
        for (const std::string& value : values_of(line, directive.name)) take(value, directive.bytes);
  }

  void take(const std::string& value, unsigned bytes) {
    if (section_.starts_with(kShared)) {
      if (bytes == 0 && !section_.starts_with(".nv.shared.reserved")) {
        auto& size = facts_[section_.substr(kShared.size())].static_shared;
        size = size.value_or(0) + static_cast<std::int64_t>(number(value));
      }
    } else if (section_.starts_with(kConstant)) {
      const int bank = section_[kConstant.size()] - '0';
      const std::string owner = section_.size() > kConstant.size() + 2 ? section_.substr(kConstant.size() + 2) : "";
      auto& contents = facts_[owner].constants[bank];
      if (bytes == 0) contents.resize(contents.size() + number(value));
      for (unsigned b = 0; b < bytes; ++b) contents.push_back(static_cast<std::uint8_t>(number(value) >> (8 * b)));
    } else {
      words_.push_back(value);
    }
  }

  // An attribute's words: two bytes of kind, a length unless the kind holds the value itself, then the value.
  void end_attribute() {
    const bool own = section_.size() > kInfo.size();
    KernelFacts* facts = own ? &facts_[section_.substr(kInfo.size() + 1)] : nullptr;
    const auto name_in = [](const std::string& word) {
      const std::size_t from = word.find("@(");
      return from == std::string::npos ? std::string() : word.substr(from + 2, word.size() - from - 3);
    };
    if (attribute_ == "EIATTR_REGCOUNT" && words_.size() >= 2)
      facts_[name_in(words_[words_.size() - 2])].registers = static_cast<std::int64_t>(number(words_.back()));
    if (own && attribute_ == "EIATTR_KPARAM_INFO" && words_.size() >= 7) {
      // index, ordinal, offset, then four bytes whose bits 18.. hold the size.
      const std::size_t last = words_.size();
      const std::uint64_t packed = number(words_[last - 4]) | number(words_[last - 3]) << 8U |
                                   number(words_[last - 2]) << 16U | number(words_[last - 1]) << 24U;
      facts->parameters[static_cast<std::uint32_t>(number(words_[last - 6]))] = {
          static_cast<std::uint32_t>(number(words_[last - 5])), static_cast<std::uint32_t>(packed >> 18U)};
    }
    if (own && attribute_ == "EIATTR_PARAM_CBANK" && words_.size() >= 2)
      facts->parameter_base = static_cast<std::uint32_t>(number(words_[words_.size() - 2]));
    attribute_.clear();
    words_.clear();
  }

  FactsByFunction facts_;
  std::string section_, attribute_;
  std::vector<std::string> words_;
};

}  // namespace

FactsByFunction facts_from_nvdisasm(const std::string& text) { return Reader().read(text); }

}  // namespace tilescope::sass
