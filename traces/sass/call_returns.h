// Which calls a return can come from, and which registers the code between them changes: what a caller keeps in others
// passes by.
#pragma once

#include <bitset>
#include <cstdint>
#include <map>
#include <vector>

#include "traces/sass/slice.h"

namespace tilescope::sass {

using Registers = std::bitset<kP0>;

struct CallReturns {
  struct Return {
    std::vector<std::uint32_t> places;  // behind the calls that it can come from
    Registers changed;                  // by what they call
  };
  std::map<std::uint32_t, Registers> calls;  // instructions that call code of the file by its place: what it changes
  std::map<std::uint32_t, Return> returns;   // instructions that return from there; others may return anywhere
};

CallReturns find_call_returns(const std::vector<Decoded>& code, const Successors& successors);

}  // namespace tilescope::sass
