// What the ELF image around the machine code says about a kernel: registers, shared memory, parameters, constants.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <tl/expected.hpp>
#include <vector>

#include "models/support/diagnostic.h"

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

// From the text of `cuobjdump -elf`. Lines that say nothing of interest are passed over; a fact that no kernel can have
// is an error.
tl::expected<FactsByFunction, Diagnostics> facts_from_elf_text(const std::string& text, const std::string& file);

// What is impossible about a fact, in one sentence; empty: nothing.
std::string refuse_registers(std::int64_t registers);
std::string refuse_shared(std::int64_t bytes);
std::string refuse_parameter(const ParameterPlace& place);
std::string refuse_parameter_base(std::uint64_t base);
std::string refuse_constant_bytes(std::uint64_t bytes);

}  // namespace tilescope::sass
