// Studies that ask for more than any machine has: refused with their place, without trying.
#include <doctest/doctest.h>

#include "sweep_files.h"
#include "tests/cli_answer.h"
#include "tests/cpu_time.h"

namespace {

CliAnswer planned(const SweepFolder& folder, const std::string& rest) {
  return ask({"sweep", "plan", folder.write("s.yaml", "study: s\nkernels: [copy]\n" + rest)});
}

}  // namespace

TEST_CASE("ranges without end are refused") {
  const SweepFolder folder;
  struct {
    const char *range, *reason;
  } const rows[] = {{"1:1000000000000:1", "has more than 10000 values"},
                    {"0:1:1e-300", "has more than 10000 values"},
                    {"1e300:1e301:1", "has more than 10000 values"},
                    {"nan:1:1", "got 'nan:1:1'"},
                    {"0:inf:1", "got '0:inf:1'"},
                    {"1:1e308:*1", "factor 1 must be above 1"},
                    {"1:2:-1", "step -1 must be above 0"},
                    {"0x0:8:1", "got '0x0:8:1'"},
                    {"1::", "got '1::'"},
                    {":::", "got ':::'"}};
  for (const auto& [range, reason] : rows) {
    CAPTURE(range);
    CHECK(refused(planned(folder, "parameters: {bytes: \"" + std::string(range) + "\"}\n"), reason));
  }
}

TEST_CASE("products and sums of values beyond the limits are refused before they are made") {
  const SweepFolder folder;
  const CpuTime time;
  const std::string thousand = "\"64:64000:64\"";
  CHECK(refused(planned(folder, "parameters: {bytes: " + thousand +
                                    ", gpu.l2.size_mib: \"1:1000:1\", "
                                    "gpu.l2.ways: \"1:64:1\"}\n"),
                "has 64000000 points; must have at most 1000000"));
  std::string many = "parameters:\n  bytes:\n";
  for (int i = 0; i < 1000; ++i)
    many += "    - " + std::to_string(i * 10'000) + ":" + std::to_string(i * 10'000 + 9999) + ":1\n";
  CHECK(refused(planned(folder, many), "the parameters have more than 1000000 values"));
  std::string names = "parameters:\n  ? \"";
  for (int i = 0; i < 20'000; ++i) names += (i == 0 ? "n" : ",n") + std::to_string(i);
  CHECK(refused(planned(folder, names + "\"\n  : 0:9999:1\n"), "the parameters have more than 1000000 values"));
  CHECK(time.seconds() < 60);
}

TEST_CASE("ten thousand values of a GPU's parameter are checked one by one, not one file after the other") {
  const SweepFolder folder;
  const CpuTime time;
  CHECK(refused(planned(folder, "parameters: {gpu.l2.size_mib: \"5000:14999:1\"}\n"),
                "parameters.gpu.l2.size_mib: got '5000'; must be a number from 0.125 to 4096 MiB"));
  CHECK(time.seconds() < 60);
}

TEST_CASE("lists of kernels, GPUs and constraints have an end") {
  const SweepFolder folder;
  std::string list = "[copy";
  for (int i = 0; i < 2000; ++i) list += ", copy";
  list += "]";
  for (const char* key : {"kernels", "gpus", "constraints"}) {
    CAPTURE(key);
    const std::string head = std::string(key) == "kernels" ? "study: s\n" : "study: s\nkernels: [copy]\n";
    const std::string path = folder.write("s.yaml", head + key + ": " + list + "\n");
    CHECK(refused(ask({"sweep", "plan", path}), std::string(key) + ": got 2001 items; must be at most 1000"));
  }
}

TEST_CASE("aliases within themselves end nowhere in a study either") {
  const SweepFolder folder;
  CHECK(refused(planned(folder, "parameters: {bytes: &a [*a]}\n"), "s.yaml:3:"));
  CHECK(refused(planned(folder, "parameters: &a {<<: *a}\n"), "lists and maps are nested"));
  CHECK(refused(planned(folder, "parameters: {bytes: 64, bytes: 64}\n"), "parameters.bytes: given twice"));
  CHECK(refused(planned(folder, "constraints: [\"" + std::string(100'000, '(') + "\"]\n"), "nested deeper than"));
  CHECK(refused(planned(folder, "constraints: [\"" + std::string(100'000, '-') + "1\"]\n"), "nested deeper than"));
}
