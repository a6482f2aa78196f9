// What counts as a hit where L1 chooses which line of a set goes? One thread loads sectors of lines of one set in
// random orders, one after another or some at once.
//   Trace rows: case = how many lines, sectors of each, and loads that are issued at once now and then; row = line * 4
//   + sector, index = its place in the order, value = 0: it hit, 1: it missed, 2: it was issued with others, not timed.
//   Loads with value 2 form groups as long as `together`. L1 is empty before each order.
// Lines of set 0 are those whose number is below, by the bits of l1_hash.
#include <random>
#include <string>

#include "benchmarks.h"
#include "l1_probe.cuh"

namespace tilescope::gpu {
namespace {

constexpr unsigned kSectors = 4;
constexpr unsigned kSectorBytes = kL1Line / kSectors;
constexpr unsigned kAtOnce = 1U << 30;  // in a list of sectors: issued with the next one
constexpr int kLoads = 300;
constexpr int kOrders = 4;
constexpr int kMostAtOnce = 8;

__device__ unsigned load_sector(const char* data, unsigned sector) {
  unsigned v;
  asm volatile("ld.global.ca.u32 %0, [%1];" : "=r"(v) : "l"(data + sector * kSectorBytes) : "memory");
  return v;
}

// Issues `Count` loads, in order, before it waits for the first.
template <int Count>
__device__ unsigned load_at_once(const char* data, const unsigned* sectors) {
  unsigned v[Count];
#pragma unroll
  for (int i = 0; i < Count; ++i) {
    v[i] = load_sector(data, sectors[i]);
    __syncwarp();  // or else the assembler sorts them as it likes
  }
  unsigned seen = 0;
#pragma unroll
  for (int i = 0; i < Count; ++i) {
    seen |= v[i];
  }
  return seen;
}

template <int Together>
__global__ void load_groups(const char* data, const unsigned* list, int count, unsigned* missed) {
  unsigned seen = 0;
  for (int i = 0; i < count;) {
    unsigned first;
    asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(first) : "l"(list + i) : "memory");
    if (first == kInvalidate) {
      __threadfence();
      ++i;
      continue;
    }
    if ((first & kAtOnce) != 0) {
      unsigned sectors[Together];
      unsigned read = 0;
#pragma unroll
      for (int j = 0; j < Together; ++j) {
        asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(sectors[j]) : "l"(list + i + j) : "memory");
        sectors[j] &= ~kAtOnce;
        read |= sectors[j];
      }
      if (read != kInvalidate) {  // always: waits for the list
        seen |= load_at_once<Together>(data, sectors);
      }
      if (clock_now(seen | 1U) != 0) {
        i += Together;
      }
      continue;
    }
    const unsigned start = clock_now(first);
    const unsigned v = load_sector(data, first);
    const unsigned stop = clock_now(v | 1U);
    seen |= v;
    asm volatile("st.global.cg.u32 [%0], %1;" : : "l"(missed + i), "r"(stop - start > kL1Hit ? 1U : 0U) : "memory");
    ++i;
  }
  if (seen == 0x12345678U) {
    missed[0] = 0;
  }
}

// `together`: 1, or loads that are issued at once, between four that are timed.
template <int Together>
void order(Report& report, const char* data, unsigned lines, unsigned sectors, std::mt19937& random) {
  std::vector<unsigned> list{kInvalidate};
  std::vector<unsigned> which{0};
  std::vector<bool> grouped{false};
  const auto add = [&](bool at_once) {
    const unsigned line = random() % lines;
    const unsigned sector = random() % sectors;
    which.push_back(line * kSectors + sector);
    list.push_back((of_set_0(line) * kSectors + sector) | (at_once ? kAtOnce : 0));
    grouped.push_back(at_once);
  };
  while (list.size() <= kLoads) {
    for (int i = 0; i < Together && Together > 1; ++i) {
      add(true);
    }
    for (int i = 0; i < 4; ++i) {
      add(false);
    }
  }
  const DeviceBuffer<unsigned> steps(list.size());
  const Recorder<unsigned> missed(list.size());
  check(cudaMemcpy(steps.data(), list.data(), steps.bytes(), cudaMemcpyHostToDevice), "cudaMemcpy");
  load_groups<Together><<<1, 1>>>(data, steps.data(), static_cast<int>(list.size()), missed.device());
  finish("load_groups");
  const std::vector<unsigned> bits = missed.host();
  const std::string name = "lines=" + std::to_string(lines) + ";sectors=" + std::to_string(sectors) +
                           ";together=" + std::to_string(Together);
  for (std::size_t i = 1; i < list.size(); ++i) {
    report.trace("l1_touch", name, static_cast<int>(which[i]), static_cast<int>(i) - 1, grouped[i] ? 2 : bits[i]);
  }
}

}  // namespace

void l1_touch(Report& report) {
  const DeviceBuffer<char> data(std::size_t{2} << 20);  // begins at a multiple of its size: lines are numbered from it
  check(cudaMemset(data.data(), 0, data.bytes()), "cudaMemset");
  std::mt19937 random(5);
  for (int i = 0; i < kOrders; ++i) {
    const unsigned lines = (const unsigned[]){5, 6, 8, 12}[i];
    for (const unsigned sectors : {2U, kSectors}) {
      order<1>(report, data.data(), lines, sectors, random);
    }
    for (const unsigned sectors : {1U, kSectors}) {
      order<2>(report, data.data(), lines, sectors, random);
      order<3>(report, data.data(), lines, sectors, random);
      order<5>(report, data.data(), lines, sectors, random);
      order<kMostAtOnce>(report, data.data(), lines, sectors, random);
    }
  }
}

}  // namespace tilescope::gpu
