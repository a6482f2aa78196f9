// Only regular files are read, and none that is too large.
#include "models/support/text_file.h"

#include <doctest/doctest.h>
#include <sys/stat.h>

#include "sass_runs.h"

using namespace tilescope;

TEST_CASE("pipes, devices and folders are refused without being opened") {
  const test::SassScratch scratch;
  const std::string pipe = (scratch.path / "pipe").string();
  REQUIRE(mkfifo(pipe.c_str(), 0600) == 0);
  for (const std::string& path : {pipe, std::string("/dev/zero"), std::string("/dev/null")}) {
    CAPTURE(path);
    const auto text = read_text_file(path);
    REQUIRE_FALSE(text.has_value());
    CHECK(to_string(text.error()) == path + ": error: is a pipe, a socket or a device; must be a file");
    CHECK(refuse_irregular_file(path).has_value());
  }
  CHECK(read_text_file(scratch.path.string()).error().message == "is a directory; must be a file");
  CHECK(read_text_file((scratch.path / "none").string()).error().message ==
        "cannot be read: No such file or directory");
  CHECK_FALSE(read_text_file(std::string("a\0b", 3)).has_value());
}

TEST_CASE("a file is read whole up to the limit") {
  const test::SassScratch scratch;
  const std::string contents = std::string(100'000, 'x') + '\0' + "end";
  const std::string path = scratch.write("file", contents);
  CHECK(read_text_file(path) == contents);
  CHECK(read_text_file(path, contents.size()) == contents);
  CHECK(read_text_file(path, contents.size() - 1).error().message == "is too large; must have at most 100003 bytes");
  CHECK(read_text_file(scratch.write("empty", "")) == "");
  CHECK_FALSE(read_text_file("/proc/self/status")->empty());  // its size is said to be 0
  CHECK_FALSE(refuse_irregular_file(path).has_value());
}
