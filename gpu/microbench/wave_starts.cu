// How far apart do CTAs begin that follow others? Products of whole waves of CTAs: tiles of 32 x 32 that asynchronous
// copies bring, and tiles of 128 x 128 that registers hold, two CTAs on each SM. Every CTA reads its SM's clock when it
// begins and ends; the clocks of one GPC's SMs agree.
//   cta: how long one takes, median, behind the first wave; apart, by place: between the 10th and the 90th percentile
//   of when the SMs of a GPC begin their place-th CTA, mean of all GPCs.
#include <cuda_pipeline.h>

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "benchmarks.h"
#include "device_probe.cuh"
#include "gpc_map.h"

namespace tilescope::gpu {
namespace {

struct Stay {
  int sm;
  long long begin, end;
};

__device__ bool first_thread() { return threadIdx.x == 0 && threadIdx.y == 0; }

// c = a b, n x n; a CTA of 32 x 32 threads has the next tiles copied while it multiplies.
__global__ void __launch_bounds__(1024) by_copies(const float* a, const float* b, float* c, int n, Stay* stays) {
  constexpr int kT = 32, kCopies = kT * kT / 4;
  __shared__ alignas(16) float of_a[2][kT][kT], of_b[2][kT][kT];
  Stay& stay = stays[blockIdx.y * gridDim.x + blockIdx.x];
  if (first_thread()) {
    stay.sm = sm_id();
    stay.begin = clock64_now();
  }
  const int thread = threadIdx.y * kT + threadIdx.x, row = thread % kCopies / (kT / 4), col = thread % (kT / 4) * 4;
  const auto copy = [&](int k, int buffer) {
    if (thread < kCopies) {
      __pipeline_memcpy_async(&of_a[buffer][row][col], &a[(blockIdx.y * kT + row) * n + k + col], 16);
    } else if (thread < 2 * kCopies) {
      __pipeline_memcpy_async(&of_b[buffer][row][col], &b[(k + row) * n + blockIdx.x * kT + col], 16);
    }
    __pipeline_commit();
  };
  float sum = 0;
  copy(0, 0);
  for (int k = 0; k < n; k += kT) {
    const int buffer = k / kT % 2;
    copy((k + kT) % n, 1 - buffer);
    __pipeline_wait_prior(1);
    __syncthreads();
#pragma unroll
    for (int i = 0; i < kT; ++i) {
      sum += of_a[buffer][threadIdx.y][i] * of_b[buffer][i][threadIdx.x];
    }
    __syncthreads();
  }
  c[(blockIdx.y * kT + threadIdx.y) * n + blockIdx.x * kT + threadIdx.x] = sum;
  __syncthreads();
  if (first_thread()) {
    stay.end = clock64_now();
  }
}

// The same; a thread of 256 holds 8 x 8 sums of a tile of 128 x 128 and loads what the CTA needs for 8 of K.
__global__ void __launch_bounds__(256, 2) by_registers(const float* a, const float* b, float* c, int n, Stay* stays) {
  constexpr int kT = 128, kK = 8, kR = 8;
  __shared__ alignas(16) float of_a[kK][kT], of_b[kK][kT];
  Stay& stay = stays[blockIdx.y * gridDim.x + blockIdx.x];
  if (first_thread()) {
    stay.sm = sm_id();
    stay.begin = clock64_now();
  }
  const int thread = threadIdx.x, x = thread % 16 * kR, y = thread / 16 * kR;
  float sum[kR][kR] = {};
  for (int k = 0; k < n; k += kK) {
    const float4 va = *reinterpret_cast<const float4*>(&a[(blockIdx.y * kT + thread / 2) * n + k + thread % 2 * 4]);
    const float4 vb = *reinterpret_cast<const float4*>(&b[(k + thread / 32) * n + blockIdx.x * kT + thread % 32 * 4]);
    of_a[thread % 2 * 4][thread / 2] = va.x;
    of_a[thread % 2 * 4 + 1][thread / 2] = va.y;
    of_a[thread % 2 * 4 + 2][thread / 2] = va.z;
    of_a[thread % 2 * 4 + 3][thread / 2] = va.w;
    *reinterpret_cast<float4*>(&of_b[thread / 32][thread % 32 * 4]) = vb;
    __syncthreads();
#pragma unroll
    for (int i = 0; i < kK; ++i) {
#pragma unroll
      for (int r = 0; r < kR; ++r) {
#pragma unroll
        for (int s = 0; s < kR; ++s) {
          sum[r][s] += of_a[i][y + r] * of_b[i][x + s];
        }
      }
    }
    __syncthreads();
  }
#pragma unroll
  for (int r = 0; r < kR; ++r) {
#pragma unroll
    for (int s = 0; s < kR; ++s) {
      c[(blockIdx.y * kT + y + r) * n + blockIdx.x * kT + x + s] = sum[r][s];
    }
  }
  __syncthreads();
  if (first_thread()) {
    stay.end = clock64_now();
  }
}

long long at_percent(std::vector<long long> values, int percent) {
  std::sort(values.begin(), values.end());
  return values[(values.size() - 1) * percent / 100];
}

void note(Report& report, const std::string& the_case, const std::vector<Stay>& stays,
          const std::vector<std::vector<int>>& gpcs) {
  std::map<int, std::vector<std::pair<long long, long long>>> of_sm;
  for (const Stay& stay : stays) {
    of_sm[stay.sm].push_back({stay.begin, stay.end});
  }
  std::size_t places = stays.size();
  std::vector<long long> lengths;
  for (auto& [sm, each] : of_sm) {
    std::sort(each.begin(), each.end());
    places = std::min(places, each.size());
    for (std::size_t i = 2; i < each.size(); ++i) {
      lengths.push_back(each[i].second - each[i].first);
    }
  }
  report.scalar("wave_starts", the_case, "cta", static_cast<double>(at_percent(lengths, 50)), "cycle");
  for (std::size_t place = 0; place < places; ++place) {
    double apart = 0;
    int seen = 0;
    for (const std::vector<int>& gpc : gpcs) {
      std::vector<long long> begins;
      for (const int sm : gpc) {
        begins.push_back(of_sm[sm][place].first);
      }
      if (begins.size() < 8) {
        continue;  // a few SMs whose GPC is not known
      }
      apart += static_cast<double>(at_percent(begins, 90) - at_percent(begins, 10));
      ++seen;
    }
    report.scalar("wave_starts", the_case + ";place=" + std::to_string(place), "apart", apart / seen, "cycle");
  }
}

}  // namespace

void wave_starts(Report& report) {
  const std::vector<std::vector<int>> gpcs = gpc_map();
  for (const int n : {1024, 2048}) {
    const Recorder<float> a(n * n), b(n * n), c(n * n);
    const dim3 grid(n / 32, n / 32);
    const Recorder<Stay> stays(grid.x * grid.y);
    for (int launch = 0; launch < 2; ++launch) {  // the first fills the instruction caches
      flush_l2();
      by_copies<<<grid, dim3(32, 32)>>>(a.device(), b.device(), c.device(), n, stays.device());
      finish("by_copies");
    }
    note(report, "tile=32x32;by=copies;n=" + std::to_string(n), stays.host(), gpcs);
  }
  for (const int n : {3072, 4096}) {
    const Recorder<float> a(n * n), b(n * n), c(n * n);
    const dim3 grid(n / 128, n / 128);
    const Recorder<Stay> stays(grid.x * grid.y);
    for (int launch = 0; launch < 2; ++launch) {
      flush_l2();
      by_registers<<<grid, 256>>>(a.device(), b.device(), c.device(), n, stays.device());
      finish("by_registers");
    }
    note(report, "tile=128x128;by=registers;n=" + std::to_string(n), stays.host(), gpcs);
  }
}

}  // namespace tilescope::gpu
