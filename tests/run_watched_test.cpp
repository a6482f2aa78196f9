// run --watch: what counts as a change, and what is said about it.
#include "sim/cli/run_watched.h"

#include <filesystem>

#include "engine_runs.h"
#include "kernel_walk.h"
#include "sass_runs.h"
#include "sim/cli/file_watch.h"

using namespace tilescope;
using namespace tilescope::cli;
using Scratch = test::SassScratch;

namespace {

LabelledResult labelled(const std::string& label, const ParameterTexts& parameters) {
  const auto kernel = test::kernel("gemm_tiled", parameters);
  RunOptions options;
  options.sample = Sample::off;
  return {label, make_result(test::h200(), kernel->launch(), options, simulate(test::h200(), *kernel, options))};
}

}  // namespace

TEST_CASE("a watch sees files that change, come and go, and each change once") {
  const Scratch scratch;
  scratch.write("a", "1");
  FileWatch watch({scratch.path.string()});
  CHECK(!watch.changed());
  scratch.write("a", "12");
  CHECK(watch.changed());
  CHECK(!watch.changed());
  scratch.write("b", "1");
  CHECK(watch.changed());
  std::filesystem::remove(scratch.path / "a");
  CHECK(watch.changed());
  CHECK(!watch.changed());
}

TEST_CASE("a run watches what lies beside its files, and its GPUs") {
  const Scratch scratch;
  const std::string launch = scratch.write("launch.yaml", "x"), gpu = scratch.write("gpu.yaml", "x");
  using Paths = std::vector<std::string>;
  CHECK(watched_paths({"gemm_tiled"}, {"h200"}) == Paths{});
  CHECK(watched_paths({launch, "gemm_tiled"}, {"h200"}) == Paths{scratch.path.string()});
  CHECK(watched_paths({scratch.path.string() + "#3"}, {}) == Paths{scratch.path.string()});
  CHECK(watched_paths({}, {gpu}) == Paths{gpu});
}

TEST_CASE("what an edit has changed is said by metric, with both values") {
  const auto plain = labelled("k", {{"M", "64"}, {"N", "64"}, {"K", "64"}, {"transpose_a", "1"}});
  const auto padded = labelled("k", {{"M", "64"}, {"N", "64"}, {"K", "64"}, {"transpose_a", "1"}, {"pad_a", "1"}});
  CHECK(changes({plain}, {plain}).empty());
  const std::string said = changes({plain}, {padded});
  CAPTURE(said);
  CHECK(said.find("l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum ") != std::string::npos);
  CHECK(said.find(" -> 0 (-100.0 %)\n") != std::string::npos);
  CHECK(said.find("gpc__cycles_elapsed.max ") != std::string::npos);
  CHECK(changes({plain}, {labelled("other", {{"M", "64"}, {"N", "64"}, {"K", "64"}})}).empty());
}
