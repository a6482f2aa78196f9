// What the warps of one CTA do and wait for, cycle by cycle, and what its tensor cores and bulk copies do meanwhile.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "sim/engine/issue_listener.h"

namespace tilescope {

class CtaActivity : public IssueListener {
 public:
  struct Span {  // [from, until), SM clock, from the CTA's first cycle that anything is known of
    Cycle from = 0, until = 0;
  };
  struct Wait : Span {
    Stall reason = Stall::selected;  // selected: it issues
    bool at_mbarrier = false;        // a long scoreboard that an mbarrier releases
  };
  struct Copy : Span {
    std::int64_t bytes = 0;  // in flight
  };

  explicit CtaActivity(std::int64_t cta) : cta_(cta) {}

  void issued(const Issue& issue, const WorkCounters& before, const WorkCounters& after) override;
  void multiplies(std::int64_t cta, int sub, Cycle from, Cycle until) override;
  void sets_out(std::int64_t cta, std::uint32_t barrier, std::int64_t bytes, Cycle when) override;
  void brings(std::int64_t cta, std::uint32_t barrier, std::int64_t bytes, Cycle when) override;

  std::int64_t cta() const { return cta_; }
  // By warp of the CTA: spans without gaps, each of another reason than the one before.
  const std::vector<std::vector<Wait>>& warps() const { return warps_; }
  // By sub-partition: when its tensor core works for the CTA.
  const std::map<int, std::vector<Span>>& tensor_cores() const { return tensor_cores_; }
  // By the mbarrier's place in shared memory: while bytes of bulk copies are on their way to it.
  const std::map<std::uint32_t, std::vector<Copy>>& copies() const { return copies_; }

 private:
  void add(std::vector<Wait>& spans, Wait span);

  std::int64_t cta_;
  std::vector<std::vector<Wait>> warps_;
  std::vector<bool> asked_mbarrier_;  // by warp: since its last access to memory it has asked an mbarrier
  std::map<int, std::vector<Span>> tensor_cores_;
  std::map<std::uint32_t, std::vector<Copy>> copies_;
  std::map<std::uint32_t, std::int64_t> in_flight_;
};

}  // namespace tilescope
