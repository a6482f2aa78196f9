#include <doctest/doctest.h>

#include <algorithm>

#include "traces/kernels/registry.h"

using namespace tilescope;

namespace {

std::vector<std::string> problems(const std::string& name, const ParameterTexts& parameters) {
  auto made = make_kernel(name, parameters);
  return made ? std::vector<std::string>{} : made.error();
}

}  // namespace

TEST_CASE("every built-in kernel runs with its defaults and states them") {
  for (const KernelInfo& info : builtin_kernels()) {
    CAPTURE(info.name);
    CHECK(is_builtin_kernel(info.name));
    const auto made = make_kernel(info.name, {});
    REQUIRE(made.has_value());
    CHECK((*made)->launch().kernel == info.name);
    CHECK((*made)->launch().parameters.size() == info.parameters.size());
    for (const ParameterInfo& parameter : info.parameters) {
      CHECK_FALSE(parameter.meaning.empty());
      CHECK_FALSE(parameter.accepted().empty());
    }
  }
}

TEST_CASE("wrong names, keys and values are all reported at once, with what is accepted") {
  CHECK(problems("gemm_tilde", {}) ==
        std::vector<std::string>{
            "kernel 'gemm_tilde': unknown (did you mean gemm_tiled?); built in are gemm_naive, "
            "gemm_tiled, gemm_register, gemm_warp, gemm_async, gemm_tensor, pointer_chase, reread, copy, strided and "
            "transpose"});
  const std::vector<std::string> found =
      problems("gemm_tiled", {{"tile", "33"}, {"K", "0"}, {"swizle", "xor"}, {"raster", "mortn"}, {"N", "1e3"}});
  REQUIRE(found.size() == 5);
  CHECK(found[0] == "parameter K: got '0'; must be a whole number from 1 to 65536");
  CHECK(found[1] == "parameter N: got '1e3'; must be a whole number from 1 to 65536");
  CHECK(found[2] == "parameter raster: got 'mortn'; must be row, column, grouped or morton (did you mean morton?)");
  CHECK(found[3].starts_with("parameter 'swizle': unknown (did you mean swizzle?); this kernel has M, N, K, tile"));
  CHECK(found[4] == "parameter tile: got '33'; must be a whole number from 2 to 32");
}

TEST_CASE("what depends on several parameters is checked too") {
  CHECK(problems("gemm_tiled", {{"swizzle", "xor"}, {"tile", "12"}}) ==
        std::vector<std::string>{"parameter tile: got 12; must be 2, 4, 8, 16 or 32 with swizzle=xor"});
  CHECK(problems("gemm_tiled", {{"M", "1000"}, {"bounds", "0"}}) ==
        std::vector<std::string>{
            "parameter M: got 1000; must be a multiple of tile=32 with bounds=0 (bounds=auto checks)"});
  CHECK(problems("gemm_register", {{"M", "1000"}, {"bk", "6"}}).size() == 3);  // M of bm, bk of vector, K of bk
  CHECK(problems("gemm_warp", {{"wm", "40"}, {"wn", "128"}}).size() == 2);     // bm of wm, wm of 16
  CHECK(problems("gemm_warp", {{"bk", "2"}, {"vector", "1"}, {"bm", "16"}, {"wm", "16"}}).size() == 1);  // idle threads
  CHECK(problems("gemm_async", {{"tile", "18"}, {"M", "36"}, {"N", "36"}, {"K", "36"}}) ==
        std::vector<std::string>{"parameter tile: got 18; must be a multiple of 4, so that a copy and a read of A's "
                                 "tile bring four floats of a row"});
  CHECK(problems("gemm_async", {{"K", "1000"}}) ==
        std::vector<std::string>{"parameter K: got 1000; must be a multiple of tile=32"});
  CHECK(problems("gemm_async", {{"code", "sm_70"}}) ==
        std::vector<std::string>{"parameter code: got 'sm_70'; must be sm_80 or sm_90 (did you mean sm_80?)"});
  CHECK(problems("gemm_tensor", {{"wm", "24"}, {"bm", "96"}, {"M", "960"}}) ==
        std::vector<std::string>{"parameter wm: got 24; must be a multiple of 16, a side of a fragment"});
  CHECK(problems("gemm_tensor", {{"bm", "16"}, {"wm", "16"}}) ==
        std::vector<std::string>{"parameters bm, bn and bk: 64 and 512 copies of 16 byte to a tile's A and B; must be "
                                 "multiples of the 128 threads"});
  CHECK(problems("gemm_tensor", {{"dtype", "f32"}}).size() == 1);
  CHECK(problems("gemm_tensor", {{"dtype", "bf16"}, {"swizzle", "xor"}}) ==
        std::vector<std::string>{"parameter dtype: got 'bf16'; must be f16 with stages=1, the other types are copied "
                                 "asynchronously (stages=2 to 5)",
                                 "parameter swizzle: got 'xor'; must be auto or pad with stages=1, chunks are permuted "
                                 "with stages=2 to 5"});
  CHECK(problems("gemm_tensor", {{"stages", "6"}}) ==
        std::vector<std::string>{"parameter stages: got '6'; must be a whole number from 1 to 5"});
  CHECK(problems("gemm_tensor", {{"stages", "3"}, {"bk", "128"}}) ==
        std::vector<std::string>{"parameter bk: got 128; must be 32 or 64 with dtype=f16, 64 or 128 byte of a row"});
  CHECK(problems("gemm_tensor", {{"stages", "2"}, {"dtype", "s8"}}) ==
        std::vector<std::string>{"parameter bk: got 32; must be 64 or 128 with dtype=s8, 64 or 128 byte of a row"});
  for (const char* code : {"sm_80", "sm_90"})
    CHECK(problems("gemm_tensor", {{"stages", "2"}, {"dtype", "tf32"}, {"swizzle", "pad"}, {"code", code}}) ==
          std::vector<std::string>{"parameter dtype: got 'tf32'; must be f16 with swizzle=pad, no other type was "
                                   "compiled so"});
  CHECK(problems("gemm_tensor", {{"stages", "2"}, {"bm", "32"}, {"wm", "16"}}) ==
        std::vector<std::string>{"parameters bm, bn and bk: 128 and 512 copies of 16 byte to a tile's A and B; must be "
                                 "multiples of the 256 threads"});
  CHECK(problems("pointer_chase", {{"stride", "100"}}).size() == 1);
  CHECK(problems("reread", {{"form", "shared_set"}, {"bytes", "1000000"}}).size() == 1);
}

TEST_CASE("every type and number of stages of tensor-core tiles makes a kernel, for both architectures") {
  struct Row {
    const char *dtype, *bk;
    std::int64_t step_bytes;
  };
  for (const char* code : {"sm_80", "sm_90"})
    for (const Row& row :
         {Row{"f16", "32", 64}, {"f16", "64", 128}, {"bf16", "32", 64}, {"tf32", "32", 128}, {"s8", "64", 64}})
      for (const int stages : {2, 3, 4, 5}) {
        CAPTURE(row.dtype);
        CAPTURE(stages);
        const auto made = make_kernel("gemm_tensor", {{"M", "256"},
                                                      {"N", "256"},
                                                      {"K", "256"},
                                                      {"dtype", row.dtype},
                                                      {"stages", std::to_string(stages)},
                                                      {"bk", row.bk},
                                                      {"code", code}});
        REQUIRE(made.has_value());
        CHECK((*made)->launch().dynamic_smem_bytes == stages * (128 + 128) * row.step_bytes);
        CHECK((*made)->launch().flop == 2.0 * 256 * 256 * 256);
      }
}

TEST_CASE("numbers that fit no integer are refused, not wrapped") {
  for (const char* text : {"", " 1", "1 ", "+1", "-1", "99999999999999999999999", "0x10", "1.0", "65537"}) {
    CAPTURE(text);
    CHECK(problems("gemm_naive", {{"M", text}}).size() == 1);
  }
}

TEST_CASE("the largest accepted sizes are made at once, and impossible launches are left to the occupancy model") {
  const auto largest = make_kernel("gemm_tiled", {{"M", "65536"}, {"N", "65536"}, {"K", "65535"}, {"tile", "4"}});
  REQUIRE(largest.has_value());
  CHECK((*largest)->launch().grid.count() == 16384LL * 16384);
  const auto threads = make_kernel("gemm_naive", {{"block_x", "1024"}, {"block_y", "1024"}});
  REQUIRE(threads.has_value());
  CHECK((*threads)->launch().block.count() == 1048576);
}
