// Kernels that Triton compiled (probe/tri.py): they do what an H200 counted.
#include <fmt/format.h>

#include "published.h"
#include "sass_runs.h"

using namespace tilescope;

TEST_CASE("Triton's kernels execute, request and conflict as the hardware counted") {
  const std::string buffer = "{buffer: 1MiB, init: random, below: 1000}", gone = "{i64: 0}, {i64: 0}";
  const std::string b2 = buffer + ", " + buffer, b3 = b2 + ", " + buffer, b4 = b2 + ", " + b2;
  const std::string product = b3 + ", 512, 512, 512, 512, 512, 512, " + gone;
  struct {
    const char *listing, *name, *grid;
    int block, shared;
    std::string arguments;
    std::int64_t instructions, load_requests, load_sectors, load_wavefronts;
  } const rows[] = {
      {"triton_layernorm", "layernorm", "[64]", 128, 2048, b4 + ", 1000, 1000, {f32: 1e-5}, " + gone, 71424, 6144,
       96000, 2688},
      {"triton_attention", "attention", "[4, 2]", 128, 49152, b4 + ", {f32: 0.18}, 512, " + gone, 195904, 2304, 36864,
       1024},
      {"triton_embedding", "embedding", "[128]", 128, 0, b3 + ", " + gone, 16384, 1024, 3712, 0},
      {"triton_histo", "histo", "[16]", 128, 4096, b2 + ", 8000, " + gone, 5912, 63, 1000, 512},
      {"triton_cumsum", "cumsum", "[8]", 128, 32, b2 + ", 8192, " + gone, 2976, 64, 1024, 128},
      {"triton_vadd", "vadd", "[64]", 128, 0, b3 + ", 65000, " + gone, 20472, 4064, 65000, 0},
      {"triton_sortk", "sortk", "[1]", 128, 1024, b2 + ", " + gone, 1648, 4, 32, 120},
      {"triton_mm_wgmma", "mm", "[16]", 256, 98304, product, 167168, 8192, 131072, 4096},
      {"triton_mm_small", "mm", "[256]", 128, 4096, product, 854016, 32768, 524288, 266240},
      {"triton_mm_tf32", "mm", "[64]", 128, 49152, product, 659200, 81920, 1310720, 4096},
      {"triton_softmax", "softmax", "[128]", 128, 32, b2 + ", 1000, 1000, 1000, " + gone, 111616, 4096, 16000, 1280},
  };
  const test::SassScratch scratch;
  for (const auto& row : rows) {
    CAPTURE(row.listing);
    const std::string file = scratch.write(
        "t.yaml",
        fmt::format("kernel: {{sass: {0}{1}.sm_90.sass, elf: {0}{1}.sm_90.elf, name: {2}}}\ngrid: {3}\nblock: [{4}]\n"
                    "dynamic_smem: {5}\nargs: [{6}]\n",
                    test::sass_data, row.listing, row.name, row.grid, row.block, row.shared, row.arguments));
    const auto kernel = test::sass_kernel(file);
    auto published = test::published(*kernel);
    CHECK(published["smsp__inst_executed.sum"] == static_cast<double>(row.instructions));
    CHECK(published["l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum"] == static_cast<double>(row.load_requests));
    CHECK(published["l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"] == static_cast<double>(row.load_sectors));
    CHECK(published["l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum"] ==
          static_cast<double>(row.load_wavefronts));
  }
}

TEST_CASE("values of a warpgroup's products are refused where they are asked for, and only there") {
  const std::string buffer = "{buffer: 1MiB}";
  const test::SassScratch scratch;
  const std::string file = scratch.write("w.yaml", "kernel: {sass: " + test::sass_data +
                                                       "triton_mm_wgmma.sm_90.sass, registers: 122, static_smem: 0}\n"
                                                       "grid: [16]\nblock: [256]\ndynamic_smem: 98304\nargs: [" +
                                                       buffer + ", " + buffer + ", " + buffer +
                                                       ", 512, 512, 512, 512, 512, 512, {i64: 0}, {i64: 0}]\n");
  CHECK(sass::read_launch_file(file, false).has_value());
  const auto all = sass::read_launch_file(file, true);
  REQUIRE_FALSE(all.has_value());
  CHECK(to_string(all.error()).find("HGMMA.64x128x16.F32 R24") != std::string::npos);
}
