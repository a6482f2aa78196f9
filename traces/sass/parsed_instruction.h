// A listed instruction taken apart: guard, opcode, modifiers, operands.
#pragma once

#include <algorithm>
#include <string>
#include <tl/expected.hpp>
#include <vector>

#include "traces/sass/listing.h"
#include "traces/sass/operand.h"

namespace tilescope::sass {

struct ParsedInstruction {
  const ListedInstruction* listed = nullptr;
  RegisterId guard = kPT;
  bool guard_inverted = false;
  std::string opcode;                  // "LDG"
  std::vector<std::string> modifiers;  // "E", "CONSTANT"
  std::vector<Operand> operands;

  bool has(std::string_view modifier) const {
    return std::find(modifiers.begin(), modifiers.end(), modifier) != modifiers.end();
  }
};

// Or the word that could not be read.
tl::expected<ParsedInstruction, std::string> parse_instruction(const ListedInstruction& listed);

}  // namespace tilescope::sass
