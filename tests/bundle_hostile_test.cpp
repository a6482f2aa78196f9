// Bundles that nobody's recorder wrote: each thing wrong is one sentence with its place, exit code 2.
#include <doctest/doctest.h>
#include <sys/stat.h>

#include "bundle_files.h"
#include "cli_answer.h"

using namespace tilescope;
using test::BundleCopy;

namespace {

bool tells(const CliAnswer& answer, const std::string& sentence) {
  return answer.code == 2 && answer.err.find(sentence) != std::string::npos;
}

std::size_t count_of(const std::string& text, const std::string& word) {
  std::size_t count = 0;
  for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) ++count;
  return count;
}

}  // namespace

TEST_CASE("every error of a bundle's index comes in one run") {
  const BundleCopy copy;
  copy.write("launches.yaml",
             "- {id: 1, file: launches/0001.yaml, kernel: a, grid: [1], block: [1]}\n"
             "- {id: 1, file: launches/0002.yaml, kernel: b, grid: [1], block: [1]}\n"
             "- {id: 0, file: /etc/passwd, kernel: c, grid: [0], block: [1, 1, 1, 1]}\n"
             "- {id: 4, file: launches/../../x.yaml, kernl: d, grid: 3, block: [2048]}\n"
             "- [1, 2]\n"
             "- {id: 5, file: &f launches/0001.yaml, kernel: [*f, *f], grid: [1], block: [1]}\n"
             "- {id: 6\n");
  const CliAnswer answer = ask({"bundle", "list", copy.name()});
  CHECK(answer.code == 2);
  for (const char* sentence :
       {"launches.yaml:2:1: error: id: got 1, which line 1 has",
        "launches.yaml:3:4: error: id: got '0'; must be a whole number",
        "launches.yaml:3:11: error: file: got '/etc/passwd'; must be a file inside the bundle",
        "launches.yaml:3:41: error: grid: got '0'", "block: got a list; must be a list of one to three sizes",
        "launches.yaml:4:11: error: file: got 'launches/../../x.yaml'; must be a file inside the bundle",
        "kernel: is missing", "kernl: unknown key (did you mean kernel?)",
        "launches.yaml:5:1: error: got a list; must be",
        "launches.yaml:6:40: error: kernel: got a list; must be a text", "launches.yaml:7:"}) {
    CAPTURE(sentence);
    CHECK_MESSAGE(answer.err.find(sentence) != std::string::npos, answer.err);
  }
}

TEST_CASE("order and the list of what is missing are checked line by line") {
  const BundleCopy copy;
  copy.write("order", "1 0\n99 0\n1\n-1 0\n1 0 grap\n1 0 graph x\nx y\n");
  copy.write("refused", "nonsense\n1 kernel without reason\n99 k: beyond the order\n");
  const CliAnswer answer = ask({"bundle", "list", copy.name()});
  CHECK(answer.code == 2);
  CHECK(answer.err.find("order:2:1: error: got the launch 99; launches.yaml has none of that id") != std::string::npos);
  for (const int line : {3, 4, 5, 6, 7})
    CHECK_MESSAGE(answer.err.find("order:" + std::to_string(line) + ":1: error: got ") != std::string::npos,
                  answer.err);
  CHECK(answer.err.find("refused:1:1: error: got 'nonsense'; must be 'LINE KERNEL: reason'") != std::string::npos);
  CHECK(answer.err.find("refused:2:1: error: ") != std::string::npos);
}

TEST_CASE("a folder that is no bundle, and a bundle of another kind, are refused") {
  const BundleCopy copy;
  copy.write("bundle.yaml", "schema: tilescope.bundle/9\nmemory: some\nprogram: {a: 1}\ndriver: new\n");
  const CliAnswer answer = ask({"run", copy.name()});
  CHECK(tells(answer, "bundle.yaml:1:9: error: schema: got 'tilescope.bundle/9'; must be tilescope.bundle/1"));
  CHECK(tells(answer, "bundle.yaml:2:9: error: memory: got 'some'; must be none, inputs or all"));
  CHECK(tells(answer, "bundle.yaml:3:10: error: program: got a map"));
  CHECK(tells(answer, "bundle.yaml:4:9: error: driver: got 'new'"));
  CHECK(tells(ask({"run", TILESCOPE_TEST_DATA}), "is no bundle; must be a folder with bundle.yaml and launches.yaml"));
  CHECK(tells(ask({"bundle", "list", "nowhere"}), "got 'nowhere'; must be the folder of a bundle"));
  CHECK(tells(ask({"bundle", "lst", copy.name()}), "must be list, show, check or needs"));
}

TEST_CASE("check finds every file that is damaged, missing or not to be read, and says it once") {
  const BundleCopy copy;
  copy.write("code/copy-1.sass.zst", copy.read("code/copy-1.sass.zst").substr(0, 1000));  // two launches have it
  copy.write("memory/5d1f.zst", "no frame");
  copy.change("launches/0003.yaml", "../code/bulk-1.sass.zst", "../../../../etc/passwd");
  std::filesystem::remove(copy.path / "code/shared-1.sass.zst");
  REQUIRE(mkfifo((copy.path / "code/shared-1.sass.zst").c_str(), 0600) == 0);
  std::filesystem::remove(copy.path / "launches/0004.yaml");
  const CliAnswer answer = ask({"bundle", "check", copy.name()});
  CHECK(answer.code == 2);
  CHECK(answer.out.empty());
  for (const char* sentence :
       {"0001.yaml:1:16: error: kernel.sass: ", "copy-1.sass.zst': is damaged: its last zstd frame ends early",
        "error: buffers.m1: file: ", "5d1f.zst': is damaged: Unknown frame descriptor",
        "0003.yaml:1:16: error: kernel.sass: '../../../../etc/passwd' lies outside the bundle",
        "shared-1.sass.zst': is a pipe, a socket or a device; must be a file",
        "0004.yaml: error: cannot be read: No such file or directory"}) {
    CAPTURE(sentence);
    CHECK_MESSAGE(answer.err.find(sentence) != std::string::npos, answer.err);
  }
  CHECK(answer.err.find("its last zstd frame ends early (and in 1 other place)") != std::string::npos);
  CHECK(count_of(answer.err, "error: ") == 5);
}

TEST_CASE("a launch file that is another launch than the index says is wrong") {
  const BundleCopy copy;
  copy.change("launches/0002.yaml", "grid: [64", "grid: [65");
  copy.change("launches/0004.yaml", "block: [128", "block: [64");
  copy.change("launches.yaml", "kernel: bulk", "kernel: hulk");
  const CliAnswer answer = ask({"bundle", "check", copy.name()});
  CHECK(tells(answer, "launches.yaml:2:1: error: grid: got 64 x 1 x 1; launches/0002.yaml has 65 x 1 x 1"));
  CHECK(tells(answer, "launches.yaml:4:1: error: block: got 128 x 1 x 1; launches/0004.yaml has 64 x 1 x 1"));
  CHECK(tells(answer, "launches.yaml:3:1: error: kernel: got 'hulk'; launches/0003.yaml has 'bulk'"));
}

TEST_CASE("what decompresses to more than its buffer holds is refused before memory is spent") {
  const BundleCopy copy;
  // Runs of one byte: 64 KiB each in four bytes.
  std::string frame("\x28\xb5\x2f\xfd\x00\x58", 6);  // a frame with a window of 2 MiB and no content size
  for (int i = 0; i < 600; ++i) frame += std::string("\x02\x00\x08", 3) + "x";
  frame += std::string("\x01\x00\x00", 3);
  copy.write("memory/5d1f.zst", frame);
  CHECK(tells(ask({"run", copy.name() + "#5"}), "is too large; must have at most 32256 bytes when it is decompressed"));
  copy.write("code/copy-1.sass.zst", frame);
  CHECK(tells(ask({"run", copy.name() + "#1", "--limit", "listing_bytes=1000000"}),
              "is too large; must have at most 1000000 bytes when it is decompressed; the limit is listing_bytes"));
}
