#include "models/support/atomic_file.h"

#include <doctest/doctest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <system_error>

#include "sim/cli/interrupt.h"

using namespace tilescope;
namespace fs = std::filesystem;

namespace {

struct Scratch {
  fs::path path = fs::temp_directory_path() / ("tilescope_atomic_test_" + std::to_string(getpid()));
  std::string target = (path / "answer.txt").string();
  Scratch() { fs::create_directories(path); }
  ~Scratch() { fs::remove_all(path); }
  auto files() const { return std::distance(fs::directory_iterator(path), fs::directory_iterator()); }
};

std::string content(const std::string& path) {
  std::ifstream in(path);
  return {std::istreambuf_iterator<char>(in), {}};
}

}  // namespace

TEST_CASE("a file appears with commit and not before") {
  const Scratch scratch;
  AtomicFile file(scratch.target);
  file.stream() << "whole";
  CHECK(!fs::exists(scratch.target));
  file.commit();
  CHECK(content(scratch.target) == "whole");
  CHECK(scratch.files() == 1);
}

TEST_CASE("without commit the old file stays, and nothing else") {
  const Scratch scratch;
  std::ofstream(scratch.target) << "old";
  { AtomicFile(scratch.target).stream() << "half"; }
  CHECK(content(scratch.target) == "old");
  CHECK(scratch.files() == 1);
}

TEST_CASE("a replaced file keeps its permissions, a link stays a link") {
  const Scratch scratch;
  std::ofstream(scratch.target) << "old";
  fs::permissions(scratch.target, fs::perms::owner_read | fs::perms::owner_write);
  const std::string link = (scratch.path / "link").string();
  fs::create_symlink("answer.txt", link);
  AtomicFile file(link);
  file.stream() << "new";
  file.commit();
  CHECK(fs::is_symlink(link));
  CHECK(content(scratch.target) == "new");
  CHECK(fs::status(scratch.target).permissions() == (fs::perms::owner_read | fs::perms::owner_write));
}

TEST_CASE("a place that cannot be written is refused at once") {
  CHECK_THROWS_WITH_AS(AtomicFile("/no/such/file"), "cannot write /no/such/file: No such file or directory",
                       std::system_error);
  CHECK_THROWS_WITH_AS(AtomicFile("/tmp"), "cannot write /tmp: Is a directory", std::system_error);
}

TEST_CASE("a signal leaves no half-written file, and the exit code names it") {
  for (const int signal_number : {SIGINT, SIGTERM}) {
    const Scratch scratch;
    int ready[2];
    REQUIRE(pipe(ready) == 0);
    const pid_t child = fork();
    if (child == 0) {
      cli::clean_up_when_interrupted();
      AtomicFile file(scratch.target);
      file.stream() << "half" << std::flush;
      if (write(ready[1], "x", 1) == 1) pause();
      _exit(99);
    }
    char byte = 0;
    REQUIRE(read(ready[0], &byte, 1) == 1);
    CHECK(scratch.files() == 1);
    kill(child, signal_number);
    int status = 0;
    REQUIRE(waitpid(child, &status, 0) == child);
    CHECK(WIFEXITED(status));
    CHECK(WEXITSTATUS(status) == 128 + signal_number);
    CHECK(scratch.files() == 0);
    close(ready[0]);
    close(ready[1]);
  }
}
