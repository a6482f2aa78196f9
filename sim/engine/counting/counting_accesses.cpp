// What the accesses of a step do to L1 and send to the chip, one line after the other.
#include "sim/engine/counting/counting_sm.h"

namespace tilescope {

void CountingSm::touch(Cta& cta, LineAddress line, const RunShape::Touch& touched) {
  if (is_load(touched.access))
    load_line(cta, line, touched.sectors, touched.access, touched.cached, touched.whole_line, touched.joins);
  else
    store_line(cta, line, touched.sectors, touched.whole, touched.words, touched.access);
}

void CountingSm::count_lines(Cta& cta, const Segment& segment, const SegmentTotals& totals) {
  for (const LineAccess& access : totals.lines) {
    const Instruction& instruction = segment.code[access.position];
    const MemoryOperand& operand = segment.operands[access.operand];
    if (attribution_ == nullptr) {
      count_access(cta, instruction, access, operand);
      continue;
    }
    const WorkCounters before = counters_;
    count_access(cta, instruction, access, operand);
    attribution_->charge(&instruction, before, counters_);
  }
}

void CountingSm::count_access(Cta& cta, const Instruction& instruction, const LineAccess& access,
                              const MemoryOperand& operand) {
  const std::optional<Footprint> shifted = costs_.shifted(instruction, &operand);
  const Footprint& footprint = shifted ? *shifted : costs_.footprint(operand);
  if (footprint.lines.empty()) {
    // Every lane predicated off: no request, but a turn at the data stage.
    const bool nothing = access.first && on_no_lane(instruction.op, &operand);
    if (nothing || memory_operands(instruction.op) == 2) ++counters_.data_wavefronts;
    return;
  }
  const LineAddress base_line = LineAddress::of(operand.base);
  AccessCounters& counters = counters_.of(access.access);
  const auto add = [&](std::int64_t requests, std::int64_t sectors, std::int64_t tag, std::int64_t wavefronts) {
    counters.requests += static_cast<std::uint64_t>(requests);
    counters.sectors += static_cast<std::uint64_t>(sectors);
    counters_.tag_cycles += static_cast<std::uint64_t>(tag);
    counters_.data_wavefronts += static_cast<std::uint64_t>(wavefronts);
  };
  if (is_atomic(access.access)) {
    const AtomicFootprint packets = costs_.atomic(instruction, operand);
    const AccessCost cost = costs_.of_atomic(instruction, access.access, operand, packets);
    add(cost.requests, cost.sectors, cost.tag_cycles, cost.wavefronts);
    send_packets(cta, instruction, access.access, packets, base_line);
    return;
  }
  const int words = is_local(access.access) ? instruction.detail : 1;
  add(words, words * footprint.sectors, words * costs_.tag_cycles(footprint, base_line),
      words * footprint.data_wavefronts);
  if (is_local(access.access) && words == 1 && memory_operands(instruction.op) == 3)
    count_shared_request(instruction, &operand - 2);
  const bool loads = is_load(access.access), cached = loads && instruction.cached != 0;
  for (int word = 0; word < words; ++word) {
    for (const LineSectors& touched : footprint.lines) {
      const LineAddress line = base_line + word + touched.line;
      const bool joins = cached && is_open(line, access.when);
      if (cached && !joins) open_lines_.push_back({line, access.when});
      if (!loads) {
        if (lines_.keeps(line)) store_line(cta, line, touched.sectors, touched.whole, touched.words, access.access);
      } else if (lines_.keeps(line)) {
        load_line(cta, line, touched.sectors, access.access, cached, instruction.whole_line(), joins);
      } else {
        pass_over(cta, 1);
      }
    }
  }
}

// Narrow lanes in global and in local memory share a request: each counter has the sectors of both.
void CountingSm::count_shared_request(const Instruction& instruction, const MemoryOperand* operands) {
  const AccessKind global = access_of(instruction.op, 0), local = access_of(instruction.op, 2);
  if (operands[0].pattern == 0 || is_atomic(global)) return;
  counters_.of(global).sectors += static_cast<std::uint64_t>(costs_.footprint(operands[2]).sectors);
  counters_.of(local).sectors += static_cast<std::uint64_t>(costs_.footprint(operands[0]).sectors);
}

void CountingSm::store_line(Cta& cta, LineAddress line, SectorMask sectors, SectorMask whole, std::uint32_t words,
                            AccessKind access) {
  if (is_local(access))
    counters_.of(access).hit_sectors += std::uint64_t{l1_.keep(line, sectors, cta.began).count()} << lines_.shift();
  counters_.partial_sectors += std::uint64_t{(sectors - whole).count()} << lines_.shift();
  ++cta.stores_out;
  send({.line = line,
        .fill = static_cast<std::uint32_t>(places_.size()) + cta.place + 1,
        .sectors = sectors,
        .kind = whole != sectors ? RequestKind::partial_write : RequestKind::write,
        .words = words},
       cta.began, gpu_.crossbar.store_cycles(sectors.count(), whole != sectors) << lines_.shift());
}

void CountingSm::send_packets(Cta& cta, const Instruction& instruction, AccessKind access,
                              const AtomicFootprint& packets, LineAddress base_line) {
  const bool returns = access == AccessKind::global_atomic;
  for (const AtomicPacket& packet : packets) {
    if (returns) counters_.fill_sectors += packet.sectors.count();
    const LineAddress line = base_line + packet.line;
    if (!lines_.keeps(line)) continue;
    send({.line = line,
          .fill = returns ? cta.place + 1 : 0,
          .sectors = packet.sectors,
          .kind = returns ? RequestKind::atomic : RequestKind::reduction,
          .atomic = instruction.atomic(),
          .word = packet.one_word ? packet.place : kManyWords,
          .whole = packet.whole()},
         cta.began, packet_cycles(packet, instruction.atomic(), returns) << lines_.shift());
    if (returns) ++cta.out;
  }
}

// Loads of lines that are not looked up. They are taken to miss as the last one that was.
void CountingSm::pass_over(Cta& cta, std::uint32_t loads) {
  if (last_missed_) egress_ = std::max(egress_, cta.began) + loads * line_cycles_;
}

// Has the warp's segment asked for other sectors of the line so lately that these can be asked for together?
bool CountingSm::is_open(LineAddress line, Cycle when) const {
  const auto later = [&](const OpenLine& open) { return when < open.asked + gpu_.lsu.miss_join_cycles; };
  for (auto open = open_lines_.rbegin(); open != open_lines_.rend() && later(*open); ++open)
    if (open->line == line) return true;
  return false;
}

// Adds sectors to what a step that began at `began` has asked for lately of a line; false if it has not.
bool CountingSm::join(LineAddress line, SectorMask sectors, bool whole_line, Cycle began) {
  constexpr std::size_t kLooksBack = 64;  // requests: more than a warp makes within the time
  for (std::size_t i = outbox_.size(); i > 0 && outbox_.size() - i < kLooksBack; --i) {
    MemoryRequest& request = outbox_[i - 1];
    if (request.time < began) return false;
    if (request.kind != RequestKind::read || request.line != line) continue;
    request.sectors |= sectors;
    request.whole_line |= whole_line;
    return true;
  }
  return false;
}

// `joins`: it can be asked for with sectors of the line for which the step has asked before.
void CountingSm::load_line(Cta& cta, LineAddress line, SectorMask sectors, AccessKind access, bool cached,
                           bool whole_line, bool joins) {
  const Cycle now = cta.began;
  cta.looked_up = true;
  L1Cache::Lookup found{};
  if (cached)
    found = l1_.load(line, sectors);
  else
    found.missing = sectors;
  counters_.of(access).hit_sectors += std::uint64_t{found.present.count()} << lines_.shift();
  last_missed_ = found.missing.any();
  last_latency_ = found.missing.any() ? miss_latency_ : std::max(hit_latency_, found.ready - now);
  cta.loaded = std::max(cta.loaded, now + (found.missing.any() ? 0 : last_latency_));
  if (found.missing.none()) return;
  counters_.fill_sectors += std::uint64_t{found.missing.count()} << lines_.shift();
  if (cached) {
    l1_.allocate(line, found.missing, 0);
    l1_.filled(line, 0, now + miss_latency_);  // about then
  }
  if (joins && join(line, found.missing, whole_line, now)) return;
  send({.line = line,
        .fill = cta.place + 1,
        .sectors = found.missing,
        .kind = RequestKind::read,
        .whole_line = whole_line},
       now, line_cycles_);
  ++cta.out;
}

// MemoryRequest::fill names the place of the CTA that waits, beyond places_.size() of one that writes; 0: none. Nothing
// passes over stores and atomics that are not looked at: `cycles` of the way out are of all that this one stands for.
void CountingSm::send(MemoryRequest request, Cycle now, Cycle cycles) {
  request.time = egress_ = std::max(egress_, now) + cycles;
  request.sm = static_cast<std::uint16_t>(id_);
  outbox_.push_back(request);
}

}  // namespace tilescope
