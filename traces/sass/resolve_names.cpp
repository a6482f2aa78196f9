#include "traces/sass/resolve_names.h"

#include <charconv>

#include "traces/sass/symbol_text.h"

namespace tilescope::sass {
namespace {

// "0x1b0", or a label of the function: ".L_x_0@srel".
bool add_distance(std::string_view addend, const ListedFunction& function, std::uint64_t& address) {
  if (addend.empty()) return true;
  if (addend.starts_with("0x")) {
    std::uint64_t value = 0;
    const auto [end, error] = std::from_chars(addend.data() + 2, addend.data() + addend.size(), value, 16);
    address += value;
    return error == std::errc() && end == addend.data() + addend.size();
  }
  const auto label = function.labels.find(std::string(addend.substr(0, addend.find('@'))));
  if (label == function.labels.end()) return false;
  address += label->second;
  return true;
}

}  // namespace

std::string resolve_names(ParsedInstruction& parsed, const ListedFunction& function, const LinkedCode& code) {
  for (Operand& operand : parsed.operands) {
    if (!operand.named) continue;
    const auto half = parse_symbol_half(operand.text);
    const auto named = half ? code.addresses.find(half->sum.symbol) : code.addresses.end();
    if (named == code.addresses.end()) return "operand '" + operand.text + "': the name is not in the file";
    std::uint64_t address = named->second;
    if (!add_distance(half->sum.addend, function, address))
      return "operand '" + operand.text + "': no such place in the function";
    operand.value = static_cast<std::int64_t>(half->high ? address >> 32U : address & 0xffffffffU);
  }
  return {};
}

}  // namespace tilescope::sass
