// The code of a shape that nobody compiled, from the code of one that was.
#pragma once

#include "traces/kernels/loop_code.h"

namespace tilescope {

// What differs between two shapes of one kernel, as far as its code shows it.
struct ShapeChange {
  const StepAddresses* from = nullptr;  // of the compiled shape
  const StepAddresses* to = nullptr;
  int depth_from = 1, depth_to = 1;  // k of a step of K: rounds of products of one section are added or left out
  int results = -1;                  // role of stores whose addresses are worked out one by one; -1: there is none
};

// Every section with as many instructions of each kind as the other shape needs: loads, stores and products one by one,
// the arithmetic of a section that loads from global memory, or stores `results`, along with these. The n-th of m
// instructions stands where that one stands in the compiled code which is as far along among its own kind, and keeps
// its control codes; so a section in which no number changes stays as it is, instruction by instruction. First, where
// the depth differs, rounds of products of one k each, and what stands between them, are left out in the middle of a
// step, or its middle half is gone through again.
LoopCode reshaped(LoopCode code, const ShapeChange& change);

}  // namespace tilescope
