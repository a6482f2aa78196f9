// Which loads read floating-point numbers, as far as what is executed depends on them.
//
// A load does when a word of it goes to an instruction that calculates with floating-point numbers, directly or
// through instructions that pass it on (value_use.h), shared or local memory. That such a word is looked at as a whole
// number too, as the slow paths of divisions and square roots do, changes nothing; but no word of the load may be taken
// for a whole number alone, nor may an address be calculated from it.
#pragma once

#include <vector>

#include "traces/sass/slice.h"

namespace tilescope::sass {

// By instruction: an executed load of global memory that reads floating-point numbers. Where CTAs exchange values,
// those alone that no store of the launch can reach.
std::vector<bool> floating_loads(const std::vector<Decoded>& code, const Successors& successors, const Slice& slice);

}  // namespace tilescope::sass
