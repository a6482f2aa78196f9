#include "models/hbm.h"

#include <algorithm>
#include <functional>

#include "models/support/bit_mixer.h"

namespace tilescope {

namespace {

// `chance`, of all 64-bit numbers, as a time from 0 to `whole`.
Tick part_of(Tick whole, std::uint64_t chance) {
  return Tick(static_cast<std::int64_t>(scale_to(chance, static_cast<std::uint64_t>(whole.count()))));
}

}  // namespace

Hbm::Hbm(const GpuSpec& gpu, const AddressHash& hash, const CalendarFloor* floor, Owner* owner)
    : fetch_sectors_(gpu.hbm.fetch_bytes / kSectorBytes),
      row_lines_(static_cast<std::uint64_t>(gpu.hbm.row_bytes / kLineBytes)),
      bank_lines_(static_cast<std::uint64_t>(gpu.hbm.bank_bytes / kLineBytes)),
      stacks_(static_cast<std::uint64_t>(gpu.hbm.stacks)),
      channels_(static_cast<std::uint64_t>(gpu.hbm.channels)),
      pseudo_channels_(static_cast<std::uint64_t>(gpu.hbm.pseudo_channels)),
      banks_(static_cast<std::size_t>(gpu.hbm.banks_per_channel / gpu.hbm.pseudo_channels)),
      write_batch_(std::max<std::int64_t>(1, gpu.hbm.write_batch / gpu.hbm.pseudo_channels) * fetch_sectors_),
      hash_(hash),
      owner_(owner),
      parts_(channels_ * pseudo_channels_) {
  const double cycles_per_ns = gpu.clock.sm_mhz / 1000.0;
  const double bytes_per_ns = gpu.hbm.bandwidth_gbs / static_cast<double>(parts_.size());
  const auto parts = static_cast<double>(pseudo_channels_);  // each takes as much longer than the channel
  burst_ = to_ticks(static_cast<double>(kSectorBytes) / bytes_per_ns * cycles_per_ns);
  latency_ = to_ticks(gpu.hbm.latency_ns * cycles_per_ns);
  row_cycle_ = to_ticks(gpu.hbm.row_cycle_ns * cycles_per_ns);
  activate_ = to_ticks(gpu.hbm.activate_ns * parts * cycles_per_ns);
  burst_gap_ = to_ticks(gpu.hbm.burst_gap_ns * parts * cycles_per_ns);
  refresh_interval_ = to_ticks(gpu.hbm.refresh_interval_ns * cycles_per_ns);
  refresh_ = to_ticks(gpu.hbm.refresh_ns * cycles_per_ns);
  queue_ = gpu.hbm.read_queue / gpu.hbm.pseudo_channels * (kSectorsPerLine * burst_ + gap_before(kSectorsPerLine));
  write_to_read_ = to_ticks(std::min(gpu.hbm.write_to_read_ns, gpu.hbm.turnaround_ns) * cycles_per_ns);
  written_ = burst_ + gap_before(kSectorsPerLine) / kSectorsPerLine;
  read_to_write_ = to_ticks(gpu.hbm.turnaround_ns * cycles_per_ns) - write_to_read_;
  for (PseudoChannel& part : parts_) {
    part.bus = part.activations = Calendar(floor);
    part.banks.resize(banks_);
  }
}

Hbm::Where Hbm::where(LineAddress line) {
  const std::uint64_t part = hash_.pseudo_channel(line);
  const std::uint64_t place = line.number() / bank_lines_;
  // Neighbouring places are in other banks.
  return {parts_[part], part * stacks_ / parts_.size(), place, (place + mix_bits(place / banks_)) % banks_};
}

SectorMask Hbm::widen(SectorMask sectors) const {
  const auto per_fetch = static_cast<unsigned>(fetch_sectors_);
  const unsigned whole = (1U << per_fetch) - 1;
  SectorMask result;
  for (unsigned first = 0; first < kSectorsPerLine; first += per_fetch) {
    const SectorMask fetch(whole << first);
    if ((sectors & fetch).any()) result |= fetch;
  }
  return result;
}

Tick Hbm::open_row(const Where& at, LineAddress line, Tick now) {
  const std::uint64_t row = line.number() / row_lines_;
  Bank& bank = at.channel.banks[at.bank];
  if (bank.row == row || bank.row_before == row) {
    ++counters_.row_hits;
    return std::max(now, bank.row == row ? bank.active : bank.active_before);
  }
  ++counters_.row_misses;
  const auto activate = [&](Tick free) { return at.channel.activations.take(free, activate_) - activate_; };
  // The bank has not left this place yet.
  if (bank.place_before == at.place && now < bank.opened) return activate(std::max(now, bank.opened_before));
  if (bank.place != at.place) {
    const Tick free = bank.place == kNone ? now : std::max(now, bank.opened + row_cycle_);
    bank.place_before = bank.place;
    bank.opened_before = bank.opened;
    bank.place = at.place;
    bank.row = kNone;
    bank.opened = after_refresh(at, free);
  }
  bank.row_before = bank.row;
  bank.active_before = bank.active;
  bank.row = row;
  bank.active = activate(std::max(now, bank.opened));
  return bank.active;
}

Tick Hbm::after_refresh(const Where& at, Tick now) const {
  // Each place of each stack has its own turn; when within the interval differs from one to the next.
  const std::uint64_t turn = mix_bits(at.place * stacks_ + at.stack);
  const Tick phase = part_of(refresh_interval_, turn);
  const auto interval = static_cast<std::uint64_t>((now + phase) / refresh_interval_);
  const Tick begin = part_of(refresh_interval_ - refresh_, mix_bits(turn + interval));
  const Tick since = (now + phase) % refresh_interval_;
  return since >= begin && since < begin + refresh_ ? now + begin + refresh_ - since : now;
}

PortAnswer Hbm::lookup(LineAddress line, SectorMask sectors, Tick now) {
  const SectorMask fetched = widen(sectors);
  return {fetched, fetch(line, fetched, now) + latency_};
}

PortAnswer Hbm::lookup(LineAddress line, SectorMask sectors, Tick now, std::uint32_t ticket) {
  const SectorMask fetched = widen(sectors);
  const Where at = where(line);
  WaitingReads::Read read = turn_of(at, line, fetched, now);
  read.ticket = ticket;
  at.channel.waiting.exchange(
      read, std::max(now, read.turn - queue_), [this](std::uint32_t other) { return owner_->may_be_put_off(other); },
      [this](const WaitingReads::Read& other) { put_off(other); });
  return {fetched, moved(at, read) + latency_};
}

Tick Hbm::complete(LineAddress line, SectorMask sectors, Tick now) { return fetch(line, sectors, now); }

WaitingReads::Read Hbm::turn_of(const Where& at, LineAddress line, SectorMask sectors, Tick now) {
  const std::int64_t count = sectors.count();
  const auto bytes = static_cast<std::uint64_t>(sectors.bytes());
  PseudoChannel& channel = at.channel;
  take_whole(channel, now);
  counters_.read_bytes += bytes;
  channel.bytes += bytes;
  const Tick moves = count * burst_;
  const Tick open = open_row(at, line, now);
  const Tick moved = channel.bus.take(open, gap_before(count) + moves);
  channel.read_until = std::max(channel.read_until, moved);
  return {line, count, open, moved - moves, 0};
}

Tick Hbm::fetch(LineAddress line, SectorMask sectors, Tick now) {
  const Where at = where(line);
  return moved(at, turn_of(at, line, sectors, now));
}

Tick Hbm::accept(LineAddress line, SectorMask sectors, Tick now) {
  const Where at = where(line);
  count_written(at.channel, sectors);
  open_row(at, line, now);
  take_whole(at.channel, now);
  return wait_for_turn(at.channel, sectors.count(), now);
}

void Hbm::accept_when_whole(LineAddress line, SectorMask sectors, Tick whole, Tick now) {
  PseudoChannel& channel = where(line).channel;  // its row is open: what it lacked has just been read
  take_whole(channel, now);
  count_written(channel, sectors);
  channel.incomplete.push_back({whole, sectors.count()});
  std::ranges::push_heap(channel.incomplete, std::ranges::greater(), &Incomplete::whole);
}

void Hbm::count_written(PseudoChannel& channel, SectorMask sectors) {
  counters_.write_bytes += static_cast<std::uint64_t>(sectors.bytes());
  channel.bytes += static_cast<std::uint64_t>(sectors.bytes());
}

void Hbm::take_whole(PseudoChannel& channel, Tick now) const {
  while (!channel.incomplete.empty() && channel.incomplete.front().whole <= now) {
    const Incomplete next = channel.incomplete.front();
    std::ranges::pop_heap(channel.incomplete, std::ranges::greater(), &Incomplete::whole);
    channel.incomplete.pop_back();
    wait_for_turn(channel, next.count, next.whole);
  }
}

Tick Hbm::wait_for_turn(PseudoChannel& channel, std::int64_t count, Tick now) const {
  if (channel.room != 0 && now >= channel.turn_begins) take_turn(channel);
  channel.to_write += count;
  const bool full = channel.to_write >= channel.room + write_batch_;
  if (channel.room != 0 && !full) return now;
  const Tick done = channel.turn_ends;
  if (channel.room != 0) take_turn(channel);
  plan_turn(channel, now);
  return full ? std::max(now, done) : now;
}

void Hbm::take_turn(PseudoChannel& channel) const {
  channel.came_before = channel.to_write;
  channel.to_write -= std::min(channel.to_write, channel.room);
  channel.room = 0;
}

void Hbm::plan_turn(PseudoChannel& channel, Tick now) const {
  channel.room = std::min(std::max(channel.to_write, channel.came_before), write_batch_);
  channel.turn_begins = std::max({now, channel.read_until + read_to_write_, channel.turn_ends});
  channel.turn_ends = channel.turn_begins + channel.room * written_;
  const Tick from = std::max({now, channel.read_until, channel.kept_until});
  channel.kept_until = channel.turn_ends + write_to_read_;
  channel.bus.take(from, channel.kept_until - from);
}

std::vector<std::uint64_t> Hbm::channel_bytes() const {
  std::vector<std::uint64_t> bytes(channels_);
  for (std::size_t p = 0; p < parts_.size(); ++p) bytes[p / pseudo_channels_] += parts_[p].bytes;
  return bytes;
}

}  // namespace tilescope
