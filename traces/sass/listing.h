// The text of `cuobjdump -sass` or `nvdisasm -hex` as functions, instructions and labels; nothing is understood yet.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <tl/expected.hpp>
#include <vector>

#include "models/support/diagnostic.h"
#include "traces/sass/kernel_facts.h"
#include "traces/sass/module_image.h"

namespace tilescope::sass {

struct ListedInstruction {
  std::uint32_t address = 0;  // byte, from the function's first instruction
  std::uint64_t low = 0, high = 0;
  std::string text;  // "@!P0 LDG.E R2, desc[UR4][R2.64+0x10]", without ';'
  int line = 0, column = 0;
  int source_file = -1;  // in ListedFunction::source_files; -1: the text does not say
  int source_line = 0;
};

struct ListedFunction {
  std::string name;
  int architecture = 0;  // 90 for sm_90; 0 when the text does not say
  int line = 0;
  int module = 0;  // functions of one cubin have one number
  std::vector<ListedInstruction> code;
  std::map<std::string, std::uint32_t> labels;  // of nvdisasm: byte address
  std::vector<std::string> source_files;        // as line markers name them
};

struct Listing {
  std::string file;
  std::vector<ListedFunction> functions;
  FactsByFunction facts;  // nvdisasm prints them beside the code; empty for cuobjdump
  Module module;          // the same
};

// Every line that cannot be read is reported, the first 1,000. REQUIRES of the text: at least one function; every
// instruction with its encoding (nvdisasm needs -hex).
tl::expected<Listing, Diagnostics> read_listing(const std::string& text, const std::string& file);

}  // namespace tilescope::sass
