// The project's own GEMM kernels, compiled: against Eigen. (Against the generators: kernels_compiled_test.cpp; against
// hardware's counters: slow/compiled_hardware_test.cpp.)
#include <fmt/format.h>

#include <Eigen/Dense>
#include <cstdlib>
#include <cstring>

#include "sass_runs.h"

using namespace tilescope;

namespace {

template <class Scalar>
using Matrix = Eigen::Matrix<Scalar, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

struct Instance {
  std::string family, function;  // listing, and a part of the symbol that only this one has
  Dim3 block;
  std::int64_t tile_m = 1, tile_n = 1;  // of C, that a CTA makes
  bool bounds = false;                  // any sizes
  bool grouped = false;                 // takes the raster's group as its last argument
  bool columns_first = true;            // columns of C along x
};

struct Size {
  std::int64_t m, n, k;
};

std::string launch_file(const test::SassScratch& scratch, const Instance& instance, Size size, int architecture,
                        std::size_t element, bool with_values) {
  const auto [m, n, k] = size;
  const auto buffer = [&](std::int64_t count, const char* file) {
    return fmt::format("{{buffer: {}{}}}", static_cast<std::size_t>(count) * element,
                       with_values ? std::string(", file: ") + file : "");
  };
  const auto up = [](std::int64_t value, std::int64_t by) { return (value + by - 1) / by; };
  const std::int64_t columns = up(n, instance.tile_n), rows = up(m, instance.tile_m);
  return scratch.write(
      "gemm.yaml",
      fmt::format("kernel: {{sass: {0}gpu/{1}.sm_{2}.sass, elf: {0}gpu/{1}.sm_{2}.elf, name: {3}}}\n"
                  "grid: [{4}, {5}]\nblock: [{6}, {7}]\nargs: [{8}, {9}, {{buffer: {10}}}, {11}, {12}, {13}{14}]\n",
                  test::sass_samples, instance.family, architecture, instance.function,
                  instance.columns_first ? columns : rows, instance.columns_first ? rows : columns, instance.block.x,
                  instance.block.y, buffer(m * k, "a.bin"), buffer(k * n, "b.bin"), 4 * m * n, m, n, k,
                  instance.grouped ? ", 1" : ""));
}

template <class Scalar>
std::string bytes_of(const Matrix<Scalar>& matrix) {
  std::string bytes(static_cast<std::size_t>(matrix.size()) * sizeof(Scalar), '\0');
  std::memcpy(bytes.data(), matrix.data(), bytes.size());
  return bytes;
}

Instance naive(bool columns) {
  const Dim3 block{16, 8, 1};
  return {"gemm_naive",
          fmt::format("LanesE{}", columns ? 0 : 1),
          block,
          columns ? block.y : block.x,
          columns ? block.x : block.y,
          true,
          false,
          columns};
}

Instance tiled(int tile, int pad_a, int pad_b, bool transposed, bool swizzled, bool bounds) {
  return {
      "gemm_tiled",
      fmt::format("gemm_tiledILi{}ELi{}ELi{}ELb{:d}ELb{:d}ELb{:d}E", tile, pad_a, pad_b, transposed, swizzled, bounds),
      {tile, tile, 1},
      tile,
      tile,
      bounds};
}

Instance registers(int bm, int bn, int bk, int tm, int tn, int vector) {
  return {"gemm_register",
          fmt::format("gemm_registerILi{}ELi{}ELi{}ELi{}ELi{}ELi{}E", bm, bn, bk, tm, tn, vector),
          {bm / tm * (bn / tn), 1, 1},
          bm,
          bn,
          false,
          true};
}

Instance async(int tile, int vector) {
  return {"gemm_async", fmt::format("gemm_asyncILi{}ELi{}E", tile, vector), {tile, tile, 1}, tile, tile};
}

Instance tensor(int bm, int bn, int threads) {
  return {"gemm_tensor", fmt::format("gemm_tensorILi{}ELi{}ELi32E", bm, bn), {threads, 1, 1}, bm, bn};
}

// Executes every instruction and compares C; false when the listing of this architecture does not have the instance.
template <class Scalar>
bool multiplies(const Instance& instance, Size size, int architecture) {
  CAPTURE(instance.function);
  CAPTURE(architecture);
  const test::SassScratch scratch;
  std::srand(7);
  const Matrix<Scalar> a = Matrix<float>::Random(size.m, size.k).template cast<Scalar>();
  const Matrix<Scalar> b = Matrix<float>::Random(size.k, size.n).template cast<Scalar>();
  scratch.write("a.bin", bytes_of<Scalar>(a));
  scratch.write("b.bin", bytes_of<Scalar>(b));
  auto launch = sass::read_launch_file(launch_file(scratch, instance, size, architecture, sizeof(Scalar), true), true);
  if (!launch && architecture == 80) return false;
  if (!launch) FAIL(to_string(launch.error()));
  sass::execute_grid(launch->program, launch->launch, launch->memory, launch->shared_bytes);
  const Matrix<float> expected = a.template cast<float>() * b.template cast<float>();
  const auto& written = launch->memory.buffers[2].bytes;
  REQUIRE(written.size() == static_cast<std::size_t>(size.m * size.n) * 4);
  Matrix<float> c(size.m, size.n);
  std::memcpy(c.data(), written.data(), written.size());
  CHECK((c - expected).norm() / expected.norm() < 1e-5F);
  return true;
}

}  // namespace

TEST_CASE("GEMMs computed by executing machine code equal Eigen's") {
  int older = 0;  // compiled for sm_80
  const auto check = [&](const Instance& instance, Size size) {
    CHECK(multiplies<float>(instance, size, 90));
    older += multiplies<float>(instance, size, 80) ? 1 : 0;
  };
  const Size odd{45, 51, 19}, small{32, 32, 32}, large{128, 128, 16};
  for (const bool columns : {true, false}) check(naive(columns), odd);
  for (const int tile : {8, 16, 32}) check(tiled(tile, 0, 0, false, false, true), odd);
  check(tiled(32, 0, 0, true, true, true), odd);
  check(tiled(4, 0, 0, false, false, false), small);
  for (const int pad : {0, 1, 4}) check(tiled(32, pad, 0, false, false, false), small);
  check(tiled(32, 1, 1, false, false, false), small);
  for (const int tile : {16, 32}) check(tiled(tile, 0, 0, true, true, false), small);
  for (const int pad : {0, 1}) check(tiled(32, pad, 0, true, false, false), small);
  for (const int vector : {1, 4}) {
    check(registers(64, 64, 8, 4, 4, vector), large);
    check(registers(128, 128, 8, 8, 8, vector), large);
    check(registers(32, 128, 8, 4, 4, vector), large);
    check(registers(128, 64, 16, 8, 4, vector), large);
    check(async(16, vector), small);
    check(async(32, vector), small);
  }
  CHECK(older > 8);
}

TEST_CASE("tensor-core GEMMs of halves, computed by executing machine code, equal Eigen's of the same halves") {
  CHECK(multiplies<Eigen::half>(tensor(64, 64, 128), {64, 64, 64}, 90));
  CHECK(multiplies<Eigen::half>(tensor(64, 64, 128), {64, 64, 64}, 80));
  CHECK(multiplies<Eigen::half>(tensor(128, 128, 256), {128, 128, 32}, 90));
}
