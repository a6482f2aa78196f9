// Files whose checksums are right and whose contents are not: what a faulty writer or a forger would make.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <functional>

#include "tests/trace_sample_kernel.h"
#include "traces/file/bytes.h"
#include "traces/file/frame.h"
#include "traces/file/trace_error.h"
#include "traces/file/trace_format.h"
#include "traces/file/trace_reader.h"
#include "traces/file/trace_tables.h"

namespace tilescope::test {
namespace {

using namespace trace;

// One warp: LDG, FFMA, EXIT in one shape, and the same without EXIT in another.
Tables small_tables() {
  Tables tables;
  tables.launch.kernel = "made by hand";
  tables.set_code({{.op = OpClass::global_load}, {.op = OpClass::fma}, {.op = OpClass::exit}});
  LanePattern pattern;
  pattern.active = 3;
  pattern.offset[1] = 4;
  tables.patterns.push_back(pattern);
  tables.add_shape(0, 3, 0, 1);
  tables.add_shape(0, 2, 0, 1);
  return tables;
}

std::string numbers(std::initializer_list<std::uint64_t> values) {
  ByteWriter out;
  for (const std::uint64_t value : values) out.varint(value);
  return out.bytes();
}

// run 0, shape, mask "base and pattern", base, pattern
std::string load(std::uint64_t shape, std::uint64_t base, std::uint64_t pattern) {
  return numbers({0, shape, 3, zigzag(base), pattern});
}
const std::string kEnd = numbers({0, 0});

std::string file_of(const std::string& block, const std::string& tables, const std::string& directory) {
  ByteWriter out;
  out.append(kMagic);
  out.fixed(kVersion, 4);
  out.fixed(0, 4);
  out.append(block);
  out.append(tables);
  const std::size_t at = out.size();
  out.append(directory);
  out.fixed(at, 8);
  out.fixed(directory.size(), 8);
  out.fixed(out.size() + 16, 8);
  out.append(kEndMagic);
  return out.bytes();
}

std::string file_with(const std::string& record, std::uint64_t segments, const Tables& tables = small_tables()) {
  const std::string block = compress(numbers({record.size(), segments}) + record, 3);
  const std::string coded = compress(encode_tables(tables), 3);
  return file_of(block, coded, compress(numbers({1, 1, block.size(), coded.size()}), 3));
}

// What validate_trace says after "at byte N: "; empty: nothing is wrong.
std::string verdict(const std::string& content) {
  const TemporaryFile file(content);
  try {
    validate_trace(file.path());
  } catch (const TraceError& error) {
    const std::string what = error.what();
    CHECK(what.starts_with(file.path() + ": error: "));
    const std::size_t place = what.find(": ", what.find(" at byte "));
    return place == std::string::npos ? what : what.substr(place + 2, what.size() - place - 3);
  }
  return "";
}

std::string verdict_on_tables(const std::function<void(Tables&)>& change) {
  Tables tables = small_tables();
  change(tables);
  return verdict(file_with(load(1, 128, 1) + kEnd, 1, tables));
}

}  // namespace

TEST_CASE("records that break a rule of the format are refused with the rule") {
  const std::string good = load(2, 128, 1) + load(1, 128, 1) + kEnd;
  CHECK(verdict(file_with(good, 2)) == "");

  struct {
    std::string record;
    std::uint64_t segments;
    const char* expected;
  } const rows[] = {
      {load(1, 130, 1) + kEnd, 1, "an address is 130; must be a multiple of 4 and its last lane below 2^64"},
      {load(1, 0 - 4ULL, 1) + kEnd, 1,
       "an address is 18446744073709551612; must be a multiple of 4 and its last lane below 2^64"},
      {load(1, 128, 2) + kEnd, 1, "a lane pattern is 2; must be 0 to 1"},
      {load(3, 128, 1) + kEnd, 1, "a shape is 3; must be 0 to 2"},
      {load(2, 128, 1) + kEnd, 1, "a warp ends with an instruction of class fma; must be exit"},
      {load(1, 128, 1) + kEnd, 2, "a warp has 1 segments less than stated"},
      {good, 1, "a warp has more segments than stated"},
      {kEnd, 1, "a warp has no segment"},
      {load(1, 128, 1) + kEnd + kEnd, 1, "2 bytes follow the end of a warp"},
      {load(1, 128, 1), 1, "ends 1 bytes too soon"},
      {numbers({0, 1, 3}), 1, "ends 1 bytes too soon"},
      {numbers({1}) + load(1, 128, 1) + kEnd, 2, "a run of segments goes on where nothing is known to follow"},
      {numbers({1ULL << 60}) + kEnd, 1, "a run of segments is 1152921504606846976; must be 0 to 1"},
      {numbers({0, 1, 1}) + std::string(9, '\xff') + "\x02" + kEnd, 1, "a number has more than 64 bits"},
      {good, 1ULL << 40, "number of segments of a warp is 1099511627776; must be 1 to 67108864"},
      {good, 2, ""},
  };
  for (const auto& [record, segments, expected] : rows) CHECK(verdict(file_with(record, segments)) == expected);
}

TEST_CASE("contents flipped under a valid checksum end in an error or in some other whole trace") {
  const std::string record = load(2, 128, 1) + load(1, 1ULL << 33, 1) + kEnd;
  const std::string tables = encode_tables(small_tables());
  const std::string block = numbers({record.size(), 2}) + record;
  int accepted = 0;
  const auto flip_all = [&](const std::string& content, bool is_block) {
    for (std::size_t bit = 0; bit < 8 * content.size(); ++bit) {
      std::string flipped = content;
      flipped[bit / 8] = static_cast<char>(flipped[bit / 8] ^ (1U << (bit % 8)));
      const std::string first = compress(is_block ? flipped : block, 3),
                        second = compress(is_block ? tables : flipped, 3);
      const std::string directory = compress(numbers({1, 1, first.size(), second.size()}), 3);
      accepted += verdict(file_of(first, second, directory)).empty() ? 1 : 0;
    }
  };
  flip_all(block, true);
  flip_all(tables, false);
  CHECK(accepted > 0);  // another address, another stall count
}

TEST_CASE("tables that break a rule of the format are refused with the rule") {
  CHECK(verdict_on_tables([](Tables& t) { t.launch.grid.x = 0; }) == "a grid dimension is 0; must be 1 to 2147483647");
  CHECK(verdict_on_tables([](Tables& t) {
          t.launch.block = {32, 33, 1};
        }) == "the number of threads of a block is 1056; must be 1 to 1024");
  CHECK(verdict_on_tables([](Tables& t) {
          t.launch.grid = {1 << 30, 1 << 30, 1 << 30};
        }) == "the launch has 1.2379400392853803e+27 warps; must have at most 1099511627776");
  CHECK(verdict_on_tables([](Tables& t) { t.launch.grid.x = 2; }) ==
        "the blocks hold 1 warps; must hold the launch's 2");
  CHECK(verdict_on_tables([](Tables& t) { t.launch.flop = -1; }) == "the number of FLOP is negative or not a number");
  CHECK(verdict_on_tables([](Tables& t) { t.code[0].op = static_cast<OpClass>(kOpClasses); }) ==
        fmt::format("an instruction's class is {}; must be 0 to {}", kOpClasses, kOpClasses - 1));
  CHECK(verdict_on_tables([](Tables& t) { t.code[0].write_scoreboard = 6; }) ==
        "an instruction's scoreboard is 6; must be 0 to 5, or 7 for none");
  CHECK(verdict_on_tables([](Tables& t) { t.code[0].detail = 1040; }) ==
        "an instruction's detail is 1040; must be 0 to 1039");
  CHECK(verdict_on_tables([](Tables& t) {
          t.code[0].op = OpClass::group_tensor;  // the rows it reads, and two flags
          t.code[0].detail = 0xffff;
        }).find("detail") == std::string::npos);
  CHECK(verdict_on_tables([](Tables& t) { t.patterns[1].bytes = 3; }) ==
        "a pattern's width is 3 bytes; must be 1, 2, 4, 8 or 16");
  CHECK(
      verdict_on_tables([](Tables& t) { t.patterns[1].offset[1] = 6; }).starts_with("a pattern's lane 1 lies 6 bytes"));
  CHECK(verdict_on_tables([](Tables& t) { t.patterns[1].offset[0] = 4; }) ==
        "a pattern has no active lane at its base");
  CHECK(verdict_on_tables([](Tables& t) {
          t.patterns.push_back(t.patterns[1]);
          t.shapes.pop_back();
        }) == "");
  CHECK(verdict_on_tables([](Tables& t) { t.shapes[2].length = 4; }) == "length of a shape is 4; must be 1 to 3");
  CHECK(verdict_on_tables([](Tables& t) { t.shapes[2].offset = 3; }) ==
        "first instruction of a shape is 3; must be 0 to 2");
  CHECK(verdict_on_tables([](Tables&) {}).find("shape 2 is visited 0 times; the tables state 1") != std::string::npos);
}

TEST_CASE("a pattern listed twice is refused when the trace is opened") {
  Tables tables = small_tables();
  tables.patterns.push_back(tables.patterns[1]);
  const TemporaryFile file(file_with(load(1, 128, 1) + kEnd, 1, tables));
  CHECK_THROWS_WITH_AS(open_trace(file.path()), (file.path() + ": error: lane pattern 2 is listed twice\n").c_str(),
                       TraceError);
}

TEST_CASE("a fault in a warp is an error of its stream, with the block's place") {
  const TemporaryFile file(file_with(load(1, 130, 1) + kEnd, 1));
  const auto trace = open_trace(file.path());
  const auto stream = trace->make_stream();
  stream->start(0, 0, Operands::all);
  Segment segment;
  CHECK_THROWS_WITH_AS(
      stream->next(segment),
      (file.path() + ": error: block 0 at byte 16: an address is 130; must be a multiple of 4 and its last "
                     "lane below 2^64\n")
          .c_str(),
      TraceError);
}

TEST_CASE("a huge stated size is refused before anything is allocated") {
  const std::string block = compress("x", 3);
  const std::string tables = compress(encode_tables(small_tables()), 3);
  const auto with_directory = [&](std::initializer_list<std::uint64_t> values) {
    return verdict(file_of(block, tables, compress(numbers(values), 3)));
  };
  const std::uint64_t huge = 1ULL << 60;
  CHECK(with_directory({huge, 1, block.size(), tables.size()}).starts_with("number of blocks is 1152921504606846976"));
  CHECK(with_directory({1, huge, block.size(), tables.size()}).starts_with("number of warps of a block is"));
  CHECK(with_directory({1, 1, huge, tables.size()}).starts_with("length of a block is"));
  CHECK(with_directory({1, 1, block.size(), huge}).starts_with("length of the tables is"));
  CHECK(with_directory({1, 1, block.size(), tables.size() - 1}) == "the parts do not fill the file");

  // A frame that claims 1 TiB: magic, descriptor (8-byte size, one segment, checksum), size, an empty last block,
  // checksum.
  ByteWriter frame;
  frame.append({"\x28\xb5\x2f\xfd\xe4", 5});
  frame.fixed(1ULL << 40, 8);
  frame.append({"\x01\0\0abcd", 7});
  CHECK(verdict(file_of(block, tables, frame.bytes())) == "is damaged: no acceptable content size");

  ByteWriter code;
  code.append(encode_tables(small_tables()).substr(0, 13 + 6 + 3 + 8 + 1));  // the launch
  code.varint(huge);
  const std::string forged = compress(code.bytes(), 3);
  CHECK(verdict(file_of(block, forged, compress(numbers({1, 1, block.size(), forged.size()}), 3))) ==
        "number of instructions is 1152921504606846976; must be 1 to 1048576");
}

TEST_CASE("a kernel that breaks the stream's contract cannot be recorded") {
  struct Broken : SampleKernel {
    std::vector<Planned> plan(std::int64_t cta, int warp) const override {
      auto segments = SampleKernel::plan(cta, warp);
      if (cta == 1 && warp == 2) change(segments);
      return segments;
    }
    std::function<void(std::vector<Planned>&)> change;
  };
  using Plan = std::vector<SampleKernel::Planned>;
  struct {
    std::function<void(Plan&)> change;
    const char* expected;
  } const rows[] = {
      {[](Plan& p) { p.pop_back(); }, "the last instruction is not EXIT"},
      {[](Plan& p) { p.clear(); }, "the last instruction is not EXIT"},
      {[](Plan& p) { p[1].length = 0; }, "a segment has 0 instructions; must be 1 to 8"},
      {[](Plan& p) { p[1].length = 9; }, "a segment has 9 instructions; must be 1 to 8"},
      {[](Plan& p) { p[1].offset = 11; }, "a segment lies outside the code"},
      {[](Plan& p) { p[1].operands[0].base += 8; },
       "an address is 4294969352; must be a multiple of 16 and its last lane below 2^64"},
      {[](Plan& p) { p[1].operands[0].pattern = 999; }, "there is no lane pattern 999"},
  };
  for (const auto& [change, expected] : rows) {
    Broken kernel;
    kernel.change = change;
    CHECK_THROWS_WITH_AS(recorded(kernel), (std::string("sample: error: CTA 1 warp 2: ") + expected + "\n").c_str(),
                         TraceError);
  }
}

TEST_CASE("a trace that cannot be written is an error of the stream") {
  std::ostringstream out;
  out.setstate(std::ios::badbit);
  CHECK_THROWS_AS(record_trace(SampleKernel(), out), std::ios_base::failure);
}

TEST_CASE("numbers survive their coding") {
  const std::uint64_t values[] = {0, 1, 127, 128, 300, 1ULL << 32, (1ULL << 63) - 1, 1ULL << 63, ~0ULL};
  for (const std::uint64_t value : values) {
    CAPTURE(value);
    ByteWriter out;
    out.varint(value);
    out.fixed(value, 8);
    ByteReader in(out.bytes());
    CHECK(in.varint() == value);
    CHECK(in.fixed(8) == value);
    CHECK(in.left() == 0);
    CHECK(unzigzag(zigzag(value)) == value);
  }
  CHECK(zigzag(0) == 0);
  CHECK(zigzag(~0ULL) == 1);  // -1
  CHECK(zigzag(1) == 2);
}

}  // namespace tilescope::test
