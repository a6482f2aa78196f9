#include "models/hbm.h"

#include <algorithm>

#include "models/support/bit_mixer.h"

namespace tilescope {

namespace {

// `chance`, of all 64-bit numbers, as a time from 0 to `whole`.
Tick part_of(Tick whole, std::uint64_t chance) {
  return Tick(static_cast<std::int64_t>(scale_to(chance, static_cast<std::uint64_t>(whole.count()))));
}

}  // namespace

Hbm::Hbm(const GpuSpec& gpu, const AddressHash& hash, const CalendarFloor* floor)
    : fetch_bytes_(gpu.hbm.fetch_bytes),
      row_lines_(static_cast<std::uint64_t>(gpu.hbm.row_bytes / kLineBytes)),
      bank_lines_(static_cast<std::uint64_t>(gpu.hbm.bank_bytes / kLineBytes)),
      stacks_(static_cast<std::uint64_t>(gpu.hbm.stacks)),
      write_batch_(gpu.hbm.write_batch),
      hash_(hash),
      channels_(static_cast<std::size_t>(gpu.hbm.channels)) {
  const double cycles_per_ns = gpu.clock.sm_mhz / 1000.0;
  const double bytes_per_ns = gpu.hbm.bandwidth_gbs / static_cast<double>(gpu.hbm.channels);
  burst_ = to_ticks(static_cast<double>(fetch_bytes_) / bytes_per_ns * cycles_per_ns);
  latency_ = to_ticks(gpu.hbm.latency_ns * cycles_per_ns);
  row_cycle_ = to_ticks(gpu.hbm.row_cycle_ns * cycles_per_ns);
  activate_ = to_ticks(gpu.hbm.activate_ns * cycles_per_ns);
  row_gap_ = to_ticks(gpu.hbm.row_gap_ns * cycles_per_ns);
  refresh_interval_ = to_ticks(gpu.hbm.refresh_interval_ns * cycles_per_ns);
  refresh_ = to_ticks(gpu.hbm.refresh_ns * cycles_per_ns);
  turnaround_ = to_ticks(gpu.hbm.turnaround_ns * cycles_per_ns);
  for (Channel& channel : channels_) {
    channel.bus = channel.activations = Calendar(floor);
    channel.banks.resize(static_cast<std::size_t>(gpu.hbm.banks_per_channel));
  }
}

SectorMask Hbm::widen(SectorMask sectors) const {
  const auto per_fetch = static_cast<unsigned>(fetch_bytes_ / kSectorBytes);
  const unsigned whole = (1U << per_fetch) - 1;
  SectorMask result;
  for (unsigned first = 0; first < kSectorsPerLine; first += per_fetch) {
    const SectorMask fetch(whole << first);
    if ((sectors & fetch).any()) result |= fetch;
  }
  return result;
}

std::int64_t Hbm::fetches(SectorMask sectors) const { return widen(sectors).bytes() / fetch_bytes_; }

Tick Hbm::open_row(Channel& channel, LineAddress line, Tick now, Tick& gap) {
  const std::uint64_t row = line.number() / row_lines_;
  Bank& bank = channel.banks[scale_to(mix_bits(row), channel.banks.size())];
  if (bank.row == row) {
    ++counters_.row_hits;
    gap = Tick();
    return std::max(now, bank.opened);
  }
  ++counters_.row_misses;
  gap = row_gap_;
  const Tick free = std::max(now, bank.row == kNoRow ? now : bank.opened + row_cycle_);
  bank.row = row;
  bank.opened = channel.activations.take(free, activate_) - activate_;
  return bank.opened;
}

Tick Hbm::after_refresh(const Channel& channel, LineAddress line, Tick now) const {
  const auto index = static_cast<std::uint64_t>(&channel - channels_.data());
  const std::uint64_t stack = index * stacks_ / channels_.size();
  // Each bank of each stack has its own turn; when within the interval differs from one to the next.
  const std::uint64_t turn = mix_bits(line.number() / bank_lines_ * stacks_ + stack);
  const Tick phase = part_of(refresh_interval_, turn);
  const auto interval = static_cast<std::uint64_t>((now + phase) / refresh_interval_);
  const Tick begin = part_of(refresh_interval_ - refresh_, mix_bits(turn + interval));
  const Tick since = (now + phase) % refresh_interval_;
  return since >= begin && since < begin + refresh_ ? now + begin + refresh_ - since : now;
}

PortAnswer Hbm::lookup(LineAddress line, SectorMask sectors, Tick now) {
  Channel& channel = channels_[hash_.channel(line)];
  const std::int64_t count = fetches(sectors);
  return {widen(sectors),
          fetch(channel, line, count, static_cast<std::uint64_t>(count * fetch_bytes_), now) + latency_};
}

Tick Hbm::complete(LineAddress line, SectorMask sectors, Tick now) {
  Channel& channel = channels_[hash_.channel(line)];
  return fetch(channel, line, fetches(sectors), static_cast<std::uint64_t>(sectors.bytes()), now);
}

Tick Hbm::fetch(Channel& channel, LineAddress line, std::int64_t count, std::uint64_t bytes, Tick now) {
  counters_.read_bytes += bytes;
  channel.bytes += bytes;
  Tick gap;
  const Tick row = open_row(channel, line, now, gap);
  channel.read_since = true;
  const Tick moved = channel.bus.take(now, gap + count * burst_) - count * burst_;
  return after_refresh(channel, line, std::max(row, moved)) + count * burst_;
}

Tick Hbm::accept(LineAddress line, SectorMask sectors, Tick now) {
  Channel& channel = channels_[hash_.channel(line)];
  const std::int64_t count = fetches(sectors);
  counters_.write_bytes += static_cast<std::uint64_t>(sectors.bytes());
  channel.bytes += static_cast<std::uint64_t>(sectors.bytes());
  Tick gap;
  open_row(channel, line, now, gap);
  channel.collected += count;
  channel.gaps += gap;
  if (channel.collected < write_batch_) return now;
  const Tick drained =
      channel.bus.take(now, channel.collected * burst_ + channel.gaps + (channel.read_since ? turnaround_ : Tick{}));
  channel.collected = 0;
  channel.gaps = Tick();
  channel.read_since = false;
  return drained;
}

std::vector<std::uint64_t> Hbm::channel_bytes() const {
  std::vector<std::uint64_t> bytes;
  bytes.reserve(channels_.size());
  for (const Channel& channel : channels_) bytes.push_back(channel.bytes);
  return bytes;
}

}  // namespace tilescope
