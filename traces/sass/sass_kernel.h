// A compiled kernel as a Kernel: executes machine code and gives the engine its instruction streams.
#pragma once

#include <memory>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "models/isa/kernel.h"
#include "traces/sass/end_guard.h"
#include "traces/sass/memory_image.h"
#include "traces/sass/passed_values.h"
#include "traces/sass/program.h"
#include "traces/sass/segment_keys.h"

namespace tilescope::sass {

class SassKernel final : public Kernel {
 public:
  // `shared_bytes`: what a CTA may address of shared memory.
  SassKernel(Program program, Launch launch, DeviceMemory memory, std::size_t shared_bytes);
  ~SassKernel() override;

  const Launch& launch() const override { return launch_; }
  std::span<const Instruction> code() const override { return instructions_; }
  std::int64_t code_bytes() const override {
    return static_cast<std::int64_t>(program_.code.size() * kInstructionBytes);
  }
  const PatternTable& patterns() const override { return patterns_; }
  std::unique_ptr<WarpStream> make_stream() const override;
  InstructionSource source_of(std::size_t instruction) const override;
  std::string source_folder() const override;
  std::vector<std::string> approximations() const override;

  const Program& program() const { return program_; }

 private:
  friend class SassStream;
  // The execution of one cluster or CTA, shared by the streams of its warps as long as one of them lives.
  std::shared_ptr<CtaExecutor> execution_of(std::int64_t cluster) const;
  void find_passed() const;

  mutable Program program_;  // does not change once there is a stream
  Launch launch_;
  // The program's, where a lane's EXIT lets others run on; then each EXIT again, as the end of the warp.
  std::vector<Instruction> instructions_;
  std::vector<std::uint32_t> exit_of_;  // of each EXIT: where the form that ends the warp stands
  mutable DeviceMemory memory_;
  std::size_t shared_bytes_;
  mutable PatternTable patterns_;
  mutable SegmentKeys keys_;
  mutable Resident resident_;
  mutable std::once_flag passed_once_;
  mutable PassedValues passed_;  // found before the first stream
  mutable EndGuard guard_;
  mutable std::mutex mutex_;
  mutable std::unordered_map<std::int64_t, std::weak_ptr<CtaExecutor>> running_;  // by cluster
  mutable std::vector<std::unique_ptr<CtaExecutor>> idle_;                        // to be used again
};

// Executes the whole grid, CTA after CTA, into `memory`; for checking results. REQUIRES: a program with all values.
void execute_grid(const Program& program, const Launch& launch, DeviceMemory& memory, std::size_t shared_bytes);

}  // namespace tilescope::sass
