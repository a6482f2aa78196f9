// Which values are computed because an address depends on them (traces/sass/slice.h).
#include "published.h"
#include "sass_runs.h"
#include "sass_text.h"

using namespace tilescope;

TEST_CASE("a move into a uniform register under a guard needs its source in the guard's lanes alone") {
  const auto listing = [](const std::string& guard) {
    return std::vector<std::string>{"ISETP.EQ.AND P0, PT, R2, RZ, PT",
                                    "ISETP.EQ.AND P1, PT, R3, RZ, PT",
                                    "HGMMA.64x8x16.F32 R4, gdesc[UR8], R4, gsb0",
                                    guard + " MOV R4, R3",
                                    "@P0 R2UR UR4, R4",
                                    "MOV R5, UR4",
                                    "@P0 STS [R5], R3",
                                    "EXIT"};
  };
  CHECK(test::sass_program(listing("@P0")));
  const auto other = test::sass_program(listing("@P1"));
  REQUIRE_FALSE(other);
  CHECK(to_string(other.error()).find("the values of 'HGMMA") != std::string::npos);
}

TEST_CASE("tensor maps that a kernel writes into global memory are what its copies read") {
  const std::string measured = TILESCOPE_SOURCE_DIR "/gpu/measured/h200/triton/train/";
  const std::string recorded = read_text_file(measured + "launches/0021.yaml").value();
  const std::size_t at = recorded.find("code/");
  const std::string code = measured + recorded.substr(at, recorded.find(',', at) - at);
  const test::SassScratch scratch;
  const auto kernel = test::sass_kernel(scratch.write(
      "m.yaml",
      "kernel: {sass: " + code +
          ", name: matmul_tma_device}\ngrid: [1]\nblock: [256]\ndynamic_smem: 98328\n"
          "args: [{buffer: 64KiB}, {buffer: 64KiB}, {buffer: 64KiB}, 128, 128, 128, {buffer: 64KiB}, {u64: 0x0}]\n"));
  auto published = test::published(*kernel);
  // Two tiles of 128 x 128 elements of 16 bits; nothing else is read from L2 (atomics apart).
  CHECK(published["lts__t_sectors_srcunit_tex_op_read.sum"] == 2 * 128 * 128 * 2 / 32);
}
