#include "sim/engine/counting/cta_run.h"

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

}  // namespace

bool CtaRun::plain(const SegmentTotals& totals) {
  return totals.instructions[static_cast<std::size_t>(OpClass::cache_control)] == 0 &&
         std::all_of(totals.lines.begin(), totals.lines.end(),
                     [](const LineAccess& line) { return !is_atomic(line.access) && !is_local(line.access); });
}

bool CtaRun::begin(const std::vector<Part>& parts, std::uint32_t steps, const AccessCosts& costs) {
  operands_.clear();
  std::uint32_t phases = 1;
  std::size_t touches = 0;
  for (const Part& part : parts) {
    for (const LineAccess& line : part.totals->lines) {
      const Instruction& instruction = part.segment->code[line.position];
      Operand operand;
      operand.at = part.segment->operands[line.operand];
      operand.advance = part.advance[line.operand];
      operand.access = line.access;
      operand.cached = instruction.cached != 0;
      const Footprint& footprint = costs.footprint(operand.at);
      operand.nothing = footprint.lines.empty();
      if (operand.nothing)
        operand.turn = (line.first && on_no_lane(instruction.op, part.segment->operands + line.operand)) ||
                       memory_operands(instruction.op) == 2;
      else
        phases = std::max(phases, period_of(operand.advance));
      touches += footprint.lines.size();
      operands_.push_back(operand);
    }
  }
  if (phases > kMostPhases || 2 * phases > steps || phases * touches > kMostTouches) return false;
  if (phases_.size() < phases) phases_.resize(phases);
  in_use_ = phases;
  for (Full& full : phases_) full.made = false;
  at_ = 0;
  left_ = steps;
  return true;
}

const CtaRun::Phase& CtaRun::next(const AccessCosts& costs, WorkCounters& counters) {
  Full& full = phases_[at_];
  if (!full.made) {
    make(full, at_, costs);
  } else {
    for (Track& track : full.phase.tracks) track.line += track.moves;
    for (Tagged& tagged : full.tagged) tagged.line += tagged.moves;
  }
  at_ = at_ + 1 == in_use_ ? 0 : at_ + 1;
  --left_;
  for (const Sum& sum : full.sums) {
    counters.of(sum.access).requests += sum.requests;
    counters.of(sum.access).sectors += sum.sectors;
  }
  counters.data_wavefronts += full.data_wavefronts;
  counters.tag_cycles += full.tag_cycles;
  for (const Tagged& tagged : full.tagged)
    counters.tag_cycles += tagged.times * static_cast<std::uint64_t>(
                                              costs.tag_cycles(*tagged.footprint, LineAddress::numbered(tagged.line)));
  return full.phase;
}

void CtaRun::make(Full& full, std::uint32_t index, const AccessCosts& costs) {
  full.made = true;
  full.tagged.clear();
  full.sums.clear();
  full.tag_cycles = full.data_wavefronts = 0;
  Phase& phase = full.phase;
  phase.touches.clear();
  phase.tracks.clear();
  phase.loads = 0;
  std::fill(places_.begin(), places_.end(), 0);
  for (const Operand& operand : operands_) {
    if (operand.nothing) {
      full.data_wavefronts += operand.turn ? 1 : 0;
      continue;
    }
    MemoryOperand at = operand.at;
    at.base += static_cast<std::uint64_t>(index * operand.advance);
    const Footprint& footprint = costs.footprint(at);
    const LineAddress base_line = LineAddress::of(at.base);
    // Of the phase's steps: whole lines.
    const auto moves = static_cast<std::uint64_t>(operand.advance * std::int64_t{in_use_} / kLineBytes);
    auto sum =
        std::find_if(full.sums.begin(), full.sums.end(), [&](const Sum& s) { return s.access == operand.access; });
    if (sum == full.sums.end()) sum = full.sums.insert(full.sums.end(), {operand.access, 0, 0});
    ++sum->requests;
    sum->sectors += static_cast<std::uint64_t>(footprint.sectors);
    full.data_wavefronts += static_cast<std::uint64_t>(footprint.data_wavefronts);
    if (footprint.lines.size() == 1)
      ++full.tag_cycles;
    else
      tag(full, footprint, base_line.number(), moves);
    for (const LineSectors& touched : footprint.lines) {
      const std::uint32_t track = track_of(full, (base_line + touched.line).number(), moves);
      phase.touches.push_back({track, phase.loads, touched.sectors, touched.whole, operand.access, operand.cached});
      ++phase.tracks[track].touches;
      if (is_load(operand.access)) ++phase.loads;
    }
  }
  std::uint32_t before = 0;
  for (Track& track : phase.tracks) before += std::exchange(track.touches, before);
  phase.of_tracks.resize(phase.touches.size());
  for (std::uint32_t i = 0; i < phase.touches.size(); ++i)
    phase.of_tracks[phase.tracks[phase.touches[i].track].touches++] = i;
  // Each now begins where the next one should.
  for (std::size_t t = phase.tracks.size(); t-- > 1;) phase.tracks[t].touches = phase.tracks[t - 1].touches;
  if (!phase.tracks.empty()) phase.tracks[0].touches = 0;
}

std::uint32_t CtaRun::track_of(Full& full, std::uint64_t line, std::uint64_t moves) {
  std::vector<Track>& tracks = full.phase.tracks;
  if (places_.size() < 2 * tracks.size() + 2) {
    places_.assign(std::max<std::size_t>(64, 4 * places_.size()), 0);
    for (std::uint32_t t = 0; t < tracks.size(); ++t) {
      std::size_t place = mix_bits(tracks[t].line) & (places_.size() - 1);
      while (places_[place] != 0) place = (place + 1) & (places_.size() - 1);
      places_[place] = t + 1;
    }
  }
  std::size_t place = mix_bits(line) & (places_.size() - 1);
  for (; places_[place] != 0; place = (place + 1) & (places_.size() - 1)) {
    const Track& known = tracks[places_[place] - 1];
    if (known.line == line && known.moves == moves) return places_[place] - 1;
  }
  tracks.push_back({line, moves, 0});
  places_[place] = static_cast<std::uint32_t>(tracks.size());
  return places_[place] - 1;
}

void CtaRun::tag(Full& full, const Footprint& footprint, std::uint64_t line, std::uint64_t moves) {
  // Accesses to the same lines mostly come from one warp, one after the other.
  constexpr std::size_t kLooksBack = 4;
  for (std::size_t i = full.tagged.size(); i > 0 && full.tagged.size() - i < kLooksBack; --i) {
    Tagged& known = full.tagged[i - 1];
    if (known.footprint == &footprint && known.line == line && known.moves == moves) {
      ++known.times;
      return;
    }
  }
  full.tagged.push_back({&footprint, line, moves, 1});
}

}  // namespace tilescope
