#include "sim/engine/window_engine.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>

#include "sim/engine/worker_pool.h"

namespace tilescope {
CtaResources cta_resources(const Launch& launch) {
  return {launch.block.count(), launch.registers_per_thread, launch.static_smem_bytes + launch.dynamic_smem_bytes};
}

template <class SmModel>
WindowEngine<SmModel>::WindowEngine(const GpuSpec& gpu, const Kernel& kernel, int threads,
                                    const CountingSm::Grain& grain, const Later& later)
    : kernel_(kernel),
      costs_(gpu, kernel.patterns()),
      shapes_(gpu.lsu.miss_join_cycles),
      occupancy_(tilescope::occupancy(gpu, cta_resources(kernel.launch()))),
      memory_(gpu, grain.thin_shift),
      dispatch_(gpu.launch, kernel.launch().grid.count(), static_cast<std::int64_t>(gpu.crossbar.cpc_cycles.size())),
      workers_(std::make_unique<WorkerPool>(threads)),
      turns_(static_cast<std::size_t>(gpu.sm.count()), static_cast<std::size_t>(workers_->threads())),
      said_(static_cast<std::size_t>(gpu.sm.count())),
      said_by_thread_(static_cast<std::size_t>(workers_->threads()), Said{said_}),
      replies_(static_cast<std::size_t>(gpu.sm.count())),
      served_(replies_.size()),
      way_out_(replies_.size()),
      given_(static_cast<std::size_t>(gpu.sm.count())),
      bulk_arrivals_(replies_.size()),
      bulk_lines_(replies_.size()),
      messages_(replies_.size()),
      cluster_barriers_(gpu.asynchronous.cluster_barrier_cycles,
                        kernel.launch().cluster.count() * kernel.launch().warps_per_cta()),
      gpc_way_(gpu.crossbar.gpc_clock_cycles),
      window_(memory_.least_latency() / (kAside ? 2 : 1)),
      ended_(later.cta) {
  // What the SMs of a cluster tell each other is there sooner than an answer of L2.
  const auto meets = [](const Instruction& one) { return one.op == OpClass::cluster_barrier; };
  if (kernel.launch().clustered() || std::any_of(kernel.code().begin(), kernel.code().end(), meets))
    window_ = std::min({window_, gpu.asynchronous.cluster_cycles, gpu.asynchronous.cluster_barrier_cycles});
  follows_ctas_ = kernel.launch().clustered() ||
                  std::any_of(kernel.code().begin(), kernel.code().end(), [](const Instruction& one) {
                    return one.op >= OpClass::mbarrier_init && one.op <= OpClass::cluster_barrier;
                  });
  if (follows_ctas_) sm_of_.assign(static_cast<std::size_t>(kernel.launch().grid.count()), -1);
  if (std::is_same_v<SmModel, Sm> && uses_tensor_cores(kernel.code()) && GpcClock::varies(gpu.clock)) {
    clocks_.assign(gpu.sm.gpcs.size(), GpcClock(gpu.clock));
    for (std::size_t gpc = 0; gpc < gpu.sm.gpcs.size(); ++gpc)
      gpc_of_.insert(gpc_of_.end(), static_cast<std::size_t>(gpu.sm.gpcs[gpc]), gpc);
    later_replies_.resize(gpc_of_.size());
    behind_.assign(gpc_of_.size(), 0);
    longer_.assign(gpc_of_.size(), 0);
    reached_.assign(gpc_of_.size(), 0);
  }
  const int sms = static_cast<int>(gpu.sm.count());
  for (int s = 0; s < sms; ++s) {
    if constexpr (std::is_same_v<SmModel, Sm>)
      sms_.push_back(std::make_unique<Sm>(gpu, kernel, costs_, occupancy_, s));
    else
      sms_.push_back(std::make_unique<CountingSm>(gpu, kernel, costs_, occupancy_, s, grain, shapes_));
  }
  dispatch_.begin_later(later.cta, later.spread);
  const int places = static_cast<int>(occupancy_.ctas_per_sm);
  if (kernel.launch().clustered())
    for (const CtaDispatch::Placement& p : dispatch_.first_clusters(gpu.sm.gpcs, places, kernel.launch())) give(p);
  else
    for (const CtaDispatch::Placement& p : dispatch_.first_wave(gpu.sm.gpcs, places)) give(p);
}

template <class SmModel>
void WindowEngine<SmModel>::give(const CtaDispatch::Placement& placement) {
  const auto sm = static_cast<std::size_t>(placement.sm);
  ++given_[sm];
  if (follows_ctas_) sm_of_[static_cast<std::size_t>(placement.cta)] = static_cast<std::int16_t>(placement.sm);
  if (!clocks_.empty()) starts_[placement.cta] = placement.start;
  sms_[sm]->launch_cta(placement.cta, placement.start - behind(sm));
}

template <class SmModel>
int WindowEngine<SmModel>::sm_of(std::int64_t cta) const {
  const auto place = static_cast<std::size_t>(cta);
  return place < sm_of_.size() ? sm_of_[place] : -1;
}

template <class SmModel>
WindowEngine<SmModel>::~WindowEngine() = default;

template <class SmModel>
void WindowEngine<SmModel>::run(Cycle until) {
  stopped_ = false;
  while (!done() && !stopped_ && now_ < until) {
    Cycle next = next_event();
    // While no SM does anything, no store comes either.
    while (true) {
      const Cycle coming = earliest_on_its_way();
      if (coming == kNever || coming >= next + window_ - memory_.least_response()) break;
      const Cycle released = std::min(next - memory_.least_response(), coming) + window_;
      release_replies(released, replies_);
      take_in_bulk_lines(to_ticks(released));
      next = next_event();
    }
    if (next >= kNever)
      throw DeadlockError(
          fmt::format("deadlock at cycle {}: {} CTAs of '{}' have not ended and none of their warps can ever issue "
                      "(a barrier that not all warps of a CTA reach, an mbarrier whose arrivals or bytes do not come?)",
                      now_, kernel_.launch().grid.count() - ended_, kernel_.launch().kernel));
    now_ = std::max(now_, next);
    const Cycle end = now_ + window_;
    if (!clocks_.empty()) [[unlikely]]
      advance_clocks(now_);
    if constexpr (kAside) {
      const std::function<void()> aside = [this] { serve_requests(now_, served_); };
      advance_sms(end, aside);
      replies_.swap(served_);
      take_requests(end);
    } else {
      advance_sms(end, {});
      take_requests(end);
      serve_requests(end, replies_);
    }
    for (std::size_t s = 0; s < sms_.size(); ++s) way_out_[s] = memory_.way_out_free(s) - behind(s);
    if constexpr (std::is_same_v<SmModel, Sm>) pass_messages();
    replace_ended_ctas(end);
    if (history_ != nullptr) [[unlikely]]
      note_history();
    now_ = end;
    if (on_progress) on_progress(*this);
  }
  if (done()) {  // stores that were still on their way
    if (kAside) serve_requests(now_, replies_);
    take_requests(kNever);
    serve_requests(kNever, replies_);
  }
  if (history_ != nullptr) note_history();
}

template <class SmModel>
Cycle WindowEngine<SmModel>::next_event() const {
  if (kAside && !requests_.empty()) return now_;
  Cycle next = requests_.earliest_kept();
  for (std::size_t s = 0; s < sms_.size(); ++s) {
    const Cycle own = sms_[s]->next_event();
    if (own < kNever) next = std::min(next, own + behind(s));
    if (next <= now_) return next;
  }
  for (const FinishedCta& cta : leaving_) next = std::min(next, cta.end);
  // Replies wake warps when they are delivered, at the beginning of the next window.
  for (const auto& replies : replies_)
    for (const MemoryReply& reply : replies) next = std::min(next, reply.ready);
  for (const auto& replies : later_replies_) next = std::min(next, replies.earliest());
  for (const auto& arrivals : bulk_arrivals_)
    for (const BulkArrival& arrival : arrivals) next = std::min(next, arrival.when);
  for (const auto& messages : messages_)
    for (const ClusterMessage& message : messages) next = std::min(next, message.when);
  return next;
}

// Attribution is kept by thread and must stay with it. The first thread does what there is to do `aside` before all.
template <class SmModel>
void WindowEngine<SmModel>::advance_sms(Cycle until, const std::function<void()>& aside) {
  turns_.begin();
  for (Said& own : said_by_thread_) own.sms.clear();
  const std::function<void(int)> body = [&](int thread) {
    if (thread == 0 && aside) aside();
    SmSet& said = said_by_thread_[static_cast<std::size_t>(thread)].sms;
    turns_.each(static_cast<std::size_t>(thread), attributions_.empty(), [&](std::size_t s, std::size_t next) {
      if constexpr (std::is_same_v<SmModel, CountingSm>) sms_[next]->fetch_ahead();
      sms_[s]->hold_back(way_out_[s]);
      if (!clocks_.empty()) [[unlikely]] {
        deliver_due(s, until);
        sms_[s]->advance(until - behind_[s]);
      } else {
        deliver_all(s);
        sms_[s]->advance(until);
      }
      if (!sms_[s]->outbox().empty() || !sms_[s]->finished().empty()) said.add(s);
    });
  };
  workers_->run(body);
  said_.clear();
  for (const Said& own : said_by_thread_) said_ |= own.sms;
}

template <class SmModel>
void WindowEngine<SmModel>::deliver_all(std::size_t sm) {
  if (!replies_[sm].empty()) sms_[sm]->deliver(replies_[sm]);
  replies_[sm].clear();
  if constexpr (std::is_same_v<SmModel, Sm>) {
    if (!bulk_arrivals_[sm].empty()) sms_[sm]->deliver(bulk_arrivals_[sm]);
    if (!messages_[sm].empty()) sms_[sm]->deliver(messages_[sm]);
    bulk_arrivals_[sm].clear();
    messages_[sm].clear();
  }
}

// What the SM's tensor cores did in the last window decides how far its clock is behind in the next.
template <class SmModel>
void WindowEngine<SmModel>::advance_clocks(Cycle until) {
  if constexpr (std::is_same_v<SmModel, Sm>) {
    std::vector<Sm::TensorWork> work(clocks_.size());
    for (std::size_t s = 0; s < sms_.size(); ++s) {
      const Sm::TensorWork own = sms_[s]->take_tensor_work();
      if (own.until <= own.from) continue;
      Sm::TensorWork& all = work[gpc_of_[s]];
      all = {std::min(all.from, own.from + behind_[s]), std::max(all.until, own.until + behind_[s])};
    }
    for (std::size_t gpc = 0; gpc < clocks_.size(); ++gpc) {
      if (work[gpc].from < work[gpc].until) clocks_[gpc].work(work[gpc].from, work[gpc].until);
      clocks_[gpc].advance(until);
    }
    for (std::size_t s = 0; s < sms_.size(); ++s) {
      behind_[s] = clocks_[gpc_of_[s]].behind();
      longer_[s] = clocks_[gpc_of_[s]].longer(gpc_way_);
      sms_[s]->lag(behind_[s]);
    }
  }
}

// Of what has been sent to the SM, what it needs to know before `until`: by how much its clock will be behind later is
// not known yet.
template <class SmModel>
void WindowEngine<SmModel>::deliver_due([[maybe_unused]] std::size_t sm, [[maybe_unused]] Cycle until) {
  if constexpr (std::is_same_v<SmModel, Sm>) {
    const auto deliver = [&](auto& sent, auto when) {
      if (sent.empty()) return;
      static thread_local std::remove_reference_t<decltype(sent)> due;  // keeps its memory
      due.clear();
      auto kept = sent.begin();
      for (auto& one : sent) {
        if (one.*when >= until) {
          *kept++ = one;
        } else {
          due.push_back(one);
          due.back().*when = std::max(one.*when - behind_[sm], reached_[sm]);
        }
      }
      sent.erase(kept, sent.end());
      if (!due.empty()) sms_[sm]->deliver(due);
    };
    static thread_local std::vector<MemoryReply> replies;
    replies.clear();
    const auto due = [&](const MemoryReply& reply) {
      replies.push_back({reply.fill, std::max(reply.ready - behind_[sm], reached_[sm])});
    };
    later_replies_[sm].take(until, due);
    for (const MemoryReply& reply : replies_[sm])
      if (reply.ready < until)
        due(reply);
      else
        later_replies_[sm].push_back(reply);
    replies_[sm].clear();
    if (!replies.empty()) sms_[sm]->deliver(replies);
    deliver(bulk_arrivals_[sm], &BulkArrival::when);
    deliver(messages_[sm], &ClusterMessage::when);
    reached_[sm] = until - behind_[sm];
  }
}

template <class SmModel>
double WindowEngine<SmModel>::clock_share() const {
  Cycle least = clocks_.empty() ? 0 : kNever;
  for (const GpcClock& clock : clocks_) least = std::min(least, clock.behind());
  return now_ == 0 ? 1 : 1 - static_cast<double>(least) / static_cast<double>(now_);
}

// The reply is among the last.
template <class SmModel>
void WindowEngine<SmModel>::later(std::size_t sm, std::uint32_t fill, Replies& replies) {
  const auto reply = std::find_if(replies[sm].rbegin(), replies[sm].rend(),
                                  [fill](const MemoryReply& one) { return one.fill == fill; });
  if (reply != replies[sm].rend()) reply->ready += memory_.shared_cycles();
}

template <class SmModel>
void WindowEngine<SmModel>::take_requests(Cycle until) {
  requests_.clear();
  said_.each([&](std::size_t s) { requests_.take(sms_[s]->outbox(), until, behind(s)); });
}

// What has been taken, all before `until`.
template <class SmModel>
void WindowEngine<SmModel>::serve_requests(Cycle until, Replies& replies) {
  memory_.begin_round();
  const auto serve = [&](const MemoryRequest& request) {
    release_replies(request.time + memory_.request_cycles(), replies);
    if (is_bulk(request.kind)) [[unlikely]] {
      serve_bulk(request, replies);
      return;
    }
    const Cycle ready = memory_.serve(request);
    if (memory_.coming())
      held_replies_.add(*memory_.coming(), request.fill, request.sm);
    else
      replies[request.sm].push_back({request.fill, arrives(request.sm, ready)});
    if (const auto shared = memory_.shared_reply()) later(shared->sm, shared->fill, replies);
    if (is_write(request.kind)) last_write_ = std::max(last_write_, ready - memory_.least_store_latency());
  };
  requests_.each(
      serve, [this](const MemoryRequest& request) { memory_.announce(request); },
      [this](const MemoryRequest& request) { memory_.announce_again(request); });
  if (until == kNever) return;
  // Whatever could be in an SM before the end of the window that these replies are delivered before.
  const Cycle known = until + window_ * (kAside ? 2 : 1) - memory_.least_response();
  release_replies(known, replies);
  take_in_bulk_lines(to_ticks(known));
}

template <class SmModel>
void WindowEngine<SmModel>::release_replies(Cycle until, Replies& replies) {
  held_replies_.take_in(memory_, until, [&](const HeldReplies::Held& one) {
    replies[one.sm].push_back({one.fill, arrives(one.sm, one.ready)});
  });
}

// A line of a bulk copy. Of a copy into shared memory: when the last line is there, so are its bytes.
template <class SmModel>
void WindowEngine<SmModel>::serve_bulk(const MemoryRequest& request, [[maybe_unused]] Replies& replies) {
  MemoryRequest plain = request;
  if (request.kind == RequestKind::bulk_prefetch) {
    memory_.prefetch(request);
    return;
  }
  if (request.kind != RequestKind::bulk_read) {
    plain.kind = request.kind == RequestKind::bulk_write           ? RequestKind::write
                 : request.kind == RequestKind::bulk_partial_write ? RequestKind::partial_write
                                                                   : RequestKind::reduction;
    last_write_ = std::max(last_write_, memory_.serve(plain) - memory_.least_store_latency());
    return;
  }
  plain.kind = RequestKind::read;
  if constexpr (std::is_same_v<SmModel, Sm>) {
    BulkCopies& copies = sms_[request.sm]->bulk_copies();
    BulkCopies::Copy& copy = copies[request.fill];
    std::array<std::uint16_t, BulkCopies::kMostCtas> sms{};
    std::array<std::size_t, BulkCopies::kMostCtas> ranks{};
    std::size_t targets = 0;
    for (std::uint32_t left = copy.ctas; left != 0; left &= left - 1) {
      ranks[targets] = static_cast<std::size_t>(std::countr_zero(left));
      const int sm = sm_of(copy.cta[ranks[targets]]);
      sms[targets++] = sm < 0 ? request.sm : static_cast<std::uint16_t>(sm);
    }
    const bool alone = targets == 1 && sms[0] == request.sm;
    if (alone) plain.fill = kNoFill;  // no reply is known by it
    const Tick when = memory_.bring_bulk(plain, alone);
    if (const auto shared = memory_.shared_reply()) later(shared->sm, shared->fill, replies);
    for (std::size_t i = 0; i < targets; ++i)
      bulk_lines_[sms[i]].add({when, request.fill, request.sm, static_cast<std::uint8_t>(ranks[i]), plain.sectors});
    copy.lines_out += static_cast<std::uint32_t>(targets) - 1;
  } else {
    memory_.bring_bulk(plain, false);
  }
}

// SMs take in what comes to them before `until`.
template <class SmModel>
void WindowEngine<SmModel>::take_in_bulk_lines([[maybe_unused]] Tick until) {
  if constexpr (std::is_same_v<SmModel, Sm>) {
    for (std::size_t s = 0; s < bulk_lines_.size(); ++s)
      bulk_lines_[s].take_in(until, [&](const BulkLine& line) {
        BulkCopies& copies = sms_[line.asker]->bulk_copies();
        BulkCopies::Copy& copy = copies[line.copy];
        copy.latest[line.rank] = std::max(copy.latest[line.rank], memory_.take_in_bulk(s, line.sectors, line.when));
        if (--copy.lines_out == 0) complete(copies, line.copy);
      });
  }
}

// All lines of a copy have been taken in: its bytes are there.
template <class SmModel>
void WindowEngine<SmModel>::complete(BulkCopies& copies, std::uint32_t index) {
  const BulkCopies::Copy& copy = copies[index];
  const bool one = std::has_single_bit(copy.ctas);
  for (std::uint32_t left = copy.ctas; left != 0; left &= left - 1) {
    const auto rank = static_cast<std::size_t>(std::countr_zero(left));
    // A copy to one CTA may complete on the mbarrier of another.
    const std::int64_t cta =
        kernel_.launch().cta_at(copy.cluster, one ? rank_of(copy.barrier) : static_cast<std::int64_t>(rank));
    const int sm = sm_of(cta);
    if (sm >= 0)
      bulk_arrivals_[static_cast<std::size_t>(sm)].push_back(
          {cta, offset_of(copy.barrier), copy.bytes, arrives(static_cast<std::size_t>(sm), copy.latest[rank])});
  }
  copies.end(index);
}

template <class SmModel>
Cycle WindowEngine<SmModel>::earliest_on_its_way() const {
  Cycle earliest = held_replies_.empty() ? kNever : held_replies_.earliest();
  for (const BulkLines& lines : bulk_lines_)
    if (!lines.empty()) earliest = std::min(earliest, to_cycles_up(lines.earliest()));
  return earliest;
}

// What the SMs of clusters have told each other in the last window.
template <class SmModel>
void WindowEngine<SmModel>::pass_messages() {
  if constexpr (std::is_same_v<SmModel, Sm>) {
    for (std::size_t s = 0; s < sms_.size(); ++s) {
      for (ClusterMessage message : sms_[s]->messages()) {
        message.when += behind(s);
        const int to = sm_of(message.cta);
        if (to >= 0) messages_[static_cast<std::size_t>(to)].push_back(message);
      }
      sms_[s]->messages().clear();
    }
    for (const auto& sm : sms_) {
      for (const ClusterArrival& arrival : sm->cluster_arrivals()) {
        if (!cluster_barriers_.add(arrival)) continue;
        for (std::int64_t rank = 0; rank < kernel_.launch().cluster.count(); ++rank) {
          const std::int64_t cta = kernel_.launch().cta_at(arrival.cluster, rank);
          const int to = sm_of(cta);
          if (to >= 0) sms_[static_cast<std::size_t>(to)]->release_cluster(cta, cluster_barriers_.release());
        }
      }
      sm->cluster_arrivals().clear();
    }
  }
}

// The end of a CTA lets its TPC begin whatever has room in its SMs, in turn: warps of others have exited meanwhile.
template <class SmModel>
void WindowEngine<SmModel>::fill(const FinishedCta& ended) {
  const auto has_room = [&](int sm) {
    const auto s = static_cast<std::size_t>(sm);
    return s < sms_.size() && dispatch_.remaining() > 0 && sms_[s]->has_room(ended.left);
  };
  const int partner = ended.sm ^ 1;
  static_assert(kSmsPerTpc == 2);
  for (bool given = true; given;) {
    given = false;
    for (const int sm : {ended.sm, partner})
      if (has_room(sm)) give(dispatch_.replace(sm, occupancy_.warps_per_cta)), given = true;
  }
}

// What a CTA has stored may leave later than its SM has thought: slices are busy. By its end all of that was served.
template <class SmModel>
void WindowEngine<SmModel>::wait_for_stores([[maybe_unused]] FinishedCta& cta) {
  if constexpr (std::is_same_v<SmModel, Sm>) {
    if (cta.stored == 0) return;
    const auto sm = static_cast<std::size_t>(cta.sm);
    const Cycle left = memory_.stored(sm, cta.stored);
    cta.stored = 0;
    if (left <= cta.end) return;
    sms_[sm]->stays(cta.end - behind(sm), left - behind(sm));
    cta.end = left;
  }
}

// Of the CTAs whose warps have exited, those that have left their SM before `until`.
template <class SmModel>
void WindowEngine<SmModel>::replace_ended_ctas(Cycle until) {
  const std::size_t first = timeline_.size();
  said_.each([&](std::size_t s) {
    for (FinishedCta cta : sms_[s]->finished()) {
      cta.left = cta.end;
      cta.end += behind(s);
      if (cta.stored > 0) cta.stored += behind(s);
      if (const auto start = starts_.find(cta.cta); start != starts_.end()) {
        cta.start = start->second;
        starts_.erase(start);
      }
      leaving_.push_back(cta);
    }
    sms_[s]->finished().clear();
  });
  std::erase_if(leaving_, [&](FinishedCta& cta) {
    if (cta.end <= until) wait_for_stores(cta);
    if (cta.end <= until) timeline_.push_back(cta);
    return cta.end <= until;
  });
  std::sort(timeline_.begin() + static_cast<std::ptrdiff_t>(first), timeline_.end(),
            [](const FinishedCta& a, const FinishedCta& b) { return a.end != b.end ? a.end < b.end : a.cta < b.cta; });
  for (std::size_t i = first; i < timeline_.size(); ++i) {
    const FinishedCta ended = timeline_[i];
    ++ended_;
    dispatch_.note_end(ended.end);
    if (follows_ctas_) sm_of_[static_cast<std::size_t>(ended.cta)] = -1;
    if (dispatch_.remaining() == 0) continue;
    if (kernel_.launch().clustered())
      for (const CtaDispatch::Placement& p : dispatch_.replace_cluster(ended.sm)) give(p);
    else
      fill(ended);
  }
}

template <class SmModel>
void WindowEngine<SmModel>::attribute() {
  attributions_.assign(static_cast<std::size_t>(workers_->threads()), Attribution(kernel_.code()));
  for (std::size_t s = 0; s < sms_.size(); ++s) sms_[s]->tell(attributions_[s % attributions_.size()]);
}

template <class SmModel>
void WindowEngine<SmModel>::tell([[maybe_unused]] IssueListener& listener) {
  if constexpr (!std::is_same_v<SmModel, CountingSm>)
    for (auto& sm : sms_) sm->tell(listener);
}

template <class SmModel>
void WindowEngine<SmModel>::keep([[maybe_unused]] LaunchHistory& history) {
  if constexpr (!std::is_same_v<SmModel, CountingSm>) {
    history.begin(sms_.size());
    for (std::size_t s = 0; s < sms_.size(); ++s) sms_[s]->tell(history.sm(s));
    history_ = &history;
  }
}

template <class SmModel>
void WindowEngine<SmModel>::note_history() {
  history_->note(now_, {memory_.counters(), memory_.slice_sectors(), memory_.channel_bytes()});
}

template <class SmModel>
std::vector<InstructionCounters> WindowEngine<SmModel>::instruction_counters() const {
  if (attributions_.empty()) return {};
  Attribution total(kernel_.code());
  for (const Attribution& one : attributions_) total += one;
  if constexpr (std::is_same_v<SmModel, CountingSm>) {
    std::uint64_t barrier_wavefronts = 0;
    for (const auto& sm : sms_) {
      sm->add_segments_to(total);
      barrier_wavefronts += sm->barrier_wavefronts();
    }
    total.charge_barriers(barrier_wavefronts);
  }
  return total.instructions();
}

template <class SmModel>
SmCounters WindowEngine<SmModel>::sm_counters() const {
  SmCounters total;
  for (const auto& sm : sms_) total += sm->counters();
  return total;
}

template class WindowEngine<Sm>;
template class WindowEngine<CountingSm>;

}  // namespace tilescope
