#include "models/support/expression_number.h"

#include <array>
#include <charconv>
#include <string_view>
#include <utility>

#include "models/support/accepted.h"
#include "models/support/diagnostic.h"

namespace tilescope {
namespace {

[[noreturn]] void unreadable(const ExpressionNode& node, const char* accepted = "") {
  throw ExpressionError(node.column, "unreadable number " + in_quotes(node.text) + accepted);
}

void read_c_integer(ExpressionNode& node) {
  const bool hex = node.text.starts_with("0x") || node.text.starts_with("0X");
  const std::string_view body = std::string_view(node.text).substr(hex ? 2 : 0);
  const auto [end, error] = std::from_chars(body.data(), body.data() + body.size(), node.number, hex ? 16 : 10);
  if (error == std::errc::result_out_of_range)
    throw ExpressionError(node.column, "number " + in_quotes(node.text) + " does not fit into 64 bits");
  if (error != std::errc{} || end != body.data() + body.size()) unreadable(node);
}

void read_sized(ExpressionNode& node) {
  static constexpr std::array<std::pair<std::string_view, double>, 4> kSizes{
      {{"KiB", 0x1p10}, {"MiB", 0x1p20}, {"GiB", 0x1p30}, {"", 1}}};
  for (const auto& [suffix, factor] : kSizes) {
    if (!node.text.ends_with(suffix)) continue;
    const auto value = parse_real(std::string_view(node.text).substr(0, node.text.size() - suffix.size()));
    if (!value) break;
    node.real = *value * factor;
    return;
  }
  unreadable(node, "; must be a number such as 64, 0.5, 48KiB, 40MiB or 1GiB");
}

}  // namespace

void read_expression_number(ExpressionNode& node, NumberSyntax syntax) {
  switch (syntax) {
    case NumberSyntax::c_integer:
      return read_c_integer(node);
    case NumberSyntax::sized:
      return read_sized(node);
    case NumberSyntax::digits:
      if (node.text.find_first_not_of("0123456789") != std::string::npos) unreadable(node);
  }
}

}  // namespace tilescope
