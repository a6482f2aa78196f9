#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "sim/cli/program.h"
#include "tests/trace_sample_kernel.h"
#include "traces/file/trace_reader.h"
#include "traces/kernels/registry.h"

namespace tilescope::test {
namespace {

struct Ran {
  int code;
  std::string out, err;
};

Ran run(const std::vector<std::string>& arguments) {
  std::ostringstream out, err;
  const int code = cli::run_program(arguments, out, err);
  return {code, out.str(), err.str()};
}

}  // namespace

TEST_CASE("trace record, info and validate work on a built-in kernel") {
  const TemporaryFile file;
  const Ran made = run({"trace", "record", "gemm_tiled", "-p", "M=64", "-p", "N=64", "-p", "K=64", "-o", file.path()});
  CHECK(made.err == "");
  REQUIRE(made.code == 0);
  CHECK(run({"trace", "validate", file.path()}).out == file.path() + ": ok\n");

  const Ran info = run({"trace", "info", file.path(), "--format", "json"});
  REQUIRE(info.code == 0);
  const auto json = nlohmann::json::parse(info.out);
  CHECK(json["kernel"] == "gemm_tiled");
  CHECK(json["parameters"]["K"] == "64");
  CHECK(json["trace"]["warps"] == 4 * 32);
  CHECK(json["instructions_by_class"]["exit"] == 4 * 32);
  CHECK(json["instructions_by_class"]["global_load"] == 4 * 32 * 2 * 2);  // CTAs, warps, tiles, A and B
  CHECK(run({"trace", "info", file.path()}).out.find("global_load") != std::string::npos);

  const auto kernel = make_kernel("gemm_tiled", {{"M", "64"}, {"N", "64"}, {"K", "64"}});
  REQUIRE(kernel);
  CHECK(same_kernel(**kernel, *open_trace(file.path())));
}

TEST_CASE("every built-in kernel survives being recorded") {
  for (const KernelInfo& info : builtin_kernels()) {
    CAPTURE(info.name);
    ParameterTexts small;
    for (const ParameterInfo& parameter : info.parameters)
      if (parameter.name == "M" || parameter.name == "N" || parameter.name == "K") small[parameter.name] = "128";
    if (small.empty()) continue;  // the defaults of others may be long
    const auto kernel = make_kernel(info.name, small);
    REQUIRE(kernel);
    const TemporaryFile file(recorded(**kernel));
    CHECK(same_kernel(**kernel, *open_trace(file.path())));
  }
}

TEST_CASE("wrong use of trace is refused with exit code 2 and leaves no file") {
  const TemporaryFile file(recorded(SampleKernel()));
  const std::string nothing = file.path() + ".new";
  struct {
    std::vector<std::string> arguments;
    std::string expected;  // a part of the message
  } const rows[] = {
      {{"trace"}, "no ACTION given"},
      {{"trace", "recrod", "x"}, "did you mean record?"},
      {{"trace", "info"}, "no KERNEL|FILE given"},
      {{"trace", "info", "/nowhere.tst"}, "/nowhere.tst: error: cannot be read: No such file or directory"},
      {{"trace", "info", file.path(), "--format", "xml"}, "unknown format 'xml'"},
      {{"trace", "info", file.path(), "-p", "M=3"}, "-p is for trace record"},
      {{"trace", "validate", TILESCOPE_SOURCE_DIR "/CMakeLists.txt"}, "does not begin as a Tilescope trace does"},
      {{"trace", "record", "gemm_tiled"}, "trace record needs -o FILE"},
      {{"trace", "record", "gemm_tield", "-o", nothing}, "did you mean gemm_tiled?"},
      {{"trace", "record", "gemm_tiled", "-p", "M", "-o", nothing}, "-p M: error: must be KEY=VALUE"},
      {{"trace", "record", "gemm_tiled", "-p", "M=0", "-o", nothing}, "M: got"},
      {{"trace", "record", "gemm_tiled", "-p", "M=64", "-p", "M=32", "-o", nothing}, "given more than once"},
      {{"trace", "record", file.path(), "-p", "M=64", "-o", nothing}, "a trace has no parameters to set"},
      {{"trace", "record", "gemm_tiled", "-o", "/nowhere/x.tst"}, "/nowhere/x.tst"},
  };
  for (const auto& [arguments, expected] : rows) {
    const Ran ran = run(arguments);
    CHECK(ran.code == 2);
    CHECK(ran.out == "");
    CHECK_MESSAGE(ran.err.find(expected) != std::string::npos, ran.err);
    CHECK_FALSE(std::filesystem::exists(nothing));
  }
}

}  // namespace tilescope::test
