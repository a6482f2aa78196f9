// Walking the streams of a kernel, for tests: every operand with its lanes' addresses.
#pragma once

#include <doctest/doctest.h>

#include <cstdint>
#include <memory>
#include <string>

#include "models/isa/kernel.h"
#include "traces/kernels/registry.h"

namespace tilescope::test {

inline std::unique_ptr<Kernel> kernel(const std::string& name, const ParameterTexts& parameters = {}) {
  auto made = make_kernel(name, parameters);
  if (!made) FAIL(made.error().front());
  return std::move(*made);
}

// Calls visit(op, operand, pattern) for every memory operand of one warp, in order, and checks how the stream ends.
template <class Visit>
void walk_warp(const Kernel& kernel, WarpStream& stream, std::int64_t cta, int warp, Visit&& visit) {
  stream.start(cta, warp, Operands::all);
  OpClass last = OpClass::nop;
  for (Segment segment; stream.next(segment);) {
    REQUIRE(segment.length > 0);
    const MemoryOperand* operand = segment.operands;
    for (std::uint32_t i = 0; i < segment.length; ++i) {
      if (last == OpClass::exit) FAIL("an instruction after EXIT");
      last = segment.code[i].op;
      for (int n = memory_operands(last); n > 0; --n, ++operand)
        visit(last, *operand, kernel.patterns().pattern(operand->pattern));
    }
  }
  CHECK(last == OpClass::exit);
}

template <class Visit>
void walk(const Kernel& kernel, Visit&& visit) {
  const auto stream = kernel.make_stream();
  for (std::int64_t cta = 0; cta < kernel.launch().grid.count(); ++cta)
    for (int warp = 0; warp < static_cast<int>(kernel.launch().warps_per_cta()); ++warp)
      walk_warp(kernel, *stream, cta, warp, visit);
}

// Calls visit(address) for every active lane.
template <class Visit>
void for_each_lane(const MemoryOperand& operand, const LanePattern& pattern, Visit&& visit) {
  for (int lane = 0; lane < kLanes; ++lane)
    if (pattern.is_active(lane))
      visit(operand.base + static_cast<std::uint64_t>(pattern.offset[static_cast<std::size_t>(lane)]));
}

}  // namespace tilescope::test
