// Which SMs the first CTAs of a launch go to, against gpu/measured/<gpu>/cta_placement.csv.
#include "models/cta_dispatch.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <numeric>
#include <regex>
#include <string>

#include "engine_runs.h"
#include "hand_made_kernel.h"

using namespace tilescope;
using namespace tilescope::test;

namespace {

constexpr int kNone = -1;

struct Launched {
  int ctas = 0, slots = 0, cluster = 1;
  std::vector<int> sms;  // by CTA, as %smid gives them
};
// By name.
std::map<std::string, Launched> measured(const std::string& gpu_name) {
  std::map<std::string, Launched> launches;
  std::ifstream file(TILESCOPE_SOURCE_DIR "/gpu/measured/" + gpu_name + "/cta_placement.csv");
  const std::regex row("cta_placement,(ctas=([0-9]+);slots=([0-9]+)(?:;cluster=([0-9]+))?),([0-9]+),0,([0-9]+)");
  std::smatch found;
  for (std::string line; std::getline(file, line);) {
    if (!std::regex_match(line, found, row)) continue;
    Launched& one = launches[found[1]];
    one.ctas = std::stoi(found[2]);
    one.slots = std::stoi(found[3]);
    if (found[4].matched) one.cluster = std::stoi(found[4]);
    one.sms.resize(static_cast<std::size_t>(one.ctas), kNone);
    one.sms.at(std::stoul(found[5])) = std::stoi(found[6]);
  }
  return launches;
}

// The number %smid gives each SM: a TPC of each GPC in turn, then the first TPCs.
std::vector<int> hardware_numbers(const GpuSpec& gpu) {
  std::vector<int> numbers(static_cast<std::size_t>(gpu.sm.count()));
  int next = 0;
  const auto number = [&](std::int64_t sm) { numbers[static_cast<std::size_t>(sm)] = next++; };
  for (std::int64_t i = 0; i < *std::max_element(gpu.sm.gpcs.begin(), gpu.sm.gpcs.end()); i += 2)
    for (std::int64_t gpc = 0, begin = 0; gpc < static_cast<std::int64_t>(gpu.sm.gpcs.size()); ++gpc) {
      const std::int64_t sms = gpu.sm.gpcs[static_cast<std::size_t>(gpc)];
      if (i < sms - (gpc == 0 ? gpu.launch.first_sms : 0)) number(begin + i), number(begin + i + 1);
      begin += sms;
    }
  for (std::int64_t i = 0; i < gpu.launch.first_sms; ++i) number(gpu.sm.gpcs[0] - gpu.launch.first_sms + i);
  return numbers;
}

// Hardware numbers of the SMs, by CTA.
std::vector<int> predicted(const GpuSpec& gpu, const Launched& launched) {
  CtaDispatch dispatch(gpu.launch, launched.ctas);
  Launch launch;
  launch.grid = {launched.ctas, 1, 1};
  launch.cluster = {launched.cluster, 1, 1};
  const std::vector<CtaDispatch::Placement> placements =
      launched.cluster > 1 ? dispatch.first_clusters(gpu.sm.gpcs, launched.slots, launch)
                           : dispatch.first_wave(gpu.sm.gpcs, launched.slots);
  const std::vector<int> numbers = hardware_numbers(gpu);
  std::vector<int> sms(static_cast<std::size_t>(launched.ctas), kNone);
  for (const CtaDispatch::Placement& placement : placements)
    sms.at(static_cast<std::size_t>(placement.cta)) = numbers[static_cast<std::size_t>(placement.sm)];
  return sms;
}

// The four TPCs that come first take turns among themselves from launch to launch.
std::vector<int> without_first(std::vector<int> sms, const GpuSpec& gpu) {
  const auto from = static_cast<int>(gpu.sm.count() - gpu.launch.first_sms);
  for (int& sm : sms) sm = std::min(sm, from);
  return sms;
}

std::vector<int> sorted(std::vector<int> sms) {
  std::sort(sms.begin(), sms.end());
  return sms;
}

}  // namespace

TEST_CASE("CTAs go to the SMs that ran them on hardware, in that order; clusters that all fit, to the same SMs") {
  for (const char* name : {"h200", "h100"}) {
    const GpuSpec spec = gpu(name);
    int single = 0, clustered = 0;
    for (const auto& one : measured(name)) {
      const Launched& launched = one.second;
      CAPTURE(name);
      CAPTURE(one.first);
      const std::vector<int> sms = predicted(spec, launched);
      if (launched.cluster == 1) {
        CHECK(without_first(sms, spec) == without_first(launched.sms, spec));
        ++single;
      } else if (std::count(sms.begin(), sms.end(), kNone) == 0) {  // else the rest waits for the first to end
        CHECK(sorted(sms) == sorted(launched.sms));                 // which GPC is first differs
        ++clustered;
      }
    }
    CHECK(single == 18);
    CHECK(clustered >= 12);
  }
}

TEST_CASE("without TPCs that come first the GPCs take CTAs in their order") {
  GpuSpec spec = gpu("h200");
  spec.launch.first_sms = 0;
  std::vector<int> all(132);
  std::iota(all.begin(), all.end(), 0);
  CtaDispatch dispatch(spec.launch, 132);
  std::vector<int> sms;
  for (const CtaDispatch::Placement& placement : dispatch.first_wave(spec.sm.gpcs, 2)) sms.push_back(placement.sm);
  CHECK(sms == all);
}

TEST_CASE("every SM of a small machine gets its CTAs") {
  LaunchSpec launch;
  launch.first_sms = 8;
  for (const std::vector<std::int64_t>& gpcs : {std::vector<std::int64_t>{1}, {2, 2}, {8, 4}, {3, 3, 3}}) {
    const auto sms = static_cast<int>(std::accumulate(gpcs.begin(), gpcs.end(), std::int64_t{0}));
    for (const int ctas : {1, sms - 1, sms, 3 * sms + 1, 4 * sms}) {
      std::vector<int> given(static_cast<std::size_t>(sms), 0);
      for (const CtaDispatch::Placement& one : CtaDispatch(launch, ctas).first_wave(gpcs, 4))
        ++given[static_cast<std::size_t>(one.sm)];
      CHECK(std::accumulate(given.begin(), given.end(), 0) == ctas);
      CHECK(*std::max_element(given.begin(), given.end()) <= (ctas + sms - 1) / sms);
    }
  }
}

// Measured under Nsight Compute (cta_start, gpu/measured/h100/cta_start_counted_traces.csv): the CPCs of a GPC begin 15
// to 20 ns apart, the second SM of a TPC 5 to 9 ns behind the first.
TEST_CASE("the CPCs of a GPC begin one after the other, its GPCs at once") {
  const GpuSpec spec = gpu("h100");
  const auto cpcs = static_cast<std::int64_t>(spec.crossbar.cpc_cycles.size());
  REQUIRE(cpcs == 3);
  const double step = spec.launch.cpc_interval_cycles, pair = spec.launch.tpc_interval_cycles;
  int looked_at = 0;
  for (const CtaDispatch::Placement& one : CtaDispatch(spec.launch, 132, cpcs).first_wave(spec.sm.gpcs, 1)) {
    const int place = one.sm < 96 ? one.sm % 16 : (one.sm - 96) % 18;
    CHECK(one.start == std::llround(step * (place / 2 % 3) + pair * (place % 2)));
    ++looked_at;
  }
  CHECK(looked_at == 132);
  for (const CtaDispatch::Placement& one : CtaDispatch(spec.launch, 132).first_wave(spec.sm.gpcs, 1))
    CHECK(one.start <= std::llround(pair));
}

// Measured beside cta_turn, by a program that is not kept: two CTAs that begin together on an SM stand 11 to 30, 30 to
// 46 and 67 to 150 cycles apart with 8, 16 and 32 warps.
TEST_CASE("an SM begins a CTA warp by warp before the next; the other SM of its TPC begins its own meanwhile") {
  const auto apart = [](std::int64_t warps, int other) {
    CtaDispatch dispatch(h200().launch, 400);
    dispatch.first_wave(h200().sm.gpcs, 1);
    dispatch.note_end(1000);
    const Cycle first = dispatch.replace(0, warps).start;
    return static_cast<double>(dispatch.replace(other, warps).start - first);
  };
  const struct {
    std::int64_t warps;
    double least, most;
  } rows[] = {{8, 11, 30}, {16, 30, 46}, {32, 67, 150}};
  for (const auto& row : rows) {
    CAPTURE(row.warps);
    CHECK(apart(row.warps, 0) >= row.least);
    CHECK(apart(row.warps, 0) <= row.most);
  }
  CHECK(apart(32, 1) < apart(32, 0) - 20);
}

// Measured (counted_span): elapsed cycles beyond the longest active SM are 75 to 120 more for 16 to 132 CTAs than for
// one where Nsight Compute replays the launch, up to 400 more where it does not; docs/cold-start.md.
TEST_CASE("a launch that reaches GPCs takes longer to be over, and its ends are taken note of meanwhile") {
  const auto cycles = [](std::int64_t ctas, const char* longer) {
    const GpuSpec spec = gpu("h200", {std::string("launch.gpc_end_cycles=") + longer, "launch.cpc_interval_cycles=0"});
    return run(spec, HandMadeKernel(ctas, 32, Program{}), Mode::timing).cycles;
  };
  CHECK(cycles(8, "300") == cycles(8, "0"));
  CHECK(cycles(16, "300") - cycles(16, "0") < 300);
  CHECK(cycles(16, "300") - cycles(16, "0") > 300 - 16 * h200().launch.cta_interval_cycles);
  CHECK(cycles(4096, "300") == cycles(4096, "0"));
}

TEST_CASE("a launch that is looked at from a later wave on begins with that wave, out of step") {
  constexpr std::int64_t kWave = 132;
  constexpr Cycle kSpread = 5000;
  CtaDispatch first(h200().launch, 4 * kWave), later(h200().launch, 4 * kWave);
  later.begin_later(kWave, kSpread);
  const auto in_step = first.first_wave(h200().sm.gpcs, 1), apart = later.first_wave(h200().sm.gpcs, 1);
  REQUIRE(apart.size() == in_step.size());
  CHECK(later.remaining() == first.remaining() - kWave);
  Cycle most = 0, least = kSpread;
  for (std::size_t i = 0; i < apart.size(); ++i) {
    CHECK(apart[i].cta == in_step[i].cta + kWave);
    CHECK(apart[i].sm == in_step[i].sm);
    const Cycle delay = apart[i].start - in_step[i].start;
    CHECK(delay >= 0);
    CHECK(delay <= kSpread);
    most = std::max(most, delay);
    least = std::min(least, delay);
  }
  CHECK(most - least > kSpread * 9 / 10);
}
