// Scans, reductions and selections by CUB: prefix sums, sums, arg-max, reduction by key, run lengths, histogram,
// selection.
#include <algorithm>
#include <cub/device/device_histogram.cuh>
#include <cub/device/device_reduce.cuh>
#include <cub/device/device_run_length_encode.cuh>
#include <cub/device/device_scan.cuh>
#include <cub/device/device_segmented_reduce.cuh>
#include <cub/device/device_select.cuh>
#include <cuda/std/functional>
#include <numeric>

#include "program.h"

namespace {

// CUB's protocol: the first call says how much scratch the second needs.
template <typename Call>
void with_scratch(const Call& call) {
  size_t bytes = 0;
  CHECKED(call(nullptr, bytes));
  program::Device<char> scratch(bytes);
  CHECKED(call(scratch.get(), bytes));
  CHECKED(cudaDeviceSynchronize());
}

struct IsOdd {
  __host__ __device__ bool operator()(int x) const { return x % 2 != 0; }
};

}  // namespace

int main() {
  program::take_turn();
  const int count = 120000;
  const std::vector<int> values = program::repeated(program::random_integers(count, 1, 100));
  std::vector<int> keys(count);
  program::Random random(2);
  for (int i = 1; i < count; ++i) keys[i] = keys[i - 1] + (random.below(9) == 0 ? 1 : 0);
  const std::vector<float> floats = program::repeated(program::random_floats(1 << 20, 4));
  program::Device<int> in(values), by(keys), out(count), out_keys(count), found(1);
  program::Device<float> float_in(floats), float_out(1);
  program::Device<float> segment_out(1024);

  with_scratch(
      [&](void* s, size_t& bytes) { return cub::DeviceScan::ExclusiveSum(s, bytes, in.get(), out.get(), count); });
  std::vector<int> wanted(count);
  std::exclusive_scan(values.begin(), values.end(), wanted.begin(), 0);
  program::expect_equal("exclusive sum", out.host(), wanted);

  with_scratch([&](void* s, size_t& bytes) {
    return cub::DeviceReduce::Sum(s, bytes, float_in.get(), float_out.get(), 1 << 20);
  });
  program::expect_close("sum", float_out.host(),
                        std::vector<double>{std::accumulate(floats.begin(), floats.end(), 0.0)}, 1e-2);

  std::vector<int> starts;
  for (int i = 0; i <= 1024; ++i) starts.push_back(i * 1024);
  program::Device<int> device_starts(starts);
  with_scratch([&](void* s, size_t& bytes) {
    return cub::DeviceSegmentedReduce::Max(s, bytes, float_in.get(), segment_out.get(), 1024, device_starts.get(),
                                           device_starts.get() + 1);
  });
  std::vector<float> largest;
  for (int i = 0; i < 1024; ++i)
    largest.push_back(*std::max_element(floats.begin() + starts[i], floats.begin() + starts[i + 1]));
  program::expect_equal("segmented max", segment_out.host(), largest);

  out.clear(), out_keys.clear();
  with_scratch([&](void* s, size_t& bytes) {
    return cub::DeviceReduce::ReduceByKey(s, bytes, by.get(), out_keys.get(), in.get(), out.get(), found.get(),
                                          cuda::std::plus<>{}, count);
  });
  std::vector<int> sums(keys.back() + 1), lengths(keys.back() + 1), got = out.host();
  for (int i = 0; i < count; ++i) sums[keys[i]] += values[i], ++lengths[keys[i]];
  got.resize(found.host()[0]);
  program::expect_equal("reduce by key", got, sums);

  out.clear(), out_keys.clear();
  with_scratch([&](void* s, size_t& bytes) {
    return cub::DeviceRunLengthEncode::Encode(s, bytes, by.get(), out_keys.get(), out.get(), found.get(), count);
  });
  got = out.host();
  got.resize(found.host()[0]);
  program::expect_equal("run lengths", got, lengths);

  program::Device<int> bins(100);
  with_scratch([&](void* s, size_t& bytes) {
    return cub::DeviceHistogram::HistogramEven(s, bytes, in.get(), bins.get(), 101, 0, 100, count);
  });
  std::vector<int> counts(100);
  for (const int value : values) ++counts[value];
  program::expect_equal("histogram", bins.host(), counts);

  out.clear(), out_keys.clear();
  with_scratch([&](void* s, size_t& bytes) {
    return cub::DeviceSelect::If(s, bytes, in.get(), out.get(), found.get(), count, IsOdd{});
  });
  std::vector<int> odd;
  std::copy_if(values.begin(), values.end(), std::back_inserter(odd), [](int x) { return x % 2 != 0; });
  got = out.host();
  got.resize(found.host()[0]);
  program::expect_equal("selection", got, odd);
  return program::finish("cub_scan");
}
