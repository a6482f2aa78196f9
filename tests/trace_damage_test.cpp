// Damage to a whole file: noticed when it is opened, or without effect.
#include <doctest/doctest.h>

#include "tests/trace_sample_kernel.h"
#include "traces/file/trace_error.h"
#include "traces/file/trace_reader.h"

namespace tilescope::test {
namespace {

const SampleKernel& small_kernel() {
  static const SampleKernel kernel({2, 1, 1}, 2);
  return kernel;
}

// The error that opening such a file gives; empty: none.
std::string opening(const TemporaryFile& file, const std::string& content) {
  file.write(content);
  try {
    open_trace(file.path());
  } catch (const TraceError& error) {
    return error.what();
  }
  return "";
}

}  // namespace

TEST_CASE("a trace cut short anywhere is refused with the path and the place") {
  const std::string whole = recorded(small_kernel());
  const TemporaryFile file;
  for (std::size_t length = 0; length < whole.size(); ++length) {
    CAPTURE(length);
    const std::string error = opening(file, whole.substr(0, length));
    CHECK(error.starts_with(file.path() + ": error: "));
    CHECK(error.find(" at byte ") != std::string::npos);
  }
}

TEST_CASE("a flipped bit is refused or changes nothing") {
  const std::string whole = recorded(small_kernel(), {3, 1});
  const TemporaryFile file;
  int harmless = 0;
  for (std::size_t byte = 0; byte < whole.size(); ++byte)
    for (unsigned bit = 0; bit < 8; ++bit) {
      CAPTURE(byte);
      CAPTURE(bit);
      std::string damaged = whole;
      damaged[byte] = static_cast<char>(damaged[byte] ^ (1U << bit));
      const std::string error = opening(file, damaged);
      if (!error.empty()) {
        CHECK(error.find(" at byte ") != std::string::npos);
        continue;
      }
      ++harmless;
      CHECK(same_kernel(small_kernel(), *open_trace(file.path())));
      CHECK_NOTHROW(validate_trace(file.path()));
    }
  CHECK(harmless <= 8 * 3);  // eight frames, and a few bits of each that zstd does not use
}

TEST_CASE("bytes before, between and after the parts of a trace are refused") {
  const std::string whole = recorded(small_kernel());
  const TemporaryFile file;
  for (std::size_t at = 0; at <= whole.size(); at += at < 64 ? 1 : 7) {
    CAPTURE(at);
    CHECK(opening(file, whole.substr(0, at) + std::string(1, '\0') + whole.substr(at)) != "");
  }
  CHECK(opening(file, whole + whole) != "");
}

TEST_CASE("two parts of a trace that change places are refused") {
  const std::string a = recorded(SampleKernel({2, 1, 1}, 2)), b = recorded(SampleKernel({2, 1, 1}, 3));
  const TemporaryFile file;
  CHECK(opening(file, a.substr(0, a.size() / 2) + b.substr(b.size() / 2)) != "");
}

TEST_CASE("another version of the format is named") {
  std::string other = recorded(small_kernel());
  other[8] = 2;
  const TemporaryFile file;
  CHECK(opening(file, other) ==
        file.path() + ": error: the header at byte 8: the format's version is 2; this program reads version 1\n");
}

TEST_CASE("a file that is no trace is refused") {
  const TemporaryFile file;
  CHECK(opening(file, "") ==
        file.path() +
            ": error: the header at byte 0: the file is empty; must be a trace that `tilescope trace "
            "record` made\n");
  CHECK(opening(file, "kernel: {sass: x.sass}\n") ==
        file.path() + ": error: the header at byte 0: does not begin as a Tilescope trace does\n");
  CHECK_FALSE(is_trace(file.path()));
  CHECK_FALSE(is_trace("/nowhere"));
  file.write(recorded(small_kernel()));
  CHECK(is_trace(file.path()));
}

TEST_CASE("what cannot be read as a file is refused") {
  const std::string directory = std::filesystem::temp_directory_path().string();
  CHECK_THROWS_WITH_AS(open_trace(directory), (directory + ": error: is a directory; must be a trace file\n").c_str(),
                       TraceError);
  CHECK_THROWS_WITH_AS(open_trace("/nowhere.tst"), "/nowhere.tst: error: cannot be read: No such file or directory\n",
                       TraceError);
  CHECK_THROWS_WITH_AS(open_trace("/dev/null"), "/dev/null: error: is not a regular file; must be a trace file\n",
                       TraceError);
  if (::geteuid() == 0) return;  // root reads everything
  const TemporaryFile secret(recorded(small_kernel()));
  std::filesystem::permissions(secret.path(), std::filesystem::perms::none);
  CHECK_THROWS_WITH_AS(open_trace(secret.path()),
                       (secret.path() + ": error: cannot be read: Permission denied\n").c_str(), TraceError);
}

TEST_CASE("a trace that shrinks while it is read is refused") {
  const std::string whole = recorded(SampleKernel(), {3, 1});
  const TemporaryFile file(whole);
  const auto trace = open_trace(file.path());
  std::filesystem::resize_file(file.path(), 40);
  const auto stream = trace->make_stream();
  CHECK_THROWS_AS(stream->start(5, 0, Operands::all), TraceError);
}

TEST_CASE("a warp that the launch does not have is refused") {
  const TemporaryFile file(recorded(small_kernel()));
  const auto trace = open_trace(file.path());
  const auto stream = trace->make_stream();
  CHECK_THROWS_AS(stream->start(2, 0, Operands::all), TraceError);
  CHECK_THROWS_AS(stream->start(-1, 0, Operands::all), TraceError);
  CHECK_THROWS_AS(stream->start(0, 3, Operands::all), TraceError);
}

}  // namespace tilescope::test
