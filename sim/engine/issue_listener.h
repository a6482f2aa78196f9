// Who wants to know what an SM does: what it issues, and what goes on beside its warps.
#pragma once

#include <cstdint>
#include <vector>

#include "models/isa/instruction.h"
#include "models/support/units.h"
#include "sim/engine/sm_counters.h"

namespace tilescope {

struct Issue {
  const Instruction& instruction;
  std::int64_t cta = -1;  // -1: counted, not timed
  int warp = 0;           // of the CTA
  Cycle when = 0;
};

class IssueListener {
 public:
  virtual ~IssueListener() = default;
  // `issue` took the SM's totals from `before` to `after`.
  virtual void issued(const Issue& issue, const WorkCounters& before, const WorkCounters& after) = 0;
  // A tensor core works for the CTA. Its sub-partition.
  virtual void multiplies(std::int64_t /*cta*/, int /*sub*/, Cycle /*from*/, Cycle /*until*/) {}
  // A bulk copy sets out to bring bytes to an mbarrier of the CTA; bytes have come.
  virtual void sets_out(std::int64_t /*cta*/, std::uint32_t /*barrier*/, std::int64_t /*bytes*/, Cycle /*when*/) {}
  virtual void brings(std::int64_t /*cta*/, std::uint32_t /*barrier*/, std::int64_t /*bytes*/, Cycle /*when*/) {}
};

// Several, of which each hears of everything.
class IssueListeners : public IssueListener {
 public:
  void add(IssueListener& one) { all_.push_back(&one); }
  // From now on they are told of times that lie so much later: the SM's clock has fallen behind the chip's.
  void lag(Cycle behind) { behind_ = behind; }

  void issued(const Issue& issue, const WorkCounters& before, const WorkCounters& after) override {
    const Issue told{issue.instruction, issue.cta, issue.warp, issue.when + behind_};
    for (IssueListener* one : all_) one->issued(told, before, after);
  }
  void multiplies(std::int64_t cta, int sub, Cycle from, Cycle until) override {
    for (IssueListener* one : all_) one->multiplies(cta, sub, from + behind_, until + behind_);
  }
  void sets_out(std::int64_t cta, std::uint32_t barrier, std::int64_t bytes, Cycle when) override {
    for (IssueListener* one : all_) one->sets_out(cta, barrier, bytes, when + behind_);
  }
  void brings(std::int64_t cta, std::uint32_t barrier, std::int64_t bytes, Cycle when) override {
    for (IssueListener* one : all_) one->brings(cta, barrier, bytes, when + behind_);
  }

 private:
  std::vector<IssueListener*> all_;
  Cycle behind_ = 0;
};

}  // namespace tilescope
