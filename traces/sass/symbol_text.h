// How disassemblers write an address that the loader fills in: `name`, `(name + 0x4)`, `(name + .L_x_3@srel)`,
// `32@lo(name)`, `fun@R_CUDA_G64((name + 0x4))`.
#pragma once

#include <optional>
#include <string_view>

namespace tilescope::sass {

struct SymbolSum {
  std::string_view symbol;
  std::string_view addend;  // "0x4", ".L_x_3@srel" or empty
};
// Nothing when the text is no such sum.
std::optional<SymbolSum> parse_symbol_sum(std::string_view text);

struct SymbolHalf {
  bool high = false;  // bits 32 to 63 of the address, else 0 to 31
  SymbolSum sum;
};
// "32@lo((kernel + .L_x_0@srel))"
std::optional<SymbolHalf> parse_symbol_half(std::string_view text);

}  // namespace tilescope::sass
