// What the ELF image around the machine code says about a kernel: registers, shared memory, parameters, constants.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace tilescope::sass {

struct ParameterPlace {
  std::uint32_t offset = 0, bytes = 0;  // offset from the first parameter
};

struct KernelFacts {
  std::optional<std::int64_t> registers;               // per thread
  std::optional<std::int64_t> static_shared;           // byte, with what the system reserves in front
  std::optional<std::uint32_t> parameter_base;         // in constant bank 0, byte
  std::map<std::uint32_t, ParameterPlace> parameters;  // by position
  std::map<int, std::vector<std::uint8_t>> constants;  // constant banks other than 0, with their contents
};

// Facts of all functions of a file; those under "" hold for every function (constant bank 3).
using FactsByFunction = std::map<std::string, KernelFacts>;

// Those of one function, with what holds for all.
KernelFacts facts_of(const FactsByFunction& all, const std::string& function);

// From the text of `cuobjdump -elf`. Lines that say nothing of interest are passed over.
FactsByFunction facts_from_elf_text(const std::string& text);

}  // namespace tilescope::sass
