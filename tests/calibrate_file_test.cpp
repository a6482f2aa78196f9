// What a calibration reads (sources, held-out files) and what it writes.
#include <doctest/doctest.h>

#include <regex>

#include "models/support/text_file.h"
#include "sim/studies/calibrate/fitted_text.h"
#include "sim/studies/calibrate/training_cases.h"
#include "sim/studies/calibrate/value_places.h"

using namespace tilescope;
using namespace tilescope::calibrate;

namespace {

const std::string kFile = TILESCOPE_SOURCE_DIR "/configs/gpus/h200.yaml";

GpuFile h200_as(const std::string& text) {
  GpuFile file{"gpu.yaml", text, {}};
  file.spec = spec_with(file, {}).value();
  return file;
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const auto at = text.find(from);
  REQUIRE(at != std::string::npos);
  return text.replace(at, from.size(), to);
}

// The line of `key` in place of the one that is there.
std::string with_line(const std::string& text, const std::string& key, const std::string& line) {
  const auto at = text.find("\n  " + key + ":");
  REQUIRE(at != std::string::npos);
  const auto end = text.find('\n', at + 1);
  return text.substr(0, at) + "\n  " + line + text.substr(end);
}

// The shipped H200, but for lines that these tests know by heart.
std::string h200_text() {
  std::string text = read_text_file(kFile).value();
  text = with_line(text, "activate_ns", "activate_ns: 1.17          # M: random reads");
  text = with_line(text, "row_cycle_ns", "row_cycle_ns: 45           # A: usual tRC of DRAM");
  text = with_line(text, "turnaround_ns", "turnaround_ns: 15          # A: from the copy bandwidth");
  return with_line(text, "write_batch", "write_batch: 80            # A: set with turnaround_ns");
}

FittedParameter fitted(const std::string& key, bool whole, double before, double after) {
  return {
      {key, "ns", whole, before, 0, 400, find_free_parameter(key)}, after, {{after - 8.26, after + 8.28}}, AtBound::no};
}

Calibration two_fitted() {
  Calibration calibration;
  calibration.measured_files = {"a.csv", "dir/b.csv"};
  calibration.cases = 31;
  calibration.parameters = {fitted("hbm.turnaround_ns", false, 15, 128.4), fitted("hbm.write_batch", true, 80, 64)};
  return calibration;
}

}  // namespace

TEST_CASE("every value of a shipped GPU is found with the source that its comment names") {
  const auto places = value_places(h200_text());
  CHECK(places.at("hbm.turnaround_ns").source == 'A');
  CHECK(places.at("hbm.activate_ns").source == 'M');
  CHECK(places.at("hbm.activate_ns").source_comment == "random reads");
  CHECK(places.at("l2.slice_bytes_per_cycle").source == 'P');
  CHECK(places.count("sm.gpcs") == 0);  // a list
}

TEST_CASE("only the fitted lines change: value and source; every other byte stays") {
  const std::string before = h200_text();
  const std::string after = fitted_text(h200_as(before), two_fitted()).value();
  const std::string expected = replaced(
      replaced(before, "turnaround_ns: 15          # A: from the copy bandwidth",
               "turnaround_ns: 128.4       # F: fitted to a.csv and dir/b.csv (31 cases), 15 -> 128.4, 95 % interval "
               "120.1 to 136.7"),
      "write_batch: 80            # A: set with turnaround_ns",
      "write_batch: 64            # F: fitted to a.csv and dir/b.csv (31 cases), 80 -> 64, 95 % interval 55.74 to "
      "72.28");
  CHECK(after == expected);
  CHECK(value_places(after).at("hbm.write_batch").source == 'F');
  const std::regex sourced("^ +[a-z0-9_]+: +[^#]+# [MPAF]: .{4,}$");
  CHECK(std::regex_match(std::string("  turnaround_ns: 128.4       # F: fitted to a.csv"), sourced));
}

TEST_CASE("fitting anew replaces the comment of the fit before") {
  const std::string once = fitted_text(h200_as(h200_text()), two_fitted()).value();
  Calibration again = two_fitted();
  again.parameters = {fitted("hbm.turnaround_ns", false, 128.4, 15)};
  const std::string twice = fitted_text(h200_as(once), again).value();
  CHECK(twice.find("turnaround_ns: 15          # F: fitted to a.csv and dir/b.csv (31 cases), 128.4 -> 15,") !=
        std::string::npos);
  CHECK(twice.find("-> 128.4") == std::string::npos);
}

TEST_CASE("lines without a comment, quoted values and DOS line ends are replaced as well") {
  const std::string line = "turnaround_ns: 15          # A: from the copy bandwidth";
  for (const char* now : {"turnaround_ns: 15", "turnaround_ns: \"15\"   # odd", "turnaround_ns: '15' # \"15\""}) {
    CAPTURE(now);
    const std::string after = fitted_text(h200_as(replaced(h200_text(), line, now)), two_fitted()).value();
    CHECK(spec_with({"gpu.yaml", after, {}}, {}).value().hbm.turnaround_ns == 128.4);
    CHECK(value_places(after).at("hbm.turnaround_ns").source == 'F');
  }
  const std::string dos = std::regex_replace(h200_text(), std::regex("\n"), "\r\n");
  const std::string after = fitted_text(h200_as(dos), two_fitted()).value();
  CHECK(std::regex_replace(after, std::regex("\r\n"), "\n") == fitted_text(h200_as(h200_text()), two_fitted()).value());
}

TEST_CASE("values that share a line or hang on an anchor are refused, not broken") {
  const std::string section =
      replaced(h200_text(), "fabric:\n", "fabric: {latency_cycles: 58, bytes_per_cycle: 2500}\nunused:\n");
  const std::string flow = section.substr(0, section.find("unused:")) + section.substr(section.find("hbm:\n"));
  Calibration calibration = two_fitted();
  calibration.parameters = {fitted("fabric.bytes_per_cycle", false, 2500, 300)};
  const auto shared = fitted_text(h200_as(flow), calibration);
  REQUIRE(!shared);
  CHECK(shared.error().front().message.find("must stand on a line of its own") != std::string::npos);

  const auto own =
      fitted_text(h200_as(replaced(h200_text(), "turnaround_ns: 15", "turnaround_ns: &n 15")), two_fitted());
  REQUIRE(own);  // an anchor that nothing hangs on does no harm
  CHECK(spec_with({"gpu.yaml", *own, {}}, {}).value().hbm.turnaround_ns == 128.4);
  const std::string anchored = replaced(replaced(h200_text(), "row_cycle_ns: 45", "row_cycle_ns: &n 45"),
                                        "turnaround_ns: 15", "turnaround_ns: *n");
  const auto hung = fitted_text(h200_as(anchored), two_fitted());
  REQUIRE(!hung);
  CHECK(hung.error().front().message.find("must stand on a line of its own") != std::string::npos);
}

TEST_CASE("a file that says it is held out is refused, by name or by header") {
  const struct {
    const char* path;
    const char* text;
    bool refused;
    int line;
  } rows[] = {
      {"gemm_holdout.csv", "kernel\n", true, 0},
      {"d/GEMM-Held-Out.csv", "kernel\n", true, 0},
      {"gemm.csv", "# H200\n# made by collect.sh; held out: never fit to it\nkernel\n", true, 2},
      {"gemm.csv", "# heldout data\nkernel\n", true, 1},
      {"gemm.csv", "==PROF== hold-out run\nkernel\n", true, 1},
      {"holdout/gemm.csv", "kernel\n", false, 0},  // a folder's name says nothing about the file
      {"gemm_train.csv", "# training data only; shareholders outside\nkernel\nholdout,1\n", false, 0},
  };
  for (const auto& row : rows) {
    CAPTURE(row.path);
    CAPTURE(row.text);
    const auto why = held_out(row.path, row.text);
    CHECK(why.has_value() == row.refused);
    if (why) CHECK(why->line == row.line);
    if (why) CHECK(why->message.find("must be training data") != std::string::npos);
  }
  CHECK(!held_out("gemm_train.csv", read_text_file(TILESCOPE_SOURCE_DIR "/gpu/measured/h200/gemm_train.csv").value()));
}
