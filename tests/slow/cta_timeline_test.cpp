// When the CTAs of a tiled GEMM start and end, against a real H200: tile 32 at 2048^3, every CTA's clock at start and
// end (tests/data/cta_timeline_tiled32_2048.csv). The measured kernel was instrumented: it read its clock four times
// per CTA, which the modelled one does not. Here M is 512, four rounds of CTAs instead of sixteen; a round does not
// know how many follow.
#include <algorithm>
#include <cmath>
#include <fstream>
#include <map>
#include <sstream>

#include "engine_runs.h"
#include "kernel_walk.h"

using namespace tilescope;
using namespace tilescope::test;

namespace {

std::vector<FinishedCta> measured() {
  std::ifstream file(TILESCOPE_TEST_DATA "/cta_timeline_tiled32_2048.csv");
  std::vector<FinishedCta> ctas;
  std::string line;
  std::getline(file, line);
  while (std::getline(file, line)) {
    std::istringstream cells(line);
    FinishedCta cta;
    char comma = 0;
    Cycle quarter = 0, half = 0;
    cells >> cta.cta >> comma >> cta.sm >> comma >> cta.start >> comma >> quarter >> comma >> half >> comma >> cta.end;
    ctas.push_back(cta);
  }
  return ctas;
}

// The modelled neighbours settle more slowly than the measured ones: phases alternate around 0.5 (0.61, 0.40, 0.59,
// 0.43, ...) where the hardware is within 0.48 and 0.53 from the fourth start on. Hence the mean phase, not its median.
struct Medians {
  double older = 0, younger = 0;  // durations of an SM's first two CTAs
  double later = 0;               // durations from the second round on, while the SM has two
  double phase = 0;               // how far an SM's CTA is when its neighbour starts, on average
};

// Two CTAs share an SM. Times are compared within an SM only: clocks of different ones are not in step.
Medians medians(const std::vector<FinishedCta>& ctas) {
  std::map<int, std::vector<FinishedCta>> by_sm;
  for (const FinishedCta& cta : ctas) by_sm[cta.sm].push_back(cta);
  std::vector<double> older, younger, later;
  double phase = 0;
  for (auto& [sm, own] : by_sm) {
    std::sort(own.begin(), own.end(), [](const FinishedCta& a, const FinishedCta& b) { return a.start < b.start; });
    if (own.size() < 6) continue;
    const auto duration = [&](std::size_t i) { return static_cast<double>(own[i].end - own[i].start); };
    older.push_back(std::min(duration(0), duration(1)));
    younger.push_back(std::max(duration(0), duration(1)));
    for (std::size_t i = 3; i + 1 < own.size(); ++i) {
      later.push_back(duration(i));
      phase += static_cast<double>(own[i].start - own[i - 1].start) / duration(i - 1);
    }
  }
  return {median(older), median(younger), median(later), phase / static_cast<double>(later.size())};
}

}  // namespace

TEST_CASE("CTAs of a tiled GEMM: durations and the half-a-loop drift of neighbours near an H200's") {
  const auto made = kernel("gemm_tiled", {{"M", "512"}, {"N", "2048"}, {"K", "2048"}, {"tile", "32"}});
  const Medians simulated = medians(run(h200(), *made, Mode::timing, Sample::off, 2).timeline);
  const Medians hardware = medians(measured());
  CHECK(std::abs(hardware.phase - 0.5) < 0.01);
  const auto check = [](const char* what, double is, double should, double tolerance = 0.1) {
    INFO(std::string(what) << ": measured " << should << ", simulated " << is);
    CHECK(std::abs(is - should) <= tolerance * should);
  };
  check("first round, older CTA", simulated.older, hardware.older, 0.13);  // known deviation: docs/accuracy.md
  check("first round, younger CTA", simulated.younger, hardware.younger);
  check("later CTAs", simulated.later, hardware.later);
  check("phase between neighbours", simulated.phase, hardware.phase);
}
