// Keys of a launch file that a recorder writes: buffers at addresses, contents, pointers, raw bytes, tensor maps.
#include <fmt/format.h>

#include <algorithm>

#include "cli_answer.h"
#include "published.h"
#include "sass_runs.h"
#include "traces/sass/listing_cache.h"

using namespace tilescope;

namespace {

// copy<float4>: out = in, 65536 floats of 16 byte are read and written.
std::string copy_with(const std::string& keys, const std::string& args) {
  return "kernel: {sass: " + test::sass_samples + "gpu/copy.sm_90.sass, elf: " + test::sass_samples +
         "gpu/copy.sm_90.elf, name: copyI6float4E}\ngrid: [64]\nblock: [256]\n" + keys + "args: [" + args + "]\n";
}

CliAnswer counts_of(const std::string& file) { return ask({"run", file, "--mode", "counts"}); }

// The bases of the kernel's first global load and store.
std::pair<std::uint64_t, std::uint64_t> first_addresses(const std::string& file) {
  const auto kernel = test::sass_kernel(file);
  std::uint64_t load = 0, store = 0;
  const auto stream = kernel->make_stream();
  stream->start(0, 0, Operands::all);
  for (Segment segment; stream->next(segment);) {
    const MemoryOperand* operand = segment.operands;
    for (std::uint32_t i = 0; i < segment.length; ++i) {
      if (segment.code[i].op == OpClass::global_load && load == 0) load = operand->base;
      if (segment.code[i].op == OpClass::global_store && store == 0) store = operand->base;
      operand += memory_operands(segment.code[i].op);
    }
  }
  return {load, store};
}

sass::CompiledLaunch compiled(const std::string& file) {
  auto launch = sass::read_launch_file(file);
  if (!launch) FAIL(to_string(launch.error()));
  return std::move(*launch);
}

}  // namespace

TEST_CASE("a buffer lies at the address that the program had, and pointers lie in it") {
  const test::SassScratch scratch;
  const std::string keys = "buffers: {a: {size: 4MiB, address: 0x7f12a0000000}}\n";
  const auto [load, store] = first_addresses(
      scratch.write("a.yaml", copy_with(keys, "{pointer: a, offset: 512}, {pointer: a, offset: 2MiB}, 65536")));
  CHECK(load == 0x7f12a0000200);
  CHECK(store == 0x7f12a0200000);
  // The same as raw numbers, as bytes, and as bytes with a pointer put into them.
  for (const char* args : {"{u64: 0x7f12a0000200}, {i64: 0x7f12a0200000}, 65536",
                           "{bytes: 000200a0127f0000}, {bytes: \"000020A0127F0000\"}, {bytes: \"00000100\"}",
                           "{bytes: ffffffffffffffff, pointers: {0: {pointer: a, offset: 0x200}}}, {pointer: a, "
                           "offset: 2097152}, 65536"}) {
    CAPTURE(args);
    CHECK(first_addresses(scratch.write("b.yaml", copy_with(keys, args))) == std::pair{load, store});
  }
}

TEST_CASE("buffers without an address lie away from those with one") {
  const test::SassScratch scratch;
  const std::string keys =
      "buffers:\n  a: {size: 1GiB, address: 0x7f0000000000}\n  b: {size: 1MiB}\n  c: {size: 3, address: 0x10000}\n";
  const auto launch = compiled(
      scratch.write("a.yaml", copy_with(keys, "{pointer: b}, {buffer: 1MiB, name: d, init: iota}, {i32: 65536}")));
  const auto& buffers = launch.memory.buffers;
  REQUIRE(buffers.size() == 4);
  for (std::size_t i = 1; i < buffers.size(); ++i) CHECK(buffers[i].base >= buffers[i - 1].base + buffers[i - 1].size);
  CHECK(buffers[0].base == 0x10000);
  CHECK(buffers[2].base >= 0x7f0040000000);
}

TEST_CASE("contents stand where they are put, and everything else of the buffer is zero") {
  const test::SassScratch scratch;
  scratch.write("x.bin", std::string(3000, 'x'));
  scratch.write("y.bin", "yz");
  const std::string keys =
      "buffers: {a: {size: 1GiB, address: 0x7f1200000100, contents: [{at: 0x20000001, file: y.bin}, {at: 5000, file: "
      "x.bin}, {at: 8001, file: y.bin}]}, b: {size: 1MiB}}\n";
  auto launch = compiled(scratch.write("a.yaml", copy_with(keys, "{pointer: a}, {pointer: b}, 65536")));
  std::atomic<std::uint64_t> pages{0};
  sass::CtaMemory memory(launch.memory, 0, false, pages, 1 << 20);
  const auto byte_at = [&](std::uint64_t offset) {
    const std::uint64_t address = 0x7f1200000100 + offset;
    return memory.global(address & ~std::uint64_t{15}, 16)[address & 15];
  };
  for (const bool written : {false, true}) {  // then with pages of the CTA's own over them
    CAPTURE(written);
    CHECK(byte_at(4999) == 0);
    CHECK(byte_at(5000) == 'x');
    CHECK(byte_at(7999) == 'x');
    CHECK(byte_at(8000) == 0);
    CHECK(byte_at(8001) == 'y');
    CHECK(byte_at(8002) == 'z');
    CHECK(byte_at(8003) == 0);
    CHECK(byte_at(0x20000001) == 'y');
    CHECK(byte_at(0x20000002) == 'z');
    CHECK(byte_at(0x3fffffff) == 0);
    for (const std::uint64_t offset : {4096, 8192, 0x20000010}) memory.global_to_write(0x7f1200000100 + offset, 1);
  }
  std::uint64_t held = 0;
  for (const auto& buffer : launch.memory.buffers) held += buffer.bytes.size();
  CHECK(held < 10000);
}

TEST_CASE("two buffers in one page keep apart what a CTA writes") {
  const test::SassScratch scratch;
  const std::string keys =
      "buffers: {a: {size: 512, address: 0x7f1200000000, init: iota}, b: {size: 256, address: 0x7f1200000300, init: "
      "iota}}\n";
  auto launch = compiled(scratch.write("a.yaml", copy_with(keys, "{pointer: a}, {pointer: b}, 0")));
  std::atomic<std::uint64_t> pages{0};
  sass::CtaMemory memory(launch.memory, 0, false, pages, 1 << 20);
  *memory.global_to_write(0x7f1200000304, 1) = 77;
  CHECK(memory.global(0x7f1200000304, 1)[0] == 77);
  CHECK(memory.global(0x7f1200000308, 1)[0] == 2);
  CHECK(memory.global(0x7f1200000010, 1)[0] == 4);
  CHECK(memory.global_to_write(0x7f1200000200, 4) == nullptr);
  CHECK(memory.global(0x7f1200000200, 4)[0] == 0);
}

TEST_CASE("compressed files are read wherever a launch file names a file") {
  const test::SassScratch scratch;
  const std::string small = TILESCOPE_TEST_DATA "/bundle/small/";
  const std::string plain = scratch.write("plain.yaml", copy_with("", "{buffer: 1MiB}, {buffer: 1MiB}, 65536"));
  const std::string compressed =
      scratch.write("compressed.yaml", "kernel: {sass: " + small + "code/copy-1.sass.zst, elf: " + small +
                                           "code/copy-1.elf.zst, name: copyI6float4E}\ngrid: [64]\nblock: [256]\n"
                                           "args: [{buffer: 1MiB, file: " +
                                           small + "memory/5d1f.zst}, {buffer: 1MiB}, 65536]\n");
  CHECK(test::published(*test::sass_kernel(plain)) == test::published(*test::sass_kernel(compressed)));
}

TEST_CASE("a tensor map is an argument of 128 byte in the words of cuTensorMapEncodeTiled") {
  const test::SassScratch scratch;
  const std::string head = "kernel: {sass: " + test::sass_data +
                           "bulk.sm_90.sass}\ngrid: [2]\nblock: [128]\nbuffers: {a: {size: 64KiB}}\nargs: ["
                           "{tensor_map: {";
  const std::string words = "type: f16, dims: [1024, 4096], strides: [2048], box: [64, 128], element_strides: [1, 1], ";
  const auto read = [&](const std::string& map) {
    sass::LaunchReading how;
    return sass::read_launch(scratch.write("map.yaml", head + map + "}}]\n"), how);
  };
  for (const std::string& map :
       {"buffer: a, offset: 256, " + words + "swizzle: 128, interleave: none, l2_promotion: 256, oob_fill: nan",
        "buffer: 8MiB, " + words + "swizzle: none", "address: 0x1000, " + words + "swizzle: 4, oob_fill: 1",
        std::string("buffer: a, type: u8, dims: [16], box: [16]")}) {
    CAPTURE(map);
    const sass::ReadLaunch answer = read(map);
    CHECK_MESSAGE(answer.errors.empty(), to_string(answer.errors));
    REQUIRE(answer.facts.arguments.size() == 1);
    CHECK(answer.facts.arguments[0].starts_with("tensor map"));
  }
  const struct {
    const char *map, *sentence;
  } wrong[] = {
      {"type: f16, dims: [1], box: [1]", "must have either buffer or address"},
      {"buffer: b, type: f16, dims: [1], box: [1]", "got the buffer 'b'; must be a name"},
      {"buffer: a, type: f17, dims: [1], box: [1]", "type: got 'f17'; must be u8, u16"},
      {"buffer: a, dims: [1], box: [1]", "type: is missing"},
      {"buffer: a, type: f16, box: [1]", "dims: must have one to five sizes"},
      {"buffer: a, type: f16, dims: [1, 2], box: [1]", "strides: got 0 numbers; must be 1, for 2 dimensions"},
      {"buffer: a, type: f16, dims: [64, 2], strides: [100], box: [1, 1]",
       "strides: got 100; must be a multiple of 16"},
      {"buffer: a, type: f16, dims: [0], box: [257]", "box: got '257'; must be a whole number from 1 to 256"},
      {"buffer: a, type: f32, dims: [64], box: [64], swizzle: 128", "has 256 byte; must be at most 128, the swizzle's"},
      {"buffer: a, type: f16, dims: [1,1,1,1,1,1], box: [1]", "must be a list of at most 5 numbers"},
      {"buffer: a, type: f16, dims: [1], box: [1], boxes: 3", "boxes: unknown key"},
  };
  for (const auto& row : wrong) {
    CAPTURE(row.map);
    const std::string said = to_string(read(row.map).errors);
    CHECK_MESSAGE(said.find(row.sentence) != std::string::npos, said);
  }
}

TEST_CASE("everything wrong with buffers, pointers, attributes and clusters comes in one run") {
  const test::SassScratch scratch;
  const CliAnswer answer = counts_of(scratch.write(
      "bad.yaml", "kernel: {sass: " + test::sass_samples +
                      "gpu/copy.sm_90.sass, name: copyI6float4E}\n"
                      "grid: [9]\n"
                      "block: [256]\n"
                      "cluster: [2, 1]\n"
                      "attributes: {carveout: 101, cooperative: maybe, carveuot: 3, attribute_x: 1, priority: [1]}\n"
                      "buffers:\n"
                      "  a: {size: 4MiB, address: 0x7f1200000000}\n"
                      "  b: {size: 4MiB, address: 0x7f1200200000}\n"
                      "  c: {size: none, address: 3}\n"
                      "  d: {address: 0x7d0000001000}\n"
                      "  e: {size: 16MiB, address: 0x7cffff800000}\n"
                      "  f: {size: 8, address: -1, colour: 3}\n"
                      "  g: {size: 8, contents: [{at: 8, file: x}, {at: 0}, 3], init: zero}\n"
                      "  h: {size: 8, contents: [{at: 8, file: x}, {at: 0, file: /nowhere/x}, 3]}\n"
                      "  i: 4MiB\n"
                      "  j: {size: 2, address: 0xffffffffffffffff}\n"
                      "args:\n"
                      "  - {pointer: aa}\n"
                      "  - {pointer: a, offset: 5MiB}\n"
                      "  - {pointer: a, ofset: 5}\n"
                      "  - {bytes: abc}\n"
                      "  - {bytes: xy}\n"
                      "  - {bytes: 0011223344556677, pointers: {1: {pointer: a}, 0: {offset: 3}, 0x8: 4}}\n"
                      "  - {bytes: 00, pointers: {0: {pointer: a}}}\n"
                      "  - {buffer: 8, name: a}\n"
                      "  - {buffer: 8, name: [a]}\n"));
  CHECK(answer.code == 2);
  for (const char* sentence :
       {"4:10: error: cluster: got 2 x 1 x 1; must divide the grid, 9 x 1 x 1",
        "attributes.carveout: got '101'; must be a whole number from -1 to 100",
        "attributes.cooperative: got 'maybe'; must be true or false",
        "attributes.carveuot: unknown key (did you mean carveout?)",
        "attributes.attribute_x: unknown key",
        "attributes.priority: got a list; must be a plain value",
        "8:3: error: buffers: the one at 0x7f1200200000 lies over the one at 0x7f1200000000 (line 7)",
        "9:13: error: buffers.c: size: got 'none'",
        "buffers.d: size: is missing",
        "11:29: error: buffers.e: address: got '0x7cffff800000'; must not meet the 16777216 byte from 0x7d0000000000",
        "address: got '-1'; must be a device address",
        "buffers.f: colour: unknown key",
        "a buffer has either contents, or init or file",
        "contents: got at '8'; must be {at: OFFSET, file: FILE}, the offset within the buffer",
        "file: '/nowhere/x': cannot be read",
        "contents: got '3'; must be",
        "buffers.i: got '4MiB'; must be",
        "address: got '0xffffffffffffffff'; must be a device address",
        "got the buffer 'aa'; must be a name of `buffers:` or of an argument before (did you mean a?)",
        "offset: got '5MiB'; must be a number of bytes within the buffer, which has 4194304",
        "ofset: unknown key (did you mean offset?)",
        "bytes: got 'abc'; must be two hexadecimal digits",
        "bytes: got 'xy'",
        "pointers: got the place '1'; must be a byte of the 8 with eight to come",
        "pointers: got a map; must be {pointer: NAME, offset: N}",
        "pointers: got the place '0x8'",
        "pointers: got the place '0'; must be a byte of the 1",
        "name: got 'a'; another buffer has that name",
        "name: got a list; must be a plain word"}) {
    CAPTURE(sentence);
    CHECK_MESSAGE(answer.err.find(sentence) != std::string::npos, answer.err);
  }
}

TEST_CASE("a launch of clusters runs, of at most 16 CTAs") {
  const test::SassScratch scratch;
  const std::string args = "{buffer: 1MiB}, {buffer: 1MiB}, 65536";
  CHECK(counts_of(scratch.write("two.yaml", copy_with("cluster: [2]\n", args))).code == 0);
  CHECK(refused(counts_of(scratch.write("big.yaml", copy_with("cluster: [8, 4, 1]\n", args))),
                "cluster: got 32 CTAs; must be at most 16"));
  CHECK(counts_of(scratch.write("one.yaml", copy_with("cluster: [1, 1, 1]\nattributes: {cooperative: false}\n", args)))
            .code == 0);
}

TEST_CASE("a listing that several launches share is read once") {
  sass::ListingCache cache{sass::Limits{}};
  const sass::CodeFiles files{test::sass_samples + "gpu/copy.sm_90.sass", test::sass_samples + "gpu/copy.sm_90.elf"};
  const auto first = cache.read(files), second = cache.read(files);
  REQUIRE(first);
  CHECK(first->get() == second->get());
  CHECK(!cache.read({test::sass_samples + "nowhere.sass", ""}));
}
