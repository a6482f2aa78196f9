#include "traces/sass/symbol_text.h"

#include "traces/sass/words.h"

namespace tilescope::sass {
namespace {

// "(a)" -> "a"; nothing changes without both.
std::string_view without_parentheses(std::string_view text) {
  while (text.size() >= 2 && text.front() == '(' && text.back() == ')')
    text = trimmed_word(text.substr(1, text.size() - 2));
  return text;
}

}  // namespace

std::optional<SymbolSum> parse_symbol_sum(std::string_view text) {
  text = trimmed_word(text);
  // A name before '@' says how the address is written: fun@fdesc(NAME), fun@R_CUDA_G64(NAME).
  if (const std::size_t at = text.find('@'), open = text.find('('); at < open && open != std::string_view::npos)
    text = text.substr(open);
  text = without_parentheses(text);
  SymbolSum sum;
  const std::size_t plus = text.find(" + ");
  sum.symbol = trimmed_word(text.substr(0, plus));
  if (plus != std::string_view::npos) sum.addend = trimmed_word(text.substr(plus + 3));
  if (sum.symbol.empty() || sum.symbol.find_first_of(" ()@,") != std::string_view::npos) return std::nullopt;
  return sum;
}

std::optional<SymbolHalf> parse_symbol_half(std::string_view text) {
  SymbolHalf half;
  half.high = text.starts_with("32@hi(");
  if ((!half.high && !text.starts_with("32@lo(")) || !text.ends_with(')')) return std::nullopt;
  const auto sum = parse_symbol_sum(text.substr(5));
  if (!sum) return std::nullopt;
  half.sum = *sum;
  return half;
}

}  // namespace tilescope::sass
