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

using namespace tilescope;
using namespace tilescope::test;

namespace {

constexpr int kNone = -1;

// SMs by CTA, by name of the launch, as %smid gives them.
std::map<std::string, std::vector<int>> measured(const std::string& gpu_name) {
  std::map<std::string, std::vector<int>> launches;
  std::ifstream file(TILESCOPE_SOURCE_DIR "/gpu/measured/" + gpu_name + "/cta_placement.csv");
  const std::regex row("cta_placement,([^,]*),([0-9]+),0,([0-9]+)");
  std::smatch found;
  for (std::string line; std::getline(file, line);)
    if (std::regex_match(line, found, row)) {
      std::vector<int>& sms = launches[found[1]];
      sms.resize(std::max(sms.size(), std::stoul(found[2]) + 1), kNone);
      sms[std::stoul(found[2])] = std::stoi(found[3]);
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
std::vector<int> predicted(const GpuSpec& gpu, int ctas, int slots, int cluster) {
  CtaDispatch dispatch(gpu.launch, ctas);
  Launch launch;
  launch.grid = {ctas, 1, 1};
  launch.cluster = {cluster, 1, 1};
  const std::vector<int> numbers = hardware_numbers(gpu);
  std::vector<int> sms(static_cast<std::size_t>(ctas), kNone);
  for (const CtaDispatch::Placement& placement :
       cluster > 1 ? dispatch.first_clusters(gpu.sm.gpcs, slots, launch) : dispatch.first_wave(gpu.sm.gpcs, slots))
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

TEST_CASE("CTAs go to the SMs that ran them on hardware, in that order") {
  for (const char* name : {"h200", "h100"}) {
    const GpuSpec spec = gpu(name);
    const std::regex shape("ctas=([0-9]+);slots=([0-9]+)");
    std::smatch found;
    int launches = 0;
    for (const auto& one : measured(name)) {
      const std::string& launch = one.first;
      const std::vector<int>& sms = one.second;
      if (!std::regex_match(launch, found, shape)) continue;
      const int ctas = std::stoi(found[1]), slots = std::stoi(found[2]);
      CAPTURE(name);
      CAPTURE(launch);
      CHECK(without_first(predicted(spec, ctas, slots, 1), spec) == without_first(sms, spec));
      ++launches;
    }
    CHECK(launches == 18);
  }
}

TEST_CASE("clusters go to the SMs that ran them on hardware, as long as all fit") {
  // Which GPC's turn is first differs from launch to launch: SMs are compared as a set.
  for (const char* name : {"h200", "h100"}) {
    const GpuSpec spec = gpu(name);
    const std::regex shape("ctas=([0-9]+);slots=([0-9]+);cluster=([0-9]+)");
    std::smatch found;
    int launches = 0;
    for (const auto& one : measured(name)) {
      const std::string& launch = one.first;
      const std::vector<int>& sms = one.second;
      if (!std::regex_match(launch, found, shape)) continue;
      const int ctas = std::stoi(found[1]), slots = std::stoi(found[2]), cluster = std::stoi(found[3]);
      CAPTURE(name);
      CAPTURE(launch);
      const std::vector<int> all = predicted(spec, ctas, slots, cluster);
      if (std::count(all.begin(), all.end(), kNone) > 0) continue;  // the rest waits for the first to end
      CHECK(sorted(all) == sorted(sms));
      ++launches;
    }
    CHECK(launches >= 12);
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
