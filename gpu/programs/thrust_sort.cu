// Sorting by Thrust: keys (radix sort), keys with values, keys by a comparison (merge sort), and unique of the sorted
// keys.
#include <thrust/device_ptr.h>
#include <thrust/execution_policy.h>
#include <thrust/sort.h>
#include <thrust/unique.h>

#include <algorithm>
#include <numeric>

#include "program.h"

namespace {

struct LowByteFirst {
  __host__ __device__ bool operator()(int a, int b) const {
    return (a & 255) != (b & 255) ? (a & 255) < (b & 255) : a < b;
  }
};

}  // namespace

int main() {
  program::take_turn();
  const int count = 1 << 16;
  const std::vector<int> keys = program::repeated(program::random_integers(count, 1, 4096));
  std::vector<int> sorted = keys;
  std::stable_sort(sorted.begin(), sorted.end());

  program::Device<int> plain(keys);
  thrust::sort(thrust::device, plain.get(), plain.get() + count);
  program::expect_equal("sort", plain.host(), sorted);

  std::vector<int> order(count);
  std::iota(order.begin(), order.end(), 0);
  program::Device<int> with_values(keys), values(order);
  thrust::stable_sort_by_key(thrust::device, with_values.get(), with_values.get() + count, values.get());
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return keys[a] < keys[b]; });
  program::expect_equal("sort_by_key", values.host(), order);

  const int fewer = 1 << 15;
  const std::vector<int> head(keys.begin(), keys.begin() + fewer);
  program::Device<int> compared(head);
  thrust::sort(thrust::device, compared.get(), compared.get() + fewer, LowByteFirst{});
  std::vector<int> wanted = head;
  std::stable_sort(wanted.begin(), wanted.end(),
                   [](int a, int b) { return (a & 255) != (b & 255) ? (a & 255) < (b & 255) : a < b; });
  program::expect_equal("sort by a comparison", compared.host(), wanted);

  int* const end = thrust::unique(thrust::device, plain.get(), plain.get() + count);
  std::vector<int> left = plain.host();
  left.resize(end - plain.get());
  sorted.erase(std::unique(sorted.begin(), sorted.end()), sorted.end());
  program::expect_equal("unique", left, sorted);
  return program::finish("thrust_sort");
}
