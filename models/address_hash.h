// Where an address lives: its home partition, its slice there, its HBM channel.
//
// The hardware spreads lines by undisclosed hashes. The home partition is the parity of a few address bits where they
// are known. A KiB lies in two pseudo channels, which its pieces, of as many bytes as one activation serves, take by
// turns; of as many KiBs in a row as there are pseudo channels each begins in another one, in an order that differs
// from one such row to the next and on hardware is not known. Source: of 1, 3 and 13 MB in a row the channel that
// delivers most has 1.04, 1.009 and 1.005 times the mean of an H100's (dram__bytes_read.max); while little is read, the
// two halves of a KiB wait for refreshes together (gpu/microbench/read_waits.cu). Slices follow one by 64 KiB, whose
// pages of 4 KiB take eight slices each in turn. Within a page the two lines of 256 bytes share a slice and each KiB
// has two. Source: atomics on 1, 2, 4 and 16 places 256 bytes apart reach 1, 2, 2 and 8 times the rate of one slice,
// with words of 8 bytes on both lines of each place too; places in 256 KiB and more load the slices more evenly than
// pages thrown at random would (gpu/microbench/throughput_atomic.cu, to=lines, H200).
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <numeric>
#include <vector>

#include "models/gpu_spec.h"
#include "models/support/bit_mixer.h"
#include "models/support/units.h"

namespace tilescope {

class AddressHash {
 public:
  explicit AddressHash(const GpuSpec& gpu)
      : partitions_(static_cast<std::uint64_t>(gpu.l2.partitions)),
        slices_per_partition_(static_cast<std::uint64_t>(gpu.l2.slices / gpu.l2.partitions)),
        pseudo_channels_(static_cast<std::uint64_t>(gpu.hbm.pseudo_channels)),
        all_pseudo_channels_(static_cast<std::uint64_t>(gpu.hbm.channels) * pseudo_channels_),
        steps_(steps(all_pseudo_channels_)),
        channel_lines_(static_cast<std::uint64_t>(gpu.hbm.row_bytes / kLineBytes)),
        slice_reciprocal_((1ULL << 32U) / slices_per_partition_ + 1),
        partition_bits_(line_bits(gpu.l2.partition_bits)) {}

  unsigned home_partition(LineAddress line) const {
    if (partitions_ == 1) return 0;
    if (partition_bits_ == 0) return static_cast<unsigned>(mix_bits(line.number() ^ 0x5DEECE66DULL) >> 40U & 1U);
    return static_cast<unsigned>(std::popcount(line.number() & partition_bits_)) & 1U;
  }
  // Within a partition; the same place in either of them.
  unsigned slice(LineAddress line) const {
    const std::uint64_t number = line.number();
    const std::uint64_t page = number / kPageLines;
    const std::uint64_t first = scale_to(mix_bits(page / kTurnPages + 0x9E3779B97F4A7C15ULL), slices_per_partition_) +
                                kPageSlices * (page % kTurnPages);
    const std::uint64_t kib = number / (kPageLines / 4) % 4;
    const std::uint64_t pair = number / 2;
    return static_cast<unsigned>(wrapped(first + 2 * kib + (pair / 2 + pair) % 2));
  }
  // A bit of the line number that the home partition and the other bits imply; negative: none. Each partition sees the
  // lines of one home at every second place, and without this bit at every place.
  int implied_bit() const { return partitions_ == 1 || partition_bits_ == 0 ? -1 : std::countr_zero(partition_bits_); }
  unsigned channel(LineAddress line) const { return static_cast<unsigned>(pseudo_channel(line) / pseudo_channels_); }
  // Of those of all channels; those of a channel are neighbours.
  std::uint64_t pseudo_channel(LineAddress line) const {
    const std::uint64_t piece = line.number() / channel_lines_;
    const std::uint64_t kib = piece / kKibPieces;
    const std::uint64_t key = mix_bits(kib / all_pseudo_channels_ + 1);
    const std::uint64_t step = steps_[key % steps_.size()];
    return (kib % all_pseudo_channels_ * step + (key >> 32U) + piece % 2 * all_pseudo_channels_ / 2) %
           all_pseudo_channels_;
  }

 private:
  static constexpr std::uint64_t kPageLines = 32, kPageSlices = 8, kTurnPages = 16;
  static constexpr std::uint64_t kKibPieces = 4;
  using Steps = std::array<std::uint64_t, 16>;
  // Numbers without a common divisor with `count`: taken so many at a time, all of them come by once.
  static Steps steps(std::uint64_t count) {
    Steps result{};
    std::uint64_t step = 5;
    for (std::uint64_t& one : result) {
      do step += 2;
      while (std::gcd(step, count) != 1);
      one = step;
    }
    return result;
  }
  // number % slices_per_partition_, by the rounded reciprocal: exact for the few hundred that slice() asks for.
  std::uint64_t wrapped(std::uint64_t number) const {
    return number - (number * slice_reciprocal_ >> 32U) * slices_per_partition_;
  }
  // Address bits as bits of a line number.
  static std::uint64_t line_bits(const std::vector<std::int64_t>& bits) {
    std::uint64_t result = 0;
    for (const std::int64_t bit : bits) result |= 1ULL << (bit - 7);
    return result;
  }

  std::uint64_t partitions_;
  std::uint64_t slices_per_partition_;
  std::uint64_t pseudo_channels_, all_pseudo_channels_;  // of a channel, of all
  Steps steps_;                                          // from one KiB to the next
  std::uint64_t channel_lines_;                          // consecutive, in one channel
  std::uint64_t slice_reciprocal_;
  std::uint64_t partition_bits_;
};

}  // namespace tilescope
