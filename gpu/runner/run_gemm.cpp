#include "run_gemm.h"

#include <algorithm>
#include <map>
#include <optional>
#include <stdexcept>
#include <tuple>

#include "../common/device.h"
#include "../common/random.h"
#include "cublas.h"
#include "marks.h"
#include "reference.h"

namespace tilescope::gpu {
namespace {

constexpr double kLarge = 1e9;  // multiply-adds from which a result is also held against cuBLAS

double flop(const Case& c) { return 2.0 * c.m * c.n * c.k; }

// Of cuBLAS on this problem, measured once per shape and kind of input.
double cublas_tflops(const Case& c, const Problem& problem, const Options& options) {
  static std::map<std::tuple<int, int, int, bool>, double> measured;
  const auto key = std::make_tuple(c.m, c.n, c.k, problem.half_a != nullptr);
  const auto found = measured.find(key);
  if (found != measured.end()) {
    return found->second;
  }
  const Timing timing = time_launches([&] { cublas_gemm(problem); }, options);
  return measured[key] = flop(c) / timing.median_ms * 1e-9;
}

void check(Row& row, const Case& c, const Problem& problem, const Options& options) {
  const Agreement agreement = compare_with_reference(problem);
  row.relative_error = number(agreement.relative_error, 3);
  bool good = agreement.good;
  if (cublas_available() && problem.packed_a == nullptr) {
    const DeviceBuffer<float> other(static_cast<std::size_t>(c.m) * c.n);
    Problem by_cublas = problem;
    by_cublas.c = other.data();
    cublas_gemm(by_cublas);
    good = good && (flop(c) < 2 * kLarge || compare_with(problem, other.data()).good);
    const double tflops = cublas_tflops(c, by_cublas, options);
    row.cublas_tflops = number(tflops, 4);
    row.pct_of_cublas = number(100 * flop(c) / row.timing.median_ms * 1e-9 / tflops, 4);
  }
  row.verdict = good ? Verdict::kOk : Verdict::kWrong;
}

}  // namespace

std::vector<Instance> gemm_instances() {
  std::vector<Instance> table;
  add_gemm_naive(table);
  add_gemm_tiled(table);
  add_gemm_register(table);
  add_gemm_warp(table);
  add_gemm_async(table);
  add_gemm_tensor(table);
  add_gemm_pipelined(table);
  add_gemm_grouped(table);
  add_gemm_specialised(table);
  add_gemm_streamk(table);
  add_cublas(table);
  return table;
}

const Instance& find_gemm(const std::vector<Instance>& table, const Case& c) {
  const auto found = std::find_if(table.begin(), table.end(), [&](const Instance& i) { return i.name == c.kernel; });
  if (found == table.end()) {
    throw std::invalid_argument(c.where + c.kernel + ": no such GEMM kernel; 'tilescope-gpu list' prints them");
  }
  if (c.m % found->multiple_m != 0 || c.n % found->multiple_n != 0 || c.k % found->multiple_k != 0) {
    throw std::invalid_argument(c.where + c.kernel + ": got " + std::to_string(c.m) + " " + std::to_string(c.n) + " " +
                                std::to_string(c.k) + "; M, N and K must be multiples of " +
                                std::to_string(found->multiple_m) + ", " + std::to_string(found->multiple_n) + " and " +
                                std::to_string(found->multiple_k));
  }
  if (c.group != 1 && !found->takes_group) {
    throw std::invalid_argument(c.where + c.kernel + ": got GROUP " + std::to_string(c.group) +
                                "; must be 1, for it knows row order only");
  }
  return *found;
}

Row run_gemm(const Case& c, const Instance& instance, const Options& options) {
  if (instance.hopper && !compiled_for_sm_90a()) {
    throw std::invalid_argument(c.where + c.kernel + ": not on this GPU: needs sm_90a, and a build for it");
  }
  const DeviceBuffer<float> a(static_cast<std::size_t>(c.m) * c.k);
  const DeviceBuffer<float> b(static_cast<std::size_t>(c.k) * c.n);
  const DeviceBuffer<float> out(static_cast<std::size_t>(c.m) * c.n);
  const auto fill = instance.packed ? &fill_small_numbers : &fill_random;
  fill(a.data(), a.count(), options.seed);
  fill(b.data(), b.count(), options.seed + 1);
  tilescope::gpu::check(cudaMemset(out.data(), 0xff, out.bytes()), "cudaMemset");  // NaNs: an output left out shows
  Problem problem{c.m, c.n, c.k, a.data(), b.data(), out.data()};
  std::optional<DeviceBuffer<std::uint16_t>> half_a, half_b;
  if (instance.half_inputs) {
    problem.half_a = reinterpret_cast<__half*>(half_a.emplace(a.count()).data());
    problem.half_b = reinterpret_cast<__half*>(half_b.emplace(b.count()).data());
    round_to_half(a.data(), reinterpret_cast<__half*>(half_a->data()), a.count());
    round_to_half(b.data(), reinterpret_cast<__half*>(half_b->data()), b.count());
  }
  std::optional<DeviceBuffer<char>> packed_a, packed_b;
  if (instance.packed) {
    const TensorType type = *instance.packed;
    problem.packed_a = packed_a.emplace(a.count() * bytes_of(type)).data();
    problem.packed_b = packed_b.emplace(b.count() * bytes_of(type)).data();
    pack(a.data(), packed_a->data(), type, c.m, c.k, false);
    pack(b.data(), packed_b->data(), type, c.k, c.n, true);
  }
  Row row;
  row.kernel = c.kernel;
  row.m = std::to_string(c.m);
  row.n = std::to_string(c.n);
  row.k = std::to_string(c.k);
  row.group = std::to_string(c.group);
  row.grid = instance.grid(instance, c.m, c.n);
  row.block = instance.block;
  const bool marked = options.once && instance.symbol == nullptr;
  if (marked) {
    mark_library_begins();
  }
  row.timing = time_launches([&] { instance.launch(instance, problem, {c.group}); }, options);
  if (marked) {
    mark_library_ends();
  }
  row.tflops = number(flop(c) / row.timing.median_ms * 1e-9, 4);
  if (instance.packed == TensorType::kS8) {
    ints_to_floats(out.data(), out.count());
  }
  if (options.check) {
    check(row, c, problem, options);
  }
  return row;
}

}  // namespace tilescope::gpu
