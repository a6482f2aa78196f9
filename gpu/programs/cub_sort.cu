// Sorting by CUB: pairs by radix, descending floats, segments of a few sizes, pairs by merging.
#include <algorithm>
#include <cub/device/device_merge_sort.cuh>
#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_segmented_sort.cuh>
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

struct Less {
  __host__ __device__ bool operator()(unsigned a, unsigned b) const { return a < b; }
};

}  // namespace

int main() {
  program::take_turn();
  const int count = 65000;
  const std::vector<unsigned> keys = program::repeated(program::random_integers<unsigned>(count, 1, 1 << 12));
  std::vector<int> order(count);
  std::iota(order.begin(), order.end(), 0);
  std::vector<int> sorted_order = order;
  std::stable_sort(sorted_order.begin(), sorted_order.end(), [&](int a, int b) { return keys[a] < keys[b]; });
  program::Device<unsigned> in(keys), out(count);
  program::Device<int> values(order), out_values(count);
  with_scratch([&](void* scratch, size_t& bytes) {
    return cub::DeviceRadixSort::SortPairs(scratch, bytes, in.get(), out.get(), values.get(), out_values.get(), count,
                                           0, 12);
  });
  program::expect_equal("radix sort of pairs", out_values.host(), sorted_order);

  out.clear(), out_values.clear();
  std::vector<float> floats(count);
  for (int i = 0; i < count; ++i) floats[i] = (static_cast<float>(keys[i]) - 2000) / 16;
  program::Device<float> float_in(floats), float_out(count);
  with_scratch([&](void* scratch, size_t& bytes) {
    return cub::DeviceRadixSort::SortKeysDescending(scratch, bytes, float_in.get(), float_out.get(), count);
  });
  std::stable_sort(floats.begin(), floats.end(), [](float a, float b) { return a > b; });
  program::expect_equal("radix sort of floats", float_out.host(), floats);

  std::vector<int> starts{0};
  program::Random random(3);
  while (starts.back() < count) {
    const int size = random.below(8) == 0 ? 3000 : static_cast<int>(random.below(200));
    starts.push_back(std::min(count, starts.back() + size));
  }
  const int segments = static_cast<int>(starts.size()) - 1;
  program::Device<int> device_starts(starts);
  with_scratch([&](void* scratch, size_t& bytes) {
    return cub::DeviceSegmentedSort::SortKeys(scratch, bytes, in.get(), out.get(), count, segments, device_starts.get(),
                                              device_starts.get() + 1);
  });
  std::vector<unsigned> wanted = keys;
  for (int i = 0; i < segments; ++i) std::sort(wanted.begin() + starts[i], wanted.begin() + starts[i + 1]);
  program::expect_equal("segmented sort", out.host(), wanted);

  out.clear(), float_out.clear();
  const int fewer = 40000;
  with_scratch([&](void* scratch, size_t& bytes) {
    return cub::DeviceMergeSort::StableSortPairs(scratch, bytes, in.get(), values.get(), fewer, Less{});
  });
  std::vector<int> merged(order.begin(), order.begin() + fewer), got = values.host();
  std::stable_sort(merged.begin(), merged.end(), [&](int a, int b) { return keys[a] < keys[b]; });
  got.resize(fewer);
  program::expect_equal("merge sort of pairs", got, merged);
  return program::finish("cub_sort");
}
