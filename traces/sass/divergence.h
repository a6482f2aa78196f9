// Which lanes of a warp run where: groups of lanes at different places of the code, and where they meet again.
//
// Since Volta lanes have places of their own. The compiler says where they should meet: BSSY opens a meeting of the
// lanes that run, BSYNC is the place where they wait for each other, BREAK takes lanes out of it, WARPSYNC is a meeting
// of an explicit mask. A convergence barrier is one register of the warp: opening it anew forgets its old members, who
// wait on until their mask is put back (BMOV, around a call). When its members come from a register again, those who
// meet execute BSYNC a second time together: so say the counts of warp and of thread instructions of 98 launches
// (tests/data/sass/recursion_h200.csv). Lanes that have waited for each other at a WARPSYNC execute it a second time
// together, too, unless it was an exit that ended their wait: counts of 18 launches of batch norm and top-k
// (torch_resnet, torch_topk) on an H200 and an H100, and of `divergent` in tests/data/sass/probe_h200.csv.
// A lane that exits is not waited for; lanes whose wait at a BSYNC ends because others exit or leave execute it again.
// One group runs at a time, until it diverges, waits or exits. Of the two sides of a branch the one with fewer lanes
// goes first, the one that falls through when they are equal. When a group waits or exits, the group that became ready
// last goes on; those of the others that are at the same place are one group from then on. So say the counts of warp
// instructions of 546 warps on an H100 (a third of them: tests/data/sass/meetings).
#pragma once

#include <array>
#include <cstdint>
#include <vector>

namespace tilescope::sass {

struct LaneGroup {
  std::uint32_t place = 0;  // instruction
  std::uint32_t lanes = 0;
};

class Divergence {
 public:
  void start(std::uint32_t lanes);

  const LaneGroup& running() const { return running_; }
  std::uint32_t exited() const { return exited_; }
  bool done() const { return running_.lanes == 0; }
  // Lanes wait for others that can not come.
  bool stuck() const { return stuck_; }

  void go_to(std::uint32_t place) { running_.place = place; }
  // Lanes `taken` of the running ones go to `target`, the others to `next`.
  void branch(std::uint32_t taken, std::uint32_t target, std::uint32_t next);
  void exit(std::uint32_t lanes, std::uint32_t next);
  void open(std::uint8_t barrier);
  void meet(std::uint8_t barrier, std::uint32_t next);
  void leave(std::uint8_t barrier, std::uint32_t lanes);
  void gather(std::uint32_t mask, std::uint32_t next);
  // A convergence barrier's mask, which code puts away in a register around a call.
  std::uint32_t take(std::uint8_t barrier, bool clear);
  void put(std::uint8_t barrier, std::uint32_t mask);
  // The running group lets others go first.
  void yield();

 private:
  struct Gathering {
    std::uint32_t members = 0, waiting = 0;
    std::uint32_t place = 0;  // where they go on
  };
  static constexpr std::size_t kBarriers = 16;

  void release_complete(bool again = false);
  void run_another();
  void make_ready(std::uint32_t lanes);

  LaneGroup running_;
  std::vector<LaneGroup> ready_;
  std::array<std::uint32_t, kBarriers> members_{}, waiting_{};  // of the convergence barriers
  std::array<bool, kBarriers> restored_{};                      // members come from a register
  std::array<std::uint32_t, 32> resume_{};                      // where a waiting lane goes on
  std::vector<Gathering> gatherings_;
  std::uint32_t met_ = 0;  // lanes that are to execute their WARPSYNC again
  std::uint32_t exited_ = 0;
  bool stuck_ = false;
};

}  // namespace tilescope::sass
