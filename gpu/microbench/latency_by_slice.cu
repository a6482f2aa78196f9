// How long is the way from each SM to each part of L2? One SM at a time reads lines that its partition holds.
//   Trace rows: row = SM, index = line, value = cycles, the least of kPasses reads. Lines are kPitch bytes apart, which
//   takes them through all slices.
//   by_sm, by_line: standard deviation of the means of each SM and of each line; rest: of what these two leave. Far
//   lines become near ones by the first read, so that all reads are near hits.
#include <algorithm>
#include <cmath>

#include "benchmarks.h"
#include "device_probe.cuh"

namespace tilescope::gpu {
namespace {

constexpr int kLines = 1024;
constexpr int kPasses = 4;
constexpr std::size_t kPitch = 640;

__global__ void read_lines(const char* data, int sm, int* claims, int* least) {
  __shared__ volatile unsigned waiting_for;
  if (claim_sm(sm, 1, claims) < 0) {
    return;
  }
  for (int pass = 0; pass <= kPasses; ++pass) {
    for (int line = 0; line < kLines; ++line) {
      unsigned value;
      const unsigned start = clock_now();
      asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(value) : "l"(data + line * kPitch) : "memory");
      waiting_for = value;  // the store waits for the load, and the clock is read after the store
      const int cycles = static_cast<int>(clock_now() - start);
      if (pass == 1 || (pass > 1 && cycles < least[line])) {
        least[line] = cycles;
      }
    }
  }
}

double deviation(const std::vector<double>& values) {
  double sum = 0, squares = 0;
  for (const double v : values) {
    sum += v;
    squares += v * v;
  }
  const double n = static_cast<double>(values.size());
  return std::sqrt(std::max(0.0, squares / n - sum / n * (sum / n)));
}

}  // namespace

void latency_by_slice(Report& report) {
  const Recorder<char> data(kLines * kPitch);
  const Recorder<int> least(kLines);
  Recorder<int> claims(1);
  const int sms = sm_count();
  std::vector<std::vector<int>> cycles(sms);
  std::vector<double> by_sm(sms), by_line(kLines);
  double mean = 0;
  for (int sm = 0; sm < sms; ++sm) {
    claims.clear();
    read_lines<<<4 * sms, 1>>>(data.device(), sm, claims.device(), least.device());
    finish("read_lines");
    cycles[sm] = least.host();
    for (int line = 0; line < kLines; ++line) {
      report.trace("latency_by_slice", "", sm, line, cycles[sm][line]);
      by_sm[sm] += cycles[sm][line] / static_cast<double>(kLines);
      by_line[line] += cycles[sm][line] / static_cast<double>(sms);
    }
    mean += by_sm[sm] / sms;
  }
  std::vector<double> rest;
  for (int sm = 0; sm < sms; ++sm) {
    for (int line = 0; line < kLines; ++line) {
      rest.push_back(cycles[sm][line] - by_sm[sm] - by_line[line] + mean);
    }
  }
  report.scalar("latency_by_slice", "", "mean", mean, "cycle");
  report.scalar("latency_by_slice", "", "by_sm", deviation(by_sm), "cycle");
  report.scalar("latency_by_slice", "", "by_line", deviation(by_line), "cycle");
  report.scalar("latency_by_slice", "", "rest", deviation(rest), "cycle");
}

}  // namespace tilescope::gpu
