// Which parameters are free, and what is refused of --parameter.
#include <doctest/doctest.h>

#include "models/support/spec_reader.h"
#include "models/support/spec_tree.h"
#include "models/support/text_file.h"
#include "sim/studies/calibrate/parameter_choice.h"
#include "sim/studies/calibrate/value_places.h"

using namespace tilescope;
using namespace tilescope::calibrate;

namespace {

const std::vector<const Metric*> kTime = {find_metric("gpc__cycles_elapsed.max")};
const std::vector<const Metric*> kTraffic = {find_metric("dram__bytes_read.sum")};

GpuFile shipped(const std::string& name) {
  return read_gpu_file(std::string(TILESCOPE_SOURCE_DIR) + "/configs/gpus/" + name + ".yaml").value();
}

// An H200 whose file is known to say what these tests need: everything assumed but the latency of HBM.
GpuFile known_h200() {
  GpuFile gpu = shipped("h200");
  for (const char* mark : {"# M:", "# P:"})
    for (std::size_t at = 0; (at = gpu.text.find(mark, at)) != std::string::npos;) gpu.text[at + 2] = 'A';
  const auto hbm = gpu.text.find("\n  latency_ns:");
  gpu.text[gpu.text.find("# A:", hbm) + 2] = 'M';
  return gpu;
}

std::string refusal(const std::vector<std::string>& words, const std::vector<const Metric*>& metrics = kTime) {
  const auto chosen = choose_parameters(known_h200(), words, metrics);
  return chosen ? "" : to_string(chosen.error());
}

}  // namespace

TEST_CASE("every free parameter is a number of the schema, its bounds are valid, and every shipped value lies inside") {
  for (const char* name : {"a100", "a100_40", "h100", "h100_pcie", "h200"}) {
    const GpuFile gpu = shipped(name);
    for (const FreeParameter& parameter : free_parameters()) {
      CAPTURE(name);
      CAPTURE(std::string(parameter.key));
      CHECK(parameter.low < parameter.high);
      for (const double bound : {parameter.low, parameter.high})
        CHECK(spec_with(gpu, {{std::string(parameter.key),
                               std::to_string(bound).substr(0, bound == static_cast<std::int64_t>(bound)
                                                                   ? std::to_string(bound).find('.')
                                                                   : std::string::npos)}})
                  .has_value());
      bool found = false;
      each_value(spec_tree(gpu.spec), [&](const std::string& path, const SpecNode& node) {
        if (path != parameter.key) return;
        found = true;
        CHECK((node.type == "integer" || node.type == "real"));
        CHECK(node.value.get<double>() >= parameter.low);
        CHECK(node.value.get<double>() <= parameter.high);
      });
      CHECK(found);
    }
  }
}

TEST_CASE("docs/calibrate.md names every free parameter with its bounds") {
  const std::string page = read_text_file(TILESCOPE_SOURCE_DIR "/docs/calibrate.md").value();
  for (const FreeParameter& p : free_parameters()) {
    const ChosenParameter plain{std::string(p.key), "", false, 0, p.low, p.high, &p};
    const std::string row = "| `" + plain.key + "` | " + value_text(plain, p.low) + " to " + value_text(plain, p.high) +
                            " | " + (p.moves_traffic ? "time, traffic" : "time") + " | " +
                            std::string(p.bounds_reason) + " | " + std::string(p.determined_by) + " |\n";
    CAPTURE(row);
    CHECK(page.find(row) != std::string::npos);
  }
}

TEST_CASE("unless named, the free parameters are those that the GPU's file calls assumed") {
  const GpuFile gpu = shipped("h200");
  const auto places = value_places(gpu.text);
  const auto chosen = choose_parameters(gpu, {}, kTime).value();
  CHECK(chosen.size() >= 6);
  for (const ChosenParameter& parameter : chosen) CHECK(places.at(parameter.key).source == 'A');
  CHECK(choose_parameters(shipped("h100"), {}, kTime).value().size() > chosen.size());  // less is measured there
}

TEST_CASE("what can not be fitted is refused with one sentence each") {
  const struct {
    const char* word;
    const char* sentence;
  } rows[] = {
      {"hbm.latncy_ns", "--parameter hbm.latncy_ns: error: unknown key (did you mean hbm.latency_ns?)"},
      {"hbm", "unknown key"},
      {"l2.ways", "not a free parameter, since it is no latency, bandwidth or overhead"},
      {"sm.gpcs", "not a free parameter"},
      {"hbm.latency_ns", "measured ("},
      {"hbm.latency_ns", "only values marked A (assumed) or F (fitted) are free"},
      {"hbm.bandwidth_gbs", "not a free parameter"},
      {"hbm.turnaround_ns=", "got ''; must be LOW:HIGH with LOW below HIGH"},
      {"hbm.turnaround_ns=5", "got '5'; must be LOW:HIGH with LOW below HIGH"},
      {"hbm.turnaround_ns=5:", "got '5:'; must be LOW:HIGH"},
      {"hbm.turnaround_ns=9:5", "got '9:5'; must be LOW:HIGH"},
      {"hbm.turnaround_ns=5:5", "got '5:5'; must be LOW:HIGH"},
      {"hbm.turnaround_ns=nan:5", "got 'nan:5'; must be LOW:HIGH"},
      {"hbm.turnaround_ns=5:10:20", "must be LOW:HIGH"},
      {"hbm.turnaround_ns=-5:10", "hbm.turnaround_ns: got '-5'; must be a number from 0 to 1000 ns"},
      {"hbm.refresh_ns=10:5000", "must be smaller than hbm.refresh_interval_ns"},
      {"hbm.write_batch=0.5:20", "got '0.5:20'; must be LOW:HIGH, whole numbers with LOW below HIGH"},
      {"hbm.write_batch=0:20", "hbm.write_batch: got '0'; must be a whole number from 1 to 4096 fetch"},
  };
  for (const auto& row : rows) {
    CAPTURE(row.word);
    const std::string said = refusal({row.word});
    CAPTURE(said);
    CHECK(said.find(row.sentence) != std::string::npos);
  }
}

TEST_CASE("every wrong --parameter is named in one run, and a repeated one too") {
  const std::string said = refusal({"hbm.nosuch", "hbm.turnaround_ns", "hbm.turnaround_ns=1:2", "l2.slices"});
  CHECK(said.find("--parameter hbm.nosuch: error: unknown key") != std::string::npos);
  CHECK(said.find("--parameter hbm.turnaround_ns=1:2: error: given more than once") != std::string::npos);
  CHECK(said.find("--parameter l2.slices: error: not a free parameter") != std::string::npos);
}

TEST_CASE("a parameter that moves time alone is refused where only traffic is fitted") {
  CHECK(refusal({"hbm.turnaround_ns"}, kTraffic).find("moves time alone, and no chosen metric needs time") !=
        std::string::npos);
  CHECK(refusal({"hbm.turnaround_ns"}, {kTraffic[0], kTime[0]}).empty());
}

TEST_CASE("a file in which everything is measured leaves nothing to fit") {
  GpuFile gpu = shipped("h200");
  for (std::size_t at = 0; (at = gpu.text.find("# A:", at)) != std::string::npos;) gpu.text[at + 2] = 'M';
  const auto chosen = choose_parameters(gpu, {}, kTime);
  REQUIRE(!chosen);
  CHECK(to_string(chosen.error()).find("is marked A (assumed) or F (fitted)") != std::string::npos);
}
