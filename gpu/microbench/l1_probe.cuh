// One thread loads lines one after another through L1 and tells by the clock which were there.
#pragma once

#include <cstddef>
#include <vector>

#include "device_probe.cuh"

namespace tilescope::gpu {

inline constexpr unsigned kInvalidate = ~0U;  // in a list of lines: empties L1
inline constexpr unsigned kL1Hit = 150;       // cycles that a hit stays below
inline constexpr std::size_t kL1Line = 128;
inline constexpr unsigned kL1SetBits = 9;  // a line's lowest bits number its set, as far as it has no others

// Of the 512 lines whose higher bits are `high`, below 16, the one of set 0. Source: l1_hash.
inline unsigned of_set_0(unsigned high) {
  constexpr unsigned kHash[4] = {113, 27, 374, 329};
  unsigned set = 0;
  for (unsigned bit = 0; bit < 4; ++bit) {
    set ^= (high >> bit & 1) != 0 ? kHash[bit] : 0;
  }
  return high << kL1SetBits | set;
}

static __global__ void load_list(const char* data, const unsigned* list, int count, unsigned* missed) {
  unsigned bits = 0, seen = 0;
  for (int i = 0; i < count; ++i) {
    unsigned line;
    asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(line) : "l"(list + i) : "memory");
    if (line == kInvalidate) {
      __threadfence();
    } else {
      const unsigned start = clock_now(line);
      unsigned v;
      asm volatile("ld.global.ca.u32 %0, [%1];" : "=r"(v) : "l"(data + line * kL1Line) : "memory");
      const unsigned stop = clock_now(v | 1U);
      seen |= v;
      bits |= (stop - start > kL1Hit ? 1U : 0U) << i % 32;
    }
    if (i % 32 == 31 || i == count - 1) {
      asm volatile("st.global.cg.u32 [%0], %1;" : : "l"(missed + i / 32), "r"(bits) : "memory");
      bits = 0;
    }
  }
  if (seen == 0x12345678U) {
    missed[0] = 0;
  }
}

// Of each of the list's lines, counted from `data`: has it missed?
inline std::vector<bool> load_lines(const char* data, const std::vector<unsigned>& list) {
  const DeviceBuffer<unsigned> steps(list.size());
  const Recorder<unsigned> missed(list.size() / 32 + 1);
  check(cudaMemcpy(steps.data(), list.data(), steps.bytes(), cudaMemcpyHostToDevice), "cudaMemcpy");
  load_list<<<1, 1>>>(data, steps.data(), static_cast<int>(list.size()), missed.device());
  finish("load_list");
  const std::vector<unsigned> bits = missed.host();
  std::vector<bool> result(list.size());
  for (std::size_t i = 0; i < list.size(); ++i) {
    result[i] = (bits[i / 32] >> i % 32 & 1U) != 0;
  }
  return result;
}

}  // namespace tilescope::gpu
