// A copy of tests/data/bundle/small that a test may damage; gone afterwards.
#pragma once

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

namespace tilescope::test {

inline const std::string small_bundle = TILESCOPE_TEST_DATA "/bundle/small";

struct BundleCopy {
  std::filesystem::path path =
      std::filesystem::temp_directory_path() / ("tilescope_bundle_test_" + std::to_string(getpid()));
  BundleCopy() {
    std::filesystem::remove_all(path);
    std::filesystem::copy(small_bundle, path, std::filesystem::copy_options::recursive);
  }
  ~BundleCopy() { std::filesystem::remove_all(path); }
  BundleCopy(const BundleCopy&) = delete;
  BundleCopy& operator=(const BundleCopy&) = delete;

  std::string name() const { return path.string(); }
  std::string read(const std::string& file) const {
    std::ifstream in(path / file, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  void write(const std::string& file, const std::string& contents) const {
    std::ofstream(path / file, std::ios::binary) << contents;
  }
  // The first place where `from` stands in the file becomes `to`.
  void change(const std::string& file, const std::string& from, const std::string& to) const {
    std::string text = read(file);
    text.replace(text.find(from), from.size(), to);
    write(file, text);
  }
  // The launch `id` of the kernel `name` gets code with an opcode that nobody knows, UBLKCQ.
  void make_unknown(int id, const std::string& name) const {
    std::ifstream in(TILESCOPE_TEST_DATA "/sass/bulk.sm_90.sass", std::ios::binary);
    std::string text{std::istreambuf_iterator<char>(in), {}};
    text.replace(text.find("UBLKCP"), 6, "UBLKCQ");
    text.replace(text.find("Function : bulk") + 11, 4, name);
    write("code/unknown.sass", text);
    const std::string file = "launches/000" + std::to_string(id) + ".yaml", launch = read(file);
    const std::size_t first = launch.find("../code/"), end = launch.find(',', first);
    change(file, launch.substr(first, end - first), "../code/unknown.sass");
  }
};

}  // namespace tilescope::test
