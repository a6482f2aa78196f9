#include "sim/engine/counting/run_shape.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "models/support/bit_mixer.h"

namespace tilescope {
namespace {

constexpr auto kLine = static_cast<std::uint64_t>(kLineBytes);

// Steps until an address that moves by so much lies at the same place of a line again.
std::uint32_t period_of(std::int64_t advance) {
  const std::uint64_t within = static_cast<std::uint64_t>(advance) % kLine;
  return within == 0 ? 1U : static_cast<std::uint32_t>(kLine >> static_cast<unsigned>(std::countr_zero(within)));
}

std::uint64_t hash_of(const RunAccesses& accesses) {
  std::uint64_t hash = accesses.all.size();
  const auto add = [&hash](std::uint64_t value) { hash = (hash ^ value) * 0x9E3779B97F4A7C15ULL; };
  for (const RunAccess& one : accesses.all) add(one.pattern + (one.beyond << 24U));
  for (const RunAccesses::Group& group : accesses.groups)
    add(static_cast<std::uint64_t>(group.advance) ^ group.in_line);
  return mix_bits(hash);
}

bool same_lines(const Footprint& a, const Footprint& b) {
  return std::equal(a.lines.begin(), a.lines.end(), b.lines.begin(), b.lines.end(),
                    [](const LineSectors& x, const LineSectors& y) { return x.line == y.line; });
}

class PhaseBuilder {
 public:
  PhaseBuilder(RunShape::Phase& phase, std::size_t groups, Cycle open) : phase_(phase), open_(open), places_(64) {
    phase_.groups.resize(groups);
  }

  void add(const RunAccess& access, const Footprint& footprint, std::uint64_t base_line) {
    auto sum = std::find_if(phase_.sums.begin(), phase_.sums.end(),
                            [&](const RunShape::Sum& s) { return s.access == access.access; });
    if (sum == phase_.sums.end()) sum = phase_.sums.insert(sum, {access.access, 0, 0});
    ++sum->requests;
    sum->sectors += static_cast<std::uint64_t>(footprint.sectors);
    phase_.data_wavefronts += static_cast<std::uint64_t>(footprint.data_wavefronts);
    if (footprint.lines.size() == 1)
      ++phase_.tag_cycles;
    else
      tag(access, footprint, base_line);
    // Only a warp's own accesses are known to come so soon; each comes later than the one before.
    if (access.when <= last_when_) std::fill(open_until_.begin(), open_until_.end(), 0);
    last_when_ = access.when;
    for (const LineSectors& touched : footprint.lines) {
      const std::uint32_t track = track_of(access.group, base_line + static_cast<std::uint64_t>(touched.line));
      const bool asks = is_load(access.access) && access.cached;
      open_until_.resize(phase_.tracks.size(), 0);
      const bool joins = asks && access.when < open_until_[track];
      if (asks && !joins) open_until_[track] = access.when + open_;
      phase_.touches.push_back({track, phase_.loads, touched.sectors, touched.whole, touched.words, access.access,
                                access.cached, access.whole_line, joins});
      ++phase_.tracks[track].touches;
      if (is_load(access.access)) ++phase_.loads;
    }
  }

  void finish() {
    std::vector<std::uint32_t> next;
    std::uint32_t before = 0;
    for (RunShape::Track& track : phase_.tracks) {
      phase_.groups[track.group].tracks.push_back(static_cast<std::uint32_t>(next.size()));
      next.push_back(before);
      before += std::exchange(track.touches, before);
    }
    phase_.of_tracks.resize(phase_.touches.size());
    for (std::uint32_t i = 0; i < phase_.touches.size(); ++i) phase_.of_tracks[next[phase_.touches[i].track]++] = i;
  }

 private:
  std::size_t place_of(std::uint32_t group, std::uint64_t line) const {
    std::size_t place = mix_bits(line + group) & (places_.size() - 1);
    for (; places_[place] != 0; place = (place + 1) & (places_.size() - 1)) {
      const RunShape::Track& known = phase_.tracks[places_[place] - 1];
      if (known.beyond == line && known.group == group) break;
    }
    return place;
  }

  std::uint32_t track_of(std::uint32_t group, std::uint64_t line) {
    if (places_.size() < 2 * phase_.tracks.size() + 2) {
      places_.assign(2 * places_.size(), 0);
      for (std::uint32_t t = 0; t < phase_.tracks.size(); ++t)
        places_[place_of(phase_.tracks[t].group, phase_.tracks[t].beyond)] = t + 1;
    }
    std::uint32_t& place = places_[place_of(group, line)];
    if (place == 0) {
      phase_.tracks.push_back({group, 0, line});
      place = static_cast<std::uint32_t>(phase_.tracks.size());
    }
    return place - 1;
  }

  // Accesses to the same lines mostly come from one warp, one soon after the other.
  void tag(const RunAccess& access, const Footprint& footprint, std::uint64_t line) {
    constexpr std::size_t kLooksBack = 4;
    std::vector<RunShape::Tagged>& tagged = phase_.groups[access.group].tagged;
    for (std::size_t i = tagged.size(); i > 0 && tagged.size() - i < kLooksBack; --i) {
      RunShape::Tagged& known = tagged[i - 1];
      if (known.beyond != line || !same_lines(*known.footprint, footprint)) continue;
      ++known.times;
      return;
    }
    tagged.push_back({&footprint, line, 1});
  }

  RunShape::Phase& phase_;
  Cycle open_;
  Cycle last_when_ = 0;
  std::vector<Cycle> open_until_;      // of the warp's last load of each track that joins none
  std::vector<std::uint32_t> places_;  // hash table of tracks: index + 1
};

}  // namespace

RunShape::RunShape(RunAccesses accesses, std::uint32_t phases, const AccessCosts& costs, Cycle open)
    : accesses_(std::move(accesses)), phases_(phases) {
  for (std::uint32_t index = 0; index < phases; ++index) {
    PhaseBuilder builder(phases_[index], accesses_.groups.size(), open);
    for (const RunAccess& access : accesses_.all) {
      if (access.pattern == 0) {
        phases_[index].data_wavefronts += access.turn ? 1 : 0;
        continue;
      }
      const RunAccesses::Group& group = accesses_.groups[access.group];
      // From the line that holds the group's first base in this phase.
      const std::uint64_t first = (group.in_line + static_cast<std::uint64_t>(index * group.advance)) % kLine;
      const std::uint64_t from = first + access.beyond;
      const std::uint64_t in_line = from % kLine;
      const auto lines = static_cast<std::int64_t>(from - in_line) / kLineBytes;
      builder.add(access, costs.footprint({in_line, access.pattern}), static_cast<std::uint64_t>(lines));
    }
    builder.finish();
  }
  compare_with_phase_before();
}

void RunShape::compare_with_phase_before() {
  for (std::size_t p = 0; p < phases_.size(); ++p) {
    Phase& phase = phases_[p];
    const Phase& before = phases_[p == 0 ? phases_.size() - 1 : p - 1];
    for (std::size_t g = 0; g < phase.groups.size(); ++g) {
      Group& group = phase.groups[g];
      const Group& earlier = before.groups[g];
      group.tracks_as_before = std::equal(
          group.tracks.begin(), group.tracks.end(), earlier.tracks.begin(), earlier.tracks.end(),
          [&](std::uint32_t a, std::uint32_t b) { return phase.tracks[a].beyond == before.tracks[b].beyond; });
      group.tags_as_before =
          std::equal(group.tagged.begin(), group.tagged.end(), earlier.tagged.begin(), earlier.tagged.end(),
                     [](const Tagged& a, const Tagged& b) {
                       return a.beyond == b.beyond && a.times == b.times && same_lines(*a.footprint, *b.footprint);
                     });
    }
  }
}

const RunShape* RunShapes::shape_of(const RunAccesses& accesses, std::uint32_t steps, const AccessCosts& costs) {
  std::uint32_t phases = 1;
  for (const RunAccesses::Group& group : accesses.groups) phases = std::max(phases, period_of(group.advance));
  if (phases > kMostPhases || 2 * phases > steps || phases * accesses.all.size() > kMostTouches) return nullptr;
  const std::uint64_t hash = hash_of(accesses);
  const std::scoped_lock lock(mutex_);
  const auto [first, last] = known_.equal_range(hash);
  for (auto known = first; known != last; ++known)
    if (known->second->accesses() == accesses) return known->second.get();
  if (known_.size() >= kMostShapes) return nullptr;
  std::size_t touches = 0;
  for (const RunAccess& access : accesses.all)
    if (access.pattern != 0) touches += costs.footprint({0, access.pattern}).lines.size();
  if (phases * touches > kMostTouches) return nullptr;
  return known_.emplace(hash, std::make_unique<const RunShape>(accesses, phases, costs, open_))->second.get();
}

}  // namespace tilescope
