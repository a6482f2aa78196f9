// When warps issue what waits for shared memory in a step of a register tile, as the clock in the place of each such
// instruction measures it: gpu/instructions/issue_times.py, gpu/measured/h100/issue_times.csv.
#include <doctest/doctest.h>

#include <cmath>
#include <fstream>
#include <map>
#include <sstream>
#include <string>

#include "engine_runs.h"
#include "sass_runs.h"
#include "sim/engine/issue_listener.h"

using namespace tilescope;
using namespace tilescope::test;

namespace {

constexpr int kTurns = 40, kInstructionBytes = 16;

// Of a number of warps: cycles of a turn by warp, and from its beginning to an instruction's issue, by warp and
// address.
struct Times {
  std::map<int, double> step;
  std::map<std::pair<int, int>, double> issued;
};

Times measured(int warps) {
  std::ifstream file(TILESCOPE_SOURCE_DIR "/gpu/measured/h100/issue_times.csv");
  Times times;
  for (std::string line; std::getline(file, line);) {
    std::istringstream fields(line);
    std::string count, address, warp, cycles, step;
    for (std::string* field : {&count, &address, &warp, &cycles, &step}) std::getline(fields, *field, ',');
    if (count != std::to_string(warps)) continue;
    if (address.empty())
      times.step[std::stoi(warp)] = std::stod(step);
    else
      times.issued[{std::stoi(warp), std::stoi(address, nullptr, 16)}] = std::stod(cycles);
  }
  REQUIRE(times.step.size() == static_cast<std::size_t>(warps));
  return times;
}

// Remembers when a turn near the end issues what, from its first barrier on, and when the next one does.
class Turns : public IssueListener {
 public:
  explicit Turns(const Kernel& kernel) : code_(kernel.code().data()) {}
  void issued(const Issue& issue, const WorkCounters& /*before*/, const WorkCounters& /*after*/) override {
    const auto address = static_cast<int>(&issue.instruction - code_) * kInstructionBytes;
    Warp& warp = warps_[issue.warp];
    if (issue.instruction.op == OpClass::barrier && ++warp.barriers % 2 == 1) warp.turn = warp.barriers / 2;
    if (warp.turn == kTurns - 3) warp.at[address] = issue.when;
    if (warp.turn == kTurns - 2) warp.next.emplace(address, issue.when);
  }
  // `began`: the address that a turn's time counts from.
  Times times(int began) const {
    Times result;
    for (const auto& [index, warp] : warps_) {
      const auto begin = static_cast<double>(warp.at.at(began));
      result.step[index] = static_cast<double>(warp.next.at(began)) - begin;
      for (const auto& [address, when] : warp.at) result.issued[{index, address}] = static_cast<double>(when) - begin;
    }
    return result;
  }

 private:
  struct Warp {
    int barriers = 0, turn = -1;
    std::map<int, Cycle> at, next;
  };
  const Instruction* code_;
  std::map<int, Warp> warps_;
};

Times simulated(int warps) {
  const SassScratch scratch;
  const std::string file =
      scratch.write("step.yaml", "kernel: {sass: " + sass_data + "step.sm_90.sass.zst, elf: " + sass_data +
                                     "step.sm_90.elf, name: step}\ngrid: [1]\nblock: [" + std::to_string(32 * warps) +
                                     "]\nargs: [" + std::to_string(kTurns) + ", {buffer: 4096}, {buffer: 1MiB}]\n");
  const auto kernel = sass_kernel(file);
  Turns turns(*kernel);
  const GpuSpec spec = gpu("h100");
  TimingEngine engine(spec, *kernel, 1);
  engine.tell(turns);
  engine.run();
  // The first clock behind the first barrier; it waits until the last store in front of that has handed over its data.
  constexpr int kBegan = 0x550;
  return turns.times(kBegan);
}

}  // namespace

TEST_CASE(
    "a step of a register tile takes as long as measured: of one warp to 1 percent, of four to 5, of eight to 9") {
  const std::map<int, double> off{{1, 0.01}, {4, 0.05}, {8, 0.09}};
  for (const int warps : {1, 4, 8}) {
    const Times hardware = measured(warps), model = simulated(warps);
    for (const auto& [warp, step] : hardware.step) {
      CAPTURE(warps);
      CAPTURE(warp);
      CHECK(model.step.at(warp) == doctest::Approx(step).epsilon(off.at(warps)));
    }
  }
}

TEST_CASE("one warp issues what waits for shared memory when the hardware does, to 8 cycles") {
  const Times hardware = measured(1), model = simulated(1);
  CHECK(hardware.issued.size() == 20);
  for (const auto& [place, cycles] : hardware.issued) {
    CAPTURE(place.second);
    CHECK(std::abs(model.issued.at(place) - cycles) <= 8);
  }
}
