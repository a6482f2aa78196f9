// Executes what instructions make asynchronous units do: mbarriers, bulk and tensor copies, stores into other CTAs.
//
// A copy moves its bytes, and completes them on its mbarrier, when its instruction is executed; when that is in time is
// the engine's business. Whoever waits at an mbarrier is executed again when others have gone on (cta_executor.h).
#pragma once

#include <map>
#include <vector>

#include "models/isa/async_operand.h"
#include "models/isa/pattern_table.h"
#include "traces/sass/box_copy.h"
#include "traces/sass/decoded.h"

namespace tilescope::sass {

class AsyncExecution {
 public:
  AsyncExecution(const LaunchState& launch, PatternTable& patterns) : launch_(launch), patterns_(patterns) {}

  // Executes for `lanes`, whose addresses are in WarpState::address, and appends what the engine is told; at least one
  // operand. `values`: bytes are moved. Throws std::runtime_error with one sentence where hardware would stop, too.
  void execute(WarpState& warp, const Decoded& decoded, std::uint32_t lanes, bool values,
               std::vector<AsyncOperand>& operands);
  // Would it find a phase that has not ended, on any of `lanes`? REQUIRES: AsyncKind::barrier_test.
  bool waits(WarpState& warp, const Decoded& decoded, std::uint32_t lanes) const;

 private:
  struct Shape {  // of a box that was asked for before
    BoxPattern pattern;
    BoxId id = 0;
  };

  void execute_barrier(WarpState& warp, const Decoded& decoded, std::uint32_t lanes,
                       std::vector<AsyncOperand>& operands);
  void arrive(WarpState& warp, const Decoded& decoded, std::uint32_t place, std::uint32_t lanes, AsyncOperand& operand);
  void store(WarpState& warp, const Decoded& decoded, std::uint32_t lanes, bool values,
             std::vector<AsyncOperand>& operands);
  void copy(WarpState& warp, const Decoded& decoded, bool values, std::vector<AsyncOperand>& operands);
  void find_box(WarpState& warp, const Decoded& decoded);
  void find_line(WarpState& warp, const Decoded& decoded);
  void load(WarpState& warp, const AsyncOperand& operand);
  void write_back(WarpState& warp, const Decoded& decoded, std::uint32_t shared);
  std::uint32_t place_in_cluster(const WarpState& warp, std::uint64_t address, bool anywhere) const;
  std::uint8_t* barrier_at(WarpState& warp, std::uint32_t place) const;
  const TensorDescriptor& descriptor_at(WarpState& warp, std::uint64_t address);
  BoxId id_of_rows(bool loads);

  const LaunchState& launch_;
  PatternTable& patterns_;
  TensorDescriptor map_;  // of the copy that runs
  std::array<std::uint8_t, TensorDescriptor::kBytes> bits_{};
  BoxRows rows_;
  BoxPattern pattern_;
  BoxId last_id_ = 0;
};

}  // namespace tilescope::sass
