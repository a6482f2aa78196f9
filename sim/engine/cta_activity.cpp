#include "sim/engine/cta_activity.h"

#include <algorithm>

#include "sim/engine/stall_spans.h"

namespace tilescope {
void CtaActivity::add(std::vector<Wait>& spans, Wait span) {
  // A wait is longer in the chip's cycles than in the SM's own when its clock has slowed down meanwhile.
  if (!spans.empty()) span.from = spans.back().until;
  if (span.from >= span.until) return;
  if (!spans.empty() && spans.back().reason == span.reason && spans.back().at_mbarrier == span.at_mbarrier &&
      spans.back().until == span.from)
    spans.back().until = span.until;
  else
    spans.push_back(span);
}

void CtaActivity::issued(const Issue& issue, const WorkCounters& before, const WorkCounters& after) {
  if (issue.cta != cta_) return;
  const auto w = static_cast<std::size_t>(issue.warp);
  if (w >= warps_.size()) warps_.resize(w + 1), asked_mbarrier_.resize(w + 1);
  each_stall_span(issue, before, after, [&](Stall reason, Cycle from, Cycle until) {
    add(warps_[w], {{from, until}, reason, reason == Stall::long_scoreboard && asked_mbarrier_[w]});
  });
  const OpClass op = issue.instruction.op;
  if (op == OpClass::mbarrier_wait)
    asked_mbarrier_[w] = true;
  else if (uses_load_store_unit(op))
    asked_mbarrier_[w] = false;
}

void CtaActivity::multiplies(std::int64_t cta, int sub, Cycle from, Cycle until) {
  if (cta != cta_) return;
  std::vector<Span>& spans = tensor_cores_[sub];
  if (!spans.empty() && spans.back().until == from)
    spans.back().until = until;
  else
    spans.push_back({from, until});
}

void CtaActivity::sets_out(std::int64_t cta, std::uint32_t barrier, std::int64_t bytes, Cycle when) {
  if (cta != cta_) return;
  if (in_flight_[barrier] == 0) copies_[barrier].push_back({{when, when}, 0});
  in_flight_[barrier] += bytes;
  copies_[barrier].back().bytes += bytes;
}

// REQUIRES: what comes has set out from this CTA, or from another of its cluster.
void CtaActivity::brings(std::int64_t cta, std::uint32_t barrier, std::int64_t bytes, Cycle when) {
  if (cta != cta_) return;
  std::vector<Copy>& copies = copies_[barrier];
  if (copies.empty()) copies.push_back({{when, when}, bytes});
  copies.back().until = std::max(copies.back().until, when);
  in_flight_[barrier] = std::max<std::int64_t>(0, in_flight_[barrier] - bytes);
}

}  // namespace tilescope
