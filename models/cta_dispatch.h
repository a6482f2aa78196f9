// Which CTA goes where, and when. To the dispatcher a few TPCs belong to no GPC (launch.first_sms): CTAs go there
// first, then one to each SM of GPC 1, 2 and so on, of GPC 0 last, then a second to each; the first TPCs come again as
// often, whenever three quarters of a round have gone by. What does not fill a round goes to the first TPCs, both SMs
// of each, and the rest is dealt out to the GPCs evenly, from GPC 0 on: a TPC of each in turn, and the second SMs of
// TPCs only when every TPC has a CTA. After that the end of a CTA lets its TPC begin as many as have room in its SMs
// (cta_turn.cu). The CPCs of a GPC begin one after the other (cta_start.cu), and a TPC starts a CTA every few cycles;
// the dispatcher takes note of one end after the other, which is what a launch waits for whose CTAs end together.
// Launches that reach GPCs, beyond the first TPCs, take longer to be over. Source: which SM runs which CTA of 64
// launches (gpu/microbench/cta_placement.cu, gpu/measured/{h200,h100}/cta_placement.csv), when they start
// (cta_launch.cu) and how long launches take whose CTAs only wait (counted_empty.cu) or read (counted_span.cu), on an
// H200 and an H100 alike. On hardware launches begin with another GPC now and then; here always with GPC 1.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <vector>

#include "models/gpu_spec.h"
#include "models/isa/kernel.h"
#include "models/support/bit_mixer.h"
#include "models/support/units.h"

namespace tilescope {

class CtaDispatch {
 public:
  struct Placement {
    std::int64_t cta = 0;
    int sm = 0;
    Cycle start = 0;
  };

  // `cpcs`: of a GPC, to which its TPCs belong in turn.
  CtaDispatch(const LaunchSpec& spec, std::int64_t ctas, std::int64_t cpcs = 1)
      : spec_(spec), cpcs_(cpcs), ctas_(ctas) {}

  std::int64_t remaining() const { return ctas_ - next_; }

  // A launch that is looked at from a later wave on: `cta` is the first, and those of the first wave begin at any time
  // up to `spread` after they would. Call before first_wave(). REQUIRES: a whole wave of CTAs remains.
  void begin_later(std::int64_t cta, Cycle spread) {
    next_ = cta;
    spread_ = spread;
  }

  // The first wave, for empty SMs with `slots` places each; gpcs: SMs of each GPC, numbered one GPC after the other.
  std::vector<Placement> first_wave(const std::vector<std::int64_t>& gpcs, int slots) {
    const Floor floor(gpcs, spec_.first_sms);
    free_tpcs_.assign(static_cast<std::size_t>((floor.sms() + kSmsPerTpc - 1) / kSmsPerTpc), 0);
    free_sms_.assign(static_cast<std::size_t>(floor.sms()), 0);
    std::vector<int> sms;
    const std::int64_t rounds = std::min<std::int64_t>(slots, ctas_ / floor.sms());
    std::int64_t begun = 0;  // rounds of the first TPCs
    for (std::int64_t round = 0; round < rounds; ++round)
      for (const std::size_t gpc : floor.turns) {
        if (begun < rounds && static_cast<std::int64_t>(sms.size()) >= turn_of_first(begun, floor.sms())) {
          append(sms, floor.first, floor.first.count);
          ++begun;
        }
        append(sms, floor.gpcs[gpc], floor.gpcs[gpc].count);
      }
    for (; begun < rounds; ++begun) append(sms, floor.first, floor.first.count);
    if (rounds < slots) share_out(floor, ctas_ - static_cast<std::int64_t>(sms.size()), sms);

    std::vector<Placement> placements;
    placements.reserve(sms.size());
    for (const int sm : sms) placements.push_back({next_++, sm, 0});
    start_in_turn(gpcs, placements);
    return placements;
  }

  // The same of a launch in clusters. A cluster's CTAs go to SMs of one GPC, or of one of the first TPCs; the GPCs take
  // a cluster each in turn.
  std::vector<Placement> first_clusters(const std::vector<std::int64_t>& gpcs, int slots, const Launch& launch) {
    launch_ = launch;
    const Floor floor(gpcs, spec_.first_sms);
    const std::int64_t size = launch.cluster.count();
    const auto pairs = static_cast<std::size_t>(floor.first.count / kSmsPerTpc);  // the first TPCs
    group_of_.assign(static_cast<std::size_t>(floor.sms()), 0);
    free_.assign(group_of_.size(), slots);
    const auto join = [&](Sms sms, std::size_t group) {
      std::fill_n(group_of_.begin() + sms.begin, sms.count, static_cast<int>(group));
    };
    for (std::size_t g = 0; g < floor.gpcs.size(); ++g) join(floor.gpcs[g], pairs + g);
    for (std::size_t p = 0; p < pairs; ++p)
      join({floor.first.begin + static_cast<std::int64_t>(p) * kSmsPerTpc, kSmsPerTpc}, p);
    std::vector<std::size_t> turns(pairs);
    std::iota(turns.begin(), turns.end(), std::size_t{0});
    for (const std::size_t gpc : floor.turns) turns.push_back(pairs + gpc);

    std::vector<Placement> placements;
    for (int level = slots; level >= 1; --level) {
      std::vector<std::int64_t> room(turns.size(), 0);  // clusters of SMs that this level fills
      for (std::size_t sm = 0; sm < free_.size(); ++sm)
        if (free_[sm] >= level) ++room[static_cast<std::size_t>(group_of_[sm])];
      for (std::int64_t& sms : room) sms /= size;
      std::vector<std::int64_t> share = dealt(room, pairs, remaining() / size);
      for (bool placed = true; placed;) {
        placed = false;
        for (const std::size_t group : turns)
          if (share[group] > 0 && place(static_cast<int>(group), placements)) --share[group], placed = true;
      }
    }
    for (const std::size_t group : turns)  // SMs that were too few at each level
      while (next_ < ctas_ && place(static_cast<int>(group), placements)) continue;
    start_in_turn(gpcs, placements);
    return placements;
  }

  // A CTA left its SM at `end`. Returns when its place is known to be free and its end to be the launch's, if it is.
  // REQUIRES: `end` does not decrease.
  Cycle note_end(Cycle end) {
    last_end_ = std::max(last_end_, end);
    noted_ = std::max(static_cast<double>(end), noted_ + spec_.cta_interval_cycles);
    return std::llround(noted_);
  }

  // When the launch is over as far as its CTAs are concerned: the last end of those that were noted is, and has come
  // from its GPC.
  Cycle launch_end() const {
    const bool in_gpcs = ctas_ > std::max<std::int64_t>(1, spec_.first_sms);
    return std::max<Cycle>(std::llround(noted_), last_end_ + (in_gpcs ? spec_.gpc_end_cycles : 0));
  }

  // The next CTA, of `warps`, for an SM that has room since the end that was noted last. An SM begins a CTA when it has
  // begun the one before, a warp after the other; a TPC takes half as long for a warp as each of its two SMs.
  // REQUIRES: remaining() > 0.
  Placement replace(int sm, std::int64_t warps) {
    double& tpc = free_tpcs_[static_cast<std::size_t>(sm / kSmsPerTpc)];
    double& own = free_sms_[static_cast<std::size_t>(sm)];
    const double start = std::max({tpc, own, noted_ + static_cast<double>(spec_.cta_launch_cycles)});
    const double begins = static_cast<double>(warps) * spec_.warp_interval_cycles;
    tpc = start + spec_.tpc_interval_cycles + begins / kSmsPerTpc;
    own = start + begins;
    return {next_++, sm, std::llround(start)};
  }

  // The same of a launch in clusters: what takes its place once the SMs of its GPC have room for a cluster.
  std::vector<Placement> replace_cluster(int sm) {
    std::vector<Placement> placements;
    ++free_[static_cast<std::size_t>(sm)];
    while (next_ < ctas_ && place(group_of_[static_cast<std::size_t>(sm)], placements)) continue;
    for (Placement& p : placements) p.start = std::llround(noted_) + spec_.cta_launch_cycles;
    return placements;
  }

 private:
  struct Sms {
    std::int64_t begin = 0;
    std::int64_t count = 0;
  };
  // The GPU as the dispatcher sees it. The first TPCs have the last numbers of GPC 0.
  struct Floor {
    Floor(const std::vector<std::int64_t>& sms, std::int64_t first_sms) {
      for (const std::int64_t count : sms) gpcs.push_back({this->sms(), count}), all += count;
      for (std::size_t gpc = 0; gpc < gpcs.size(); ++gpc) turns.push_back(gpc);
      if (gpcs.size() == 1 || first_sms == 0) return;
      const std::int64_t count = std::min(first_sms, gpcs.front().count);
      gpcs.front().count -= count;
      first = {gpcs.front().count, count};
      std::rotate(turns.begin(), turns.begin() + 1, turns.end());
    }
    std::int64_t sms() const { return all; }

    Sms first;
    std::vector<Sms> gpcs;           // without the first TPCs
    std::vector<std::size_t> turns;  // GPCs in the order in which their SMs get CTAs
    std::int64_t all = 0;
  };

  // Before which CTA the first TPCs get their next one, in launches of many rounds: T in 76 < T <= 84 for the second
  // round, in (172, 188], (272, 288], (378, 396], (476, 492], (576, 592] and (676, 692] for those after it, of 132 SMs.
  static std::int64_t turn_of_first(std::int64_t round, std::int64_t sms) {
    constexpr double kSecond = 0.6, kFurther = 0.76;  // of a round
    return round == 0 ? 0
                      : std::llround((kSecond + kFurther * static_cast<double>(round - 1)) * static_cast<double>(sms));
  }

  // The first CTAs: the CPCs of a GPC begin one after the other, the GPCs at once; the two SMs of a TPC start theirs in
  // turn. The first of all starts at 0.
  void start_in_turn(const std::vector<std::int64_t>& gpcs, std::vector<Placement>& placements) const {
    std::vector<double> next;  // by TPC
    for (const std::int64_t sms : gpcs)
      for (std::int64_t tpc = 0; tpc * kSmsPerTpc < sms; ++tpc)
        next.push_back(static_cast<double>(tpc % cpcs_) * spec_.cpc_interval_cycles);
    for (Placement& p : placements) {
      double& start = next[static_cast<std::size_t>(p.sm / kSmsPerTpc)];
      p.start = std::llround(start);
      start += spec_.tpc_interval_cycles;
    }
    if (placements.empty()) return;
    const auto earlier = [](const Placement& a, const Placement& b) { return a.start < b.start; };
    const Cycle first = std::min_element(placements.begin(), placements.end(), earlier)->start;
    for (Placement& p : placements) {
      const auto later = scale_to(mix_bits(static_cast<std::uint64_t>(p.cta)), static_cast<std::uint64_t>(spread_) + 1);
      p.start += static_cast<Cycle>(later) - first;
    }
  }

  static void append(std::vector<int>& sms, Sms some, std::int64_t count) {
    for (std::int64_t i = 0; i < count; ++i) sms.push_back(static_cast<int>(some.begin + i));
  }

  // The SMs that `ctas` CTAs go to, fewer than there are SMs, in the order of the CTAs.
  static void share_out(const Floor& floor, std::int64_t ctas, std::vector<int>& sms) {
    append(sms, floor.first, std::min(ctas, floor.first.count));
    ctas -= std::min(ctas, floor.first.count);
    std::vector<std::int64_t> share(floor.gpcs.size(), 0);
    for (std::int64_t sms_of_tpc = 1; sms_of_tpc <= kSmsPerTpc; ++sms_of_tpc)
      for (bool given = true; given;) {
        given = false;
        for (std::size_t g = 0; g < share.size() && ctas > 0; ++g)
          if (share[g] < (floor.gpcs[g].count * sms_of_tpc + kSmsPerTpc - 1) / kSmsPerTpc)
            ++share[g], --ctas, given = true;
      }
    for (const std::size_t g : floor.turns) {
      // Whole TPCs first: as many as leave one CTA for each of the others.
      const Sms gpc = floor.gpcs[g];
      const std::int64_t pairs = std::max<std::int64_t>(0, share[g] - (gpc.count + 1) / kSmsPerTpc);
      for (std::int64_t i = 0; i < share[g]; ++i)
        sms.push_back(static_cast<int>(gpc.begin + (i < kSmsPerTpc * pairs ? i : kSmsPerTpc * (i - pairs))));
    }
  }

  // How many of `clusters` go to each group with this much room: one to each of the first TPCs, then the GPCs in turn.
  static std::vector<std::int64_t> dealt(const std::vector<std::int64_t>& room, std::size_t first_tpcs,
                                         std::int64_t clusters) {
    std::vector<std::int64_t> share(room.size(), 0);
    for (bool given = true; given;) {
      given = false;
      for (std::size_t g = share[0] == room[0] ? first_tpcs : 0; g < room.size() && clusters > 0; ++g)
        if (share[g] < room[g]) ++share[g], --clusters, given = true;
    }
    return share;
  }

  // A cluster onto the SMs of a group that have most places left.
  bool place(int group, std::vector<Placement>& placements) {
    const std::int64_t size = launch_.cluster.count();
    std::int64_t places = 0;
    for (std::size_t sm = 0; sm < free_.size(); ++sm)
      if (group_of_[sm] == group) places += free_[sm];
    if (places < size) return false;
    const std::int64_t cluster = next_ / size;
    for (std::int64_t rank = 0; rank < size; ++rank) {
      std::size_t most = free_.size();
      for (std::size_t sm = 0; sm < free_.size(); ++sm)
        if (group_of_[sm] == group && (most == free_.size() || free_[sm] > free_[most])) most = sm;
      --free_[most];
      placements.push_back({launch_.cta_at(cluster, rank), static_cast<int>(most), 0});
      ++next_;
    }
    return true;
  }

  LaunchSpec spec_;
  std::int64_t cpcs_;
  Launch launch_;              // in clusters
  std::vector<int> group_of_;  // by SM: one of the first TPCs or a GPC, whose SMs a cluster may have
  std::vector<int> free_;      // places, by SM
  std::int64_t ctas_;
  std::int64_t next_ = 0;
  Cycle spread_ = 0;
  std::vector<double> free_tpcs_, free_sms_;  // when each can begin another CTA
  Cycle last_end_ = 0;
  double noted_ = 0;  // when the last end was taken note of
};

}  // namespace tilescope
