// Traces that would hold up or exhaust a reader that believes what they state.
#include <doctest/doctest.h>

#include <functional>

#include "tests/cli_answer.h"
#include "tests/cpu_time.h"
#include "tests/trace_sample_kernel.h"
#include "traces/file/bytes.h"
#include "traces/file/frame.h"
#include "traces/file/trace_error.h"
#include "traces/file/trace_format.h"
#include "traces/file/trace_info.h"
#include "traces/file/trace_reader.h"
#include "traces/file/trace_tables.h"

namespace tilescope::test {
namespace {

using namespace trace;

// One warp: a branch that is repeated, and EXIT.
Tables looping_tables(std::uint64_t visits) {
  Tables tables;
  tables.launch.kernel = "made by hand";
  tables.set_code({{.op = OpClass::branch}, {.op = OpClass::exit}});
  tables.add_shape(0, 1, 0, visits);
  tables.add_shape(1, 1, 0, 1);
  return tables;
}

std::string varints(std::initializer_list<std::uint64_t> values) {
  ByteWriter out;
  for (const std::uint64_t value : values) out.varint(value);
  return out.bytes();
}

// `blocks`: how often the same frame stands in the file, each time as one warp.
std::string file_of(const std::string& block, std::uint64_t blocks, const std::string& tables) {
  ByteWriter out;
  ByteWriter directory;
  out.append(kMagic);
  out.fixed(kVersion, 4);
  out.fixed(0, 4);
  directory.varint(blocks);
  for (std::uint64_t i = 0; i < blocks; ++i) {
    out.append(block);
    directory.varint(1);
    directory.varint(block.size());
  }
  out.append(tables);
  directory.varint(tables.size());
  const std::size_t at = out.size();
  const std::string packed = compress(directory.bytes(), 3);
  out.append(packed);
  out.fixed(at, 8);
  out.fixed(packed.size(), 8);
  out.fixed(out.size() + 16, 8);
  out.append(kEndMagic);
  return out.bytes();
}

// The loop's shape once, then a run of it, then the end.
std::string looping_file(std::uint64_t run, std::uint64_t visits) {
  const std::string record = varints({0, 1, 0, 1, run, 2, 0, 0});
  const std::string block = compress(varints({record.size(), run + 3}) + record, 3);
  return file_of(block, 1, compress(encode_tables(looping_tables(visits)), 3));
}

std::string verdict_on(const std::string& content,
                       const std::function<void(const std::string&)>& read = validate_trace) {
  const TemporaryFile file(content);
  try {
    read(file.path());
  } catch (const TraceError& error) {
    const std::string what = error.what();
    CHECK(what.starts_with(file.path() + ": error: "));
    return what.substr(file.path().size() + 9, what.size() - file.path().size() - 10);
  }
  return "";
}

}  // namespace

TEST_CASE("a run of more segments than a warp may have is refused before it is followed") {
  CHECK(verdict_on(looping_file(1000, 1002)) == "");
  const CpuTime time;
  for (const auto& read : {std::function<void(const std::string&)>(validate_trace),
                           std::function<void(const std::string&)>([](const std::string& path) { open_trace(path); })})
    CHECK(verdict_on(looping_file((1ULL << 32) - 4, 1ULL << 31), read) ==
          "block 0 at byte 16: number of segments of a warp is 4294967295; must be 1 to 67108864");
  CHECK(time.seconds() < 5);
}

TEST_CASE("visits beyond what all warps may have are refused") {
  const std::string most = "must be 1 to 4294967296";
  CHECK(verdict_on(looping_file(10, 1ULL << 62)).find("visits of a shape is 4611686018427387904; " + most) !=
        std::string::npos);
  CHECK(verdict_on(looping_file(10, 1ULL << 32)).find("the shapes have more than 4294967296 visits together") !=
        std::string::npos);
}

TEST_CASE("thousands of frames of zeros are refused before one of them is decompressed") {
  const std::string zeros = compress(std::string(kLargestFrame, '\0'), 1);
  const std::string tables = compress(encode_tables(looping_tables(1)), 3);
  const CpuTime time;
  CHECK(verdict_on(file_of(zeros, 5000, tables))
            .find("the trace's parts have more than 8589934592 bytes when decompressed") != std::string::npos);
  CHECK(time.seconds() < 5);
}

TEST_CASE("a kernel's name that is not UTF-8 does not end up in JSON") {
  Tables tables = looping_tables(2);
  tables.launch.kernel = "copy\xff";
  const std::string record = varints({0, 1, 0, 1, 0, 2, 0, 0});
  const TemporaryFile file(looping_file(1000, 1002));
  const TemporaryFile other(
      file_of(compress(varints({record.size(), 3}) + record, 3), 1, compress(encode_tables(tables), 3)));
  CHECK(ask({"trace", "info", file.path(), "--format", "json"}).out.find("\"made by hand\"") != std::string::npos);
  CHECK(ask({"trace", "info", other.path(), "--format", "json"}).out.find("\"copy\xef\xbf\xbd\"") != std::string::npos);
}

TEST_CASE("a frame of zeros is refused for the first warp in it") {
  const std::string zeros = compress(std::string(kLargestFrame, '\0'), 1);
  CHECK(verdict_on(file_of(zeros, 1, compress(encode_tables(looping_tables(1)), 3))) ==
        "block 0 at byte 16: length of a warp's record is 0; must be 1 to 16777216");
}

}  // namespace tilescope::test
