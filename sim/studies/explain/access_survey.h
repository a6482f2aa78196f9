// What the memory instructions of a launch do, lane by lane: found by walking through the streams of some CTAs. Counts
// of the whole launch come from a run; a survey says why they are what they are.
#pragma once

#include <cstdint>
#include <vector>

#include "models/gpu_spec.h"
#include "models/isa/kernel.h"
#include "models/shared_banks.h"

namespace tilescope::explain {

// One executed access as an example: the lanes, and what they cost.
struct ExampleAccess {
  std::uint64_t base = 0;
  LanePattern pattern;
  std::int64_t cost = 0, ideal = 0;  // wavefronts in shared memory, sectors in global memory
};

// An access to shared memory that occurs, and how often.
struct SharedAccess {
  std::uint64_t base = 0;
  LanePattern pattern;
  SharedOp op = SharedOp::load;
  std::uint64_t times = 0;
};

// One operand of one static instruction, over the CTAs walked through.
struct SurveyedAccess {
  std::size_t instruction = 0;  // in Kernel::code()
  AccessKind kind = AccessKind::none;
  int bytes = 4;                     // of a lane
  std::uint64_t times = 0;           // with at least one lane
  std::uint64_t cost = 0;            // wavefronts of shared memory; sectors of global memory
  std::uint64_t ideal = 0;           // the same without conflicts, or with nothing fetched that no lane asks for
  ExampleAccess worst;               // the one farthest from its ideal, the first of equals
  int array = -1;                    // shared memory: in Survey::arrays
  std::vector<SharedAccess> shared;  // the distinct ones, at most kMostDistinct

  static constexpr std::size_t kMostDistinct = 1024;
};

// Bytes of shared memory that accesses tie together: those of one array.
struct SharedArray {
  std::uint64_t from = 0, to = 0;     // byte; `to` is the first behind it
  std::uint64_t room = 0;             // where the next array begins, or shared memory ends
  int widest = 1;                     // byte per lane of the widest access
  std::vector<std::size_t> accesses;  // in Survey::accesses
};

struct Survey {
  std::vector<SurveyedAccess> accesses;  // by instruction and operand
  std::vector<SharedArray> arrays;       // by place
  std::int64_t ctas = 0;                 // walked through
};

// `most_accesses`: how much work is affordable, in accesses of warps. A CTA that has more is walked through in part:
// its first warps.
Survey survey(const GpuSpec& gpu, const Kernel& kernel, std::uint64_t most_accesses = 2'000'000);

// Sectors of 32 bytes that the lanes touch, and the fewest that could hold the distinct bytes they ask for.
std::int64_t sectors_of(const LanePattern& pattern, std::uint64_t base);
std::int64_t fewest_sectors(const LanePattern& pattern);
// Distinct bytes that the lanes ask for.
std::int64_t distinct_bytes(const LanePattern& pattern);

}  // namespace tilescope::explain
