// Near or far: how long does each SM wait for given L2 lines? A line is first brought in by an owner SM, then read
// twice by another. Trace rows: row = SM, index = line, value = cycles of one load. case says the owner and which of
// the two reads. Scalars: the median near hit (an SM reads again what it brought in) and how much longer a far one
// takes.
#include <algorithm>

#include "benchmarks.h"
#include "device_probe.cuh"

namespace tilescope::gpu {
namespace {

__global__ void touch(const char* data, int lines, std::size_t pitch, int sm, int* claims, int* cycles) {
  __shared__ volatile unsigned waiting_for;
  if (claim_sm(sm, 1, claims) < 0) {
    return;
  }
  for (int pass = 0; pass < 2; ++pass) {
    for (int line = 0; line < lines; ++line) {
      const char* const address = data + line * pitch;
      unsigned value;
      const unsigned start = clock_now();
      asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(value) : "l"(address) : "memory");
      waiting_for = value;  // the store waits for the load, and the clock is read after the store
      const unsigned stop = clock_now();
      cycles[pass * lines + line] = static_cast<int>(stop - start);
    }
  }
}

// Cycles of two passes over the lines by `reader`, after `owner` alone has brought them in.
std::vector<int> read_after(const Recorder<char>& data, int lines, std::size_t pitch, int owner, int reader) {
  Recorder<int> cycles(2 * lines);
  Recorder<int> claims(1);
  flush_l2();
  for (const int sm : {owner, reader}) {
    claims.clear();
    touch<<<4 * sm_count(), 1>>>(data.device(), lines, pitch, sm, claims.device(), cycles.device());
    finish("touch");
  }
  return cycles.host();
}

double median(std::vector<int> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

}  // namespace

void latency_l2_by_sm(Report& report) {
  constexpr int kLines = 24;
  constexpr std::size_t kPitch = 4096 * 37 + 128;
  const Recorder<char> data(kLines * kPitch);
  std::vector<int> near;
  std::vector<int> first_reads;
  for (const int owner : {0, 2}) {
    for (int sm = 0; sm < sm_count(); ++sm) {
      const std::vector<int> cycles = read_after(data, kLines, kPitch, owner, sm);
      first_reads.insert(first_reads.end(), cycles.begin(), cycles.begin() + kLines);
      if (sm == owner) {
        near.insert(near.end(), cycles.begin() + kLines, cycles.end());
      }
      for (int i = 0; i < 2 * kLines; ++i) {
        report.trace("latency_l2_by_sm",
                     "owner=" + std::to_string(owner) + (i < kLines ? ";read=first" : ";read=second"), sm, i % kLines,
                     cycles[i]);
      }
    }
  }
  // Far is a first read that takes clearly longer: the line's home is the other partition, which has it.
  const double near_median = median(near);
  std::vector<int> far;
  for (const int cycles : first_reads) {
    if (cycles > 1.3 * near_median) {
      far.push_back(cycles);
    }
  }
  report.scalar("latency_l2_by_sm", "", "near", near_median, "cycle");
  if (far.size() > first_reads.size() / 10) {  // a GPU with one partition has none
    report.scalar("latency_l2_by_sm", "", "far_minus_near", median(far) - near_median, "cycle");
  }
}

// Which addresses have their home in which partition? SMs 0 and 2 of an H200 belong to different partitions: a line
// that SM 0 brought in takes SM 2 long exactly when its home is SM 0's side. Trace rows: row = pitch in bytes, index =
// line, value = cycles of SM 2's first read.
void l2_home(Report& report) {
  constexpr int kLines = 4096;
  constexpr std::size_t kLargestPitch = 4096;
  const Recorder<char> data(kLines * kLargestPitch + (2 << 20));
  const auto base = reinterpret_cast<std::size_t>(data.device());
  report.scalar("l2_home", "", "base_modulo_2_mib", static_cast<double>(base % (2 << 20)), "byte");
  for (const std::size_t pitch : {std::size_t{128}, std::size_t{512}, kLargestPitch}) {
    const std::vector<int> cycles = read_after(data, kLines, pitch, 0, 2);
    for (int i = 0; i < kLines; ++i) {
      report.trace("l2_home", "owner=0;reader=2", static_cast<int>(pitch), i, cycles[i]);
    }
  }
}

}  // namespace tilescope::gpu
