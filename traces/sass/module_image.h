// What a module (one cubin) holds besides code: its variables with their contents, its constant banks, and the places
// where the loader writes addresses of functions and variables into code and data.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <vector>

#include "models/support/diagnostic.h"

namespace tilescope::sass {

// A place that holds the address of a symbol, plus a distance.
struct NamedAddress {
  std::uint64_t offset = 0;  // byte, in its section
  std::string symbol;
  std::int64_t addend = 0;
  std::string kind;  // R_CUDA_64, R_CUDA_ABS32_LO_32, ...: which bits of the place
  int line = 0;      // of the text that says so
};

struct ModuleSection {
  std::uint64_t size = 0;           // byte
  std::vector<std::uint8_t> bytes;  // zeros behind them
  std::vector<NamedAddress> addresses;
};

struct ModuleSymbol {
  std::string section;  // empty: defined elsewhere, by the driver
  std::uint64_t offset = 0;
};

struct Module {
  int architecture = 0;  // 90 for sm_90; 0 when the text does not say
  std::map<std::string, ModuleSection>
      sections;  // .nv.global, .nv.global.init, .nv.constantN[.FUNCTION], .text.FUNCTION
  std::map<std::string, ModuleSymbol, std::less<>> symbols;

  const ModuleSection* section(const std::string& name) const {
    const auto found = sections.find(name);
    return found == sections.end() ? nullptr : &found->second;
  }
};

// Sections whose contents and addresses are kept; of code the addresses alone.
bool holds_variables(std::string_view section);  // .nv.global, .nv.global.init
bool holds_constants(std::string_view section);  // .nv.constant1 to .nv.constant9, of the module or of a function
bool holds_code(std::string_view section);       // .text.FUNCTION

// What is wrong with so many bytes of variables, in one sentence; empty: nothing.
std::string refuse_variable_bytes(std::uint64_t bytes);
std::string refuse_variable_contents(std::uint64_t bytes);  // to the last that is not zero

// From the text of `cuobjdump -elf`: one module per ELF image. Refused: variables larger than a GPU's memory.
tl::expected<std::vector<Module>, Diagnostics> modules_from_elf_text(const std::string& text, const std::string& file);
// From the data sections that nvdisasm prints beside the code.
tl::expected<Module, Diagnostics> module_from_nvdisasm(const std::string& text, const std::string& file);

}  // namespace tilescope::sass
