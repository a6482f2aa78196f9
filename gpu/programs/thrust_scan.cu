// Scans and reductions by Thrust: prefix sums, segmented prefix sums, reduction by key, transformed reduction,
// partition.
#include <thrust/execution_policy.h>
#include <thrust/functional.h>
#include <thrust/partition.h>
#include <thrust/reduce.h>
#include <thrust/scan.h>
#include <thrust/transform_reduce.h>

#include <algorithm>
#include <numeric>

#include "program.h"

namespace {

struct Square {
  __host__ __device__ long long operator()(int x) const { return static_cast<long long>(x) * x; }
};
struct IsEven {
  __host__ __device__ bool operator()(int x) const { return x % 2 == 0; }
};

}  // namespace

int main() {
  program::take_turn();
  const int count = 1 << 17;
  const std::vector<int> values = program::repeated(program::random_integers(count, 1, 64));
  std::vector<int> keys(count);
  program::Random random(2);
  for (int i = 1; i < count; ++i) keys[i] = keys[i - 1] + (random.below(20) == 0 ? 1 : 0);
  program::Device<int> in(values), by(keys), out(count), out_keys(count);

  std::vector<int> wanted(count);
  std::partial_sum(values.begin(), values.end(), wanted.begin());
  thrust::inclusive_scan(thrust::device, in.get(), in.get() + count, out.get());
  program::expect_equal("inclusive_scan", out.host(), wanted);

  out.clear();
  for (int i = 0; i < count; ++i) wanted[i] = (i > 0 && keys[i] == keys[i - 1] ? wanted[i - 1] : 0) + values[i];
  thrust::inclusive_scan_by_key(thrust::device, by.get(), by.get() + count, in.get(), out.get());
  program::expect_equal("inclusive_scan_by_key", out.host(), wanted);

  out.clear();
  const auto ends =
      thrust::reduce_by_key(thrust::device, by.get(), by.get() + count, in.get(), out_keys.get(), out.get());
  std::vector<int> sums(keys.back() + 1), got = out.host();
  for (int i = 0; i < count; ++i) sums[keys[i]] += values[i];
  got.resize(ends.second - out.get());
  program::expect_equal("reduce_by_key", got, sums);

  out.clear(), out_keys.clear();
  const long long squares =
      thrust::transform_reduce(thrust::device, in.get(), in.get() + count, Square{}, 0LL, thrust::plus<long long>());
  long long wanted_squares = 0;
  for (const int value : values) wanted_squares += static_cast<long long>(value) * value;
  program::expect_equal("transform_reduce", std::vector<long long>{squares}, {wanted_squares});

  const auto middle = thrust::stable_partition(thrust::device, in.get(), in.get() + count, IsEven{});
  std::vector<int> parted = values;
  const auto wanted_middle = std::stable_partition(parted.begin(), parted.end(), [](int x) { return x % 2 == 0; });
  program::expect_equal("stable_partition", in.host(), parted);
  program::expect_equal("evens", std::vector<int>{int(middle - in.get())}, {int(wanted_middle - parted.begin())});
  return program::finish("thrust_scan");
}
