// One compiled function of compiled_listings.h, launched with a problem of its own and walked by one warp: its
// instructions, with the control codes of the compiler, which of them a warp executes in which order, and which
// addresses it asks for.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "models/isa/instruction.h"
#include "models/isa/kernel.h"
#include "traces/kernels/compiled_listings.h"

namespace tilescope {

// kernel<<<grid, block, dynamic_smem_bytes>>>(pointers..., numbers...)
struct SampleLaunch {
  const CompiledListing* listing = nullptr;
  std::string function;  // of the listing
  Dim3 grid, block;
  std::int64_t dynamic_smem_bytes = 0;
  std::vector<std::uint64_t> pointers;
  std::vector<std::int32_t> numbers;
};

struct SeenOperand {
  std::uint64_t base = 0;                // as MemoryOperand; in shared memory from the kernel's first byte on
  const LanePattern* pattern = nullptr;  // lives as long as the sample
};

// A straight run of instructions, so many times one after the other.
struct WalkedRun {
  std::uint32_t first = 0, length = 0;  // in CompiledSample::code
  std::int64_t repeats = 1;
  std::vector<SeenOperand> operands;  // of the first time
  std::vector<std::int64_t> advance;  // of each operand's base from one time to the next, byte
};

class CompiledSample {
 public:
  explicit CompiledSample(const SampleLaunch& launch);

  std::vector<Instruction> code;  // of the function, whose instructions name no line
  std::int64_t registers_per_thread = 0;

  // What warp `warp` of the first CTA executes. REQUIRES of its use: the sample still lives.
  std::vector<WalkedRun> walk(int warp) const&;
  std::vector<WalkedRun> walk(int warp) const&& = delete;

 private:
  std::shared_ptr<const Kernel> kernel_;
  std::uint64_t first_shared_ = 0;  // where a CTA's shared memory begins in the addresses of the code
};

}  // namespace tilescope
