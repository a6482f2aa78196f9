#include <doctest/doctest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

namespace {

namespace fs = std::filesystem;

// A tree of the files that a test names, each with one line, and the hash that cmake/source_hash.cmake makes of it.
class Tree {
 public:
  Tree() { fs::create_directories(root_); }
  ~Tree() { fs::remove_all(root_); }
  Tree(const Tree&) = delete;
  Tree& operator=(const Tree&) = delete;

  void write(const std::string& file, const std::string& text) const {
    fs::create_directories((root_ / file).parent_path());
    std::ofstream(root_ / file) << text << "\n";
  }
  std::string hash() const {
    const std::string out = (root_ / "hash.txt").string();
    const std::string command = std::string(TILESCOPE_CMAKE) + " -DROOT=" + root_.string() + " -DOUT=" + out + " -P " +
                                TILESCOPE_SOURCE_DIR "/cmake/source_hash.cmake";
    REQUIRE(std::system(command.c_str()) == 0);
    std::ifstream in(out);
    return {std::istreambuf_iterator<char>(in), {}};
  }

 private:
  fs::path root_ = fs::temp_directory_path() / ("tilescope_source_hash_" + std::to_string(getpid()));
};

}  // namespace

TEST_CASE("the hash of the sources changes with what a stored result holds, and with nothing else") {
  const struct {
    const char* file;
    bool counts;
  } rows[] = {
      {"models/l2_partition.cpp", true},
      {"models/isa/instruction.h", true},
      {"models/support/units.h", true},
      {"traces/sass/warp_executor.cpp", true},
      {"sim/simulate.cpp", true},
      {"sim/engine/timing/sm.cpp", true},
      {"sim/results/metrics.cpp", true},
      {"sim/results/derived.cpp", true},
      {"sim/results/bottleneck.cpp", true},
      {"sim/results/utilisation.cpp", true},
      {"sim/results/stall_names.cpp", true},
      {"sim/results/result.cpp", true},
      {"sim/results/views/result_json.cpp", true},
      {"sim/studies/sweep/point_run.cpp", true},
      {"sim/studies/sweep/relaunched_kernel.h", true},
      {"sim/studies/sweep/store.cpp", false},
      {"sim/studies/compare/comparison.cpp", false},
      {"sim/cli/run_command.cpp", false},
      {"sim/main.cpp", false},
  };
  const Tree tree;
  for (const auto& row : rows) {
    CAPTURE(row.file);
    CHECK(fs::exists(fs::path(TILESCOPE_SOURCE_DIR) / row.file));
    tree.write(row.file, "one");
  }
  std::string before = tree.hash();
  CHECK(before.starts_with("#define TILESCOPE_SOURCE_HASH \""));
  CHECK(tree.hash() == before);
  for (const auto& row : rows) {
    CAPTURE(row.file);
    tree.write(row.file, "another");
    const std::string after = tree.hash();
    CHECK((after != before) == row.counts);
    before = after;
  }
}
