#include "traces/sass/parsed_instruction.h"

#include <string_view>

namespace tilescope::sass {
namespace {

// Operands stand between commas; only those of a return are parted by a space.
std::vector<std::string_view> split_operands(std::string_view text) {
  std::vector<std::string_view> parts;
  int depth = 0;
  std::size_t from = 0;
  const auto add = [&](std::size_t end) {
    std::string_view part = text.substr(from, end - from);
    while (part.starts_with(' ')) part.remove_prefix(1);
    while (part.ends_with(' ')) part.remove_suffix(1);
    if (!part.empty()) parts.push_back(part);
    from = end + 1;
  };
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '[' || text[i] == '(') ++depth;
    if (text[i] == ']' || text[i] == ')') --depth;
    if (depth == 0 && (text[i] == ',' || text[i] == ' ')) add(i);
  }
  add(text.size());
  return parts;
}

}  // namespace

tl::expected<ParsedInstruction, std::string> parse_instruction(const ListedInstruction& listed) {
  ParsedInstruction parsed;
  parsed.listed = &listed;
  std::string_view text = listed.text;
  if (text.starts_with('@')) {
    std::size_t end = std::min(text.find(' '), text.size());
    std::string_view guard = text.substr(1, end - 1);
    if (guard.starts_with('!')) parsed.guard_inverted = true, guard.remove_prefix(1);
    const auto id = register_id(guard);
    if (!id || !is_predicate(*id)) return tl::unexpected(std::string(text.substr(0, end)));
    parsed.guard = *id;
    while (end < text.size() && text[end] == ' ') ++end;
    text.remove_prefix(end);
  }
  const std::size_t end = std::min(text.find(' '), text.size());
  std::string_view mnemonic = text.substr(0, end);
  text.remove_prefix(end);
  if (mnemonic.empty()) return tl::unexpected(std::string(listed.text));
  std::size_t dot = mnemonic.find('.');
  parsed.opcode = mnemonic.substr(0, dot);
  while (dot != std::string_view::npos) {
    mnemonic.remove_prefix(dot + 1);
    dot = mnemonic.find('.');
    parsed.modifiers.emplace_back(mnemonic.substr(0, dot));
  }
  for (const std::string_view part : split_operands(text)) {
    auto operand = parse_operand(part);
    if (!operand) return tl::unexpected(std::string(part));
    parsed.operands.push_back(std::move(*operand));
  }
  return parsed;
}

}  // namespace tilescope::sass
