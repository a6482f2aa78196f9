#include "traces/open_kernel.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <string>

#include "sweep_files.h"

using namespace tilescope;

namespace {

const std::string kSamples = TILESCOPE_SOURCE_DIR "/traces/samples/";

std::string refusal(const std::string& name, const ParameterTexts& parameters = {}) {
  const auto kernel = open_kernel(name, parameters);
  return kernel ? "" : to_string(kernel.error());
}

}  // namespace

TEST_CASE("a kernel is opened by its name: built in, a launch file, a trace whatever it is called") {
  const SweepFolder folder;
  std::filesystem::copy_file(kSamples + "tiny.tst", folder / "nameless");
  const struct {
    std::string name;
    KernelKind kind;
  } rows[] = {
      {"gemm_tiled", KernelKind::builtin},
      {kSamples + "sass/copy.yaml", KernelKind::launch_file},
      {kSamples + "tiny.tst", KernelKind::trace},
      {folder / "nameless", KernelKind::trace},
  };
  for (const auto& row : rows) {
    CAPTURE(row.name);
    CHECK(kernel_kind(row.name) == row.kind);
    const auto kernel = open_kernel(row.name);
    REQUIRE(kernel.has_value());
    CHECK((*kernel)->launch().grid.count() > 0);
  }
  CHECK((*open_kernel("copy", {{"threads", "64"}}))->launch().block.x == 64);
}

TEST_CASE("what is no kernel is refused with its name, and every problem of its parameters") {
  CHECK(refusal("gem_tiled").find("gem_tiled: error: kernel 'gem_tiled': unknown (did you mean gemm_tiled?)") !=
        std::string::npos);
  const std::string two = refusal("gemm_tiled", {{"tile", "64"}, {"pad_a", "x"}});
  CHECK(std::count(two.begin(), two.end(), '\n') == 2);
  CHECK(refusal("/nowhere.tst") == "/nowhere.tst: error: cannot be read: No such file or directory\n");
  CHECK(refusal("/nowhere.yaml") == "/nowhere.yaml: error: cannot be read: No such file or directory\n");
  const std::string trace = kSamples + "tiny.tst", launch = kSamples + "sass/copy.yaml";
  CHECK(refusal(trace, {{"M", "64"}}) == trace + ": error: got the parameter M=64; a trace has no parameters to set\n");
  CHECK(refusal(launch, {{"M", "64"}}) ==
        launch + ": error: got the parameter M=64; a launch file has no parameters to set\n");
}

TEST_CASE("several problems of a kernel read as one line") {
  CHECK(joined_messages({}).empty());
  CHECK(joined_messages({{"a", 1, 1, "one"}, {"b", 0, 0, "two"}}) == "one; two");
}
