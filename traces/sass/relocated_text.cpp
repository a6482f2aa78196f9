#include "traces/sass/relocated_text.h"

#include <fmt/format.h>

#include "traces/sass/limits.h"

namespace tilescope::sass {
namespace {

// R_CUDA_ABS32_LO_32 and R_CUDA_FUNC_DESC32_LO_32: half of an address; R_CUDA_ABS47_34, R_CUDA_ABS55_16_34: the place
// that a CALL.ABS goes to.
bool is_half(const std::string& kind) {
  return kind.find("32_LO") != std::string::npos || kind.find("32_HI") != std::string::npos;
}
bool is_call(const std::string& kind) {
  for (const char* start : {"R_CUDA_ABS47", "R_CUDA_ABS55", "R_CUDA_ABS56"})
    if (kind.starts_with(start)) return true;
  return false;
}

std::string name_of(const NamedAddress& address) {
  if (address.addend == 0) return address.symbol;
  return fmt::format("({} + {:#x})", address.symbol, static_cast<std::uint64_t>(address.addend));
}

}  // namespace

void write_relocations(ListedFunction& function, const ModuleSection& section, const std::string& file,
                       Diagnostics& errors) {
  for (const NamedAddress& address : section.addresses) {
    const std::uint64_t index = address.offset / 16;
    if (index >= function.code.size()) {
      errors.push_back({file, function.line, 1,
                        fmt::format("function {}: a relocation at {:#x} lies outside the function",
                                    in_quotes(function.name), address.offset)});
      return;
    }
    ListedInstruction& listed = function.code[index];
    if (listed.text.find('@', 1) != std::string::npos || listed.text.find("`(") != std::string::npos) continue;
    const bool half = is_half(address.kind);
    const std::size_t zero = listed.text.rfind(" 0x0");
    const bool number = zero != std::string::npos && (zero + 4 == listed.text.size() || listed.text[zero + 4] == ',' ||
                                                      listed.text[zero + 4] == ' ');
    if (!number || (!half && !is_call(address.kind))) {
      if (errors.size() < kMostErrors)
        errors.push_back({file, listed.line, listed.column,
                          fmt::format("not executed: got {}: relocation {} of {}; must be half an address or the "
                                      "place of a CALL.ABS",
                                      in_quotes(listed.text), in_quotes(address.kind), in_quotes(address.symbol))});
      continue;
    }
    const bool high = address.kind.find("_HI") != std::string::npos;
    listed.text.replace(
        zero + 1, 3,
        half ? fmt::format("32@{}({})", high ? "hi" : "lo", name_of(address)) : fmt::format("`({})", address.symbol));
  }
}

}  // namespace tilescope::sass
