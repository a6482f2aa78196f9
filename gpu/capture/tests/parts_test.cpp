#include <doctest/doctest.h>

#include "allocations.h"
#include "contents.h"
#include "cubin_text.h"
#include "function_image.h"
#include "journal.h"
#include "launch_text.h"
#include "options.h"
#include "tensor_map.h"
#include "zstd_frame.h"

#ifdef TILESCOPE_HAS_ZSTD
#include <zstd.h>
#endif

namespace tilescope::capture {
namespace {

TEST_CASE("parameters come in their order, from entries in any order") {
  const Cubin cubin(
      made_cubin(parameter(2, 16, 200) + parameter(0, 0, 8) + info(0x3d, numbers({2, 1, 1})) + parameter(1, 8, 4)));
  const KernelLayout layout = cubin.layout("kernel");
  REQUIRE(layout.parameters.size() == 3);
  CHECK(layout.parameters[2].offset == 16);
  CHECK(layout.parameters[2].bytes == 200);
  CHECK(layout.parameter_bytes == 216);
  CHECK(layout.cluster[0] == 2);
  CHECK(layout.unreadable.empty());
  CHECK(Cubin(made_cubin(parameter(1, 8, 4))).layout("kernel").unreadable ==
        "its cubin leaves out one of its parameters");
  CHECK(cubin.layout("other").unreadable == "its cubin says nothing of its parameters");
}

TEST_CASE("an image cut short or overwritten is read without harm") {
  const std::vector<std::uint8_t> whole = made_cubin(parameter(0, 0, 8));
  CHECK(Cubin::image_bytes(whole.data()) == whole.size());
  for (std::size_t size = sizeof(Elf64_Ehdr); size < whole.size(); size += 13) {
    const Cubin cubin(std::vector<std::uint8_t>(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size)));
    const auto function = cubin.function("kernel");
    if (function) CHECK(function_image(cubin, *function).size() > 0);
  }
  std::vector<std::uint8_t> changed = whole;
  for (std::size_t at = 4; at < whole.size(); at += 3) {
    changed[at] ^= 0xff;
    const Cubin cubin(changed);
    const auto function = cubin.function("kernel");
    if (function) CHECK(function_image(cubin, *function).size() > 0);
    changed[at] = whole[at];
  }
}

TEST_CASE("a function's image holds its code and what it calls, under the same numbers") {
  const Cubin cubin(made_cubin(parameter(0, 0, 8)));
  const Cubin part(function_image(cubin, *cubin.function("kernel")));
  CHECK(part.function("kernel") == cubin.function("kernel"));
  CHECK(part.function("helper") == cubin.function("helper"));
  CHECK_FALSE(part.function("other").has_value());
  CHECK(part.contents(part.sections()[part.section(".text.helper")]) == std::string(32, 'h'));
  CHECK(part.layout("kernel").parameters.size() == 1);
  CHECK(info_entries(part.contents(part.sections()[part.section(".nv.info")])).size() == 2);
  CHECK(part.section(".text.other") == 0);
  CHECK(part.bytes().size() + 4000 < cubin.bytes().size());
}

TEST_CASE("variables and tables of functions come along when the code reads their addresses") {
  const auto part_of = [](std::uint64_t instruction) {
    std::vector<std::uint8_t> bytes = made_cubin(parameter(0, 0, 8), '\0');
    const Cubin empty(bytes);
    std::memcpy(bytes.data() + empty.sections()[empty.section(".text.kernel")].sh_offset, &instruction,
                sizeof instruction);
    const Cubin cubin(bytes);
    return Cubin(function_image(cubin, *cubin.function("kernel")));
  };
  const Cubin none = part_of(0x00000a00ff017b82);  // LDC R1, c[0x0][0x28]
  for (const char* section : {".nv.constant3", ".nv.constant4", ".nv.global.init", ".text.other"})
    CHECK(none.section(section) == 0);
  const Cubin constants = part_of(0x00c00100ff047b82);  // LDC R4, c[0x3][0x4]
  CHECK(constants.section(".nv.constant3") != 0);
  CHECK(constants.section(".nv.constant4") == 0);
  const Cubin all = part_of(0x01000200ff047b82);  // LDC R4, c[0x4][0x8]
  const Cubin code(function_image(all, *all.function("kernel"), false));
  CHECK(code.section(".text.kernel") != 0);
  for (const char* section :
       {".nv.constant4", ".rela.nv.constant4", ".nv.global.init", ".rela.nv.global.init", ".text.other"}) {
    CHECK(all.section(section) != 0);
    CHECK(code.section(section) == 0);
  }
}

TEST_CASE("an address belongs to the allocation that holds it; mapped neighbours are one") {
  Allocations memory;
  memory.add(0x1000, 0x100);
  memory.map(0x10000, 0x1000);
  memory.map(0x11000, 0x1000);
  memory.map(0x20000, 0x1000);
  CHECK(memory.find(0x10ff)->address == 0x1000);
  CHECK_FALSE(memory.find(0x1100).has_value());
  CHECK(memory.find(0x11800)->address == 0x10000);
  CHECK(memory.find(0x11800)->bytes == 0x2000);
  memory.unmap(0x10000, 0x2000);
  CHECK_FALSE(memory.find(0x10800).has_value());
  CHECK(memory.find(0x20fff)->bytes == 0x1000);
  CHECK(memory.range() == std::pair<std::uint64_t, std::uint64_t>{0x1000, 0x21000});
}

TEST_CASE("a struct by value is its bytes, and says which of them are pointers and tensor maps") {
  LaunchFile file;
  file.code = "../code/a-1.cubin";
  file.kernel = "a b";
  file.parameters = {{0, 24}, {24, 1}, {26, 2}};
  file.arguments.assign(28, '\0');
  const std::uint64_t pointer = 0x7f0000000010;
  std::memcpy(file.arguments.data() + 8, &pointer, 8);
  file.arguments[24] = '\xff';
  file.buffers[0x7f0000000000].place = {0x7f0000000000, 64};
  CHECK(launch_text(file) ==
        "kernel: {cubin: ../code/a-1.cubin, name: \"a b\"}\ngrid: [1, 1, 1]\nblock: [1, 1, 1]\ndynamic_smem: 0\n"
        "buffers:\n  m1: {size: 64, address: 0x7f0000000000}\nargs:\n"
        "  - {bytes: \"000000000000000010000000007f00000000000000000000\", pointers: {8: {pointer: m1, offset: 16}}}\n"
        "  - {u8: 255}\n  - {u16: 0}\n");
  const cuuint64_t dims[] = {1024, 4096}, strides[] = {2048};
  const cuuint32_t box[] = {64, 128}, steps[] = {1, 1};
  const TensorMap map = describe({CU_TENSOR_MAP_DATA_TYPE_FLOAT16, 2, 0x7f0000000000, dims, strides, box, steps,
                                  CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_128B,
                                  CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE});
  file.parameters = {{0, 128}};
  file.arguments.assign(128, '\1');
  file.tensor_maps[0] = map;
  CHECK(launch_text(file).find(
            "  - {tensor_map: {buffer: m1, offset: 0, type: f16, dims: [1024, 4096], strides: [2048], box: [64, 128], "
            "element_strides: [1, 1], swizzle: 128, interleave: none, l2_promotion: none, oob_fill: none}}\n") !=
        std::string::npos);
}

TEST_CASE("a journal is read up to the first record that is not whole") {
  LaunchFile file;
  file.code = "../code/a-1.cubin";
  file.kernel = "k";
  file.shape.grid = {3, 2, 1};
  file.shape.attributes["carveout"] = "50";
  file.parameters = {{0, 8}};
  file.arguments.assign(8, 'x');
  file.buffers[4096] = {{4096, 64}, {{0, "../memory/a.zst"}}, "left out"};
  file.tensor_maps[0] = {4096, "words"};
  file.remark = "remark";
  const std::string record = journal_record(file);
  const std::string text = launch_text(file);
  for (std::size_t size = 0; size <= record.size(); ++size) {
    const auto read = read_journal(record + record.substr(0, size) + std::string(size == record.size() ? 0 : 64, '\0'));
    REQUIRE(read.size() == (size == record.size() ? 2 : 1));
    CHECK(launch_text(read.back()) == text);
  }
  std::string changed = record;
  changed[30] ^= 1;
  CHECK(read_journal(changed).empty());
}

TEST_CASE("what is zero is left out, in whole chunks") {
  std::string piece(5 * kChunk / 2, '\0');
  CHECK(stretches_of(piece).empty());
  piece[kChunk + 1] = 1;
  CHECK(stretches_of(piece) == std::vector<Stretch>{{kChunk, 2 * kChunk}});
  piece.back() = 1;
  CHECK(stretches_of(piece) == std::vector<Stretch>{{kChunk, 5 * kChunk / 2}});
}

TEST_CASE("a limit on memory keeps small buffers whole") {
  const auto windows = windows_within({{0, 1000 * kChunk}, {1, 100}}, {500 * kChunk + 5, 0}, 100 * kChunk);
  CHECK(windows[1].end == 100);
  CHECK(windows[0].begin == 500 * kChunk);
  CHECK(windows[0].end - windows[0].begin == 100 * kChunk - 100);
}

TEST_CASE("names that YAML would read as something else are quoted") {
  for (const char* plain : {"_Z6kernelPf", "matmul_kernel_0d1d"}) CHECK(yaml_text(plain) == plain);
  CHECK(yaml_text("no") == "\"no\"");
  CHECK(yaml_text("1e5") == "\"1e5\"");
  CHECK(yaml_text("a: \"b\"\n") == "\"a: \\\"b\\\"\\x0a\"");
}

TEST_CASE("sizes in bytes") {
  CHECK(bytes_from("64MiB") == std::uint64_t{64} << 20);
  CHECK(bytes_from("12") == 12U);
  for (const char* wrong : {"", "MiB", "1MB", "-1", "99999999999GiB"}) CHECK_FALSE(bytes_from(wrong).has_value());
}

#ifdef TILESCOPE_HAS_ZSTD
TEST_CASE("frames without libzstd are read by libzstd") {
  for (const std::size_t size : {0, 1, 2, 1000, 131072, 131073, 400000})
    for (const bool repeats : {false, true}) {
      std::string contents(size, 'x');
      for (std::size_t i = 0; !repeats && i < size; ++i) contents[i] = static_cast<char>(i * 31 + i / 97);
      const std::string frame = plain_zstd_frame(contents);
      std::string back(size, '\0');
      CHECK(ZSTD_getFrameContentSize(frame.data(), frame.size()) == size);
      CHECK(ZSTD_decompress(back.data(), size, frame.data(), frame.size()) == size);
      CHECK(back == contents);
    }
}
#endif

}  // namespace
}  // namespace tilescope::capture
