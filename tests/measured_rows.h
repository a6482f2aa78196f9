// Rows of instructions of one's own between clocks, as gpu/instructions/rows.py measures them, and on the model.
#pragma once

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "engine_runs.h"
#include "sim/engine/issue_listener.h"
#include "written_instructions.h"

namespace tilescope::test {

using Clocks = std::vector<std::vector<double>>;  // [warp][number], cycles from the first one of any warp

struct Row {
  std::string name;
  int warps = 0;
  std::uint64_t pitch = 0;
  std::vector<std::string> instructions;
  Clocks measured;
};

// As gpu/instructions/`name`.txt has them, measured in gpu/measured/`gpu_name`/`name`.csv.
inline std::vector<Row> rows(const std::string& gpu_name, const std::string& name) {
  std::map<std::string, Clocks> measured;
  std::ifstream values(TILESCOPE_SOURCE_DIR "/gpu/measured/" + gpu_name + "/" + name + ".csv");
  for (std::string line; std::getline(values, line);) {
    if (line[0] == '#' || line.starts_with("name,")) continue;
    const auto fields = parts(line, ',');
    REQUIRE_MESSAGE(fields.size() == 5, line);
    Clocks& clocks = measured[fields[0] + ", " + fields[1]];
    clocks.resize(std::stoul(fields[1]));
    clocks.at(std::stoul(fields[2])).push_back(std::stod(fields[4]));
  }
  std::vector<Row> all;
  std::ifstream written(TILESCOPE_SOURCE_DIR "/gpu/instructions/" + name + ".txt");
  for (std::string line; std::getline(written, line);) {
    if (line[0] == '#') continue;
    const auto fields = parts(line, ';');
    REQUIRE_MESSAGE(fields.size() == 4, line);
    Row row{fields[0], std::stoi(fields[1]), std::stoul(fields[2]), parts(fields[3], ','), {}};
    row.measured = measured.at(fields[0] + ", " + fields[1]);
    all.push_back(std::move(row));
  }
  return all;
}

// Remembers when the clocks of a row's last turn issue.
class ClockListener : public IssueListener {
 public:
  ClockListener(const Kernel& kernel, const std::vector<std::size_t>& clocks, int warps)
      : code_(kernel.code().data()), clocks_(clocks), times(static_cast<std::size_t>(warps)) {}
  void issued(const Issue& issue, const WorkCounters& /*before*/, const WorkCounters& /*after*/) override {
    const auto at = static_cast<std::size_t>(&issue.instruction - code_);
    if (std::find(clocks_.begin(), clocks_.end(), at) != clocks_.end())
      times[static_cast<std::size_t>(issue.warp)].push_back(static_cast<double>(issue.when));
  }

 private:
  const Instruction* code_;
  std::vector<std::size_t> clocks_;

 public:
  Clocks times;
};

inline Clocks simulated(const Row& row, const std::string& gpu_name, const std::vector<std::string>& changes = {}) {
  constexpr int kTurns = 2;  // the second finds in L1 what the first has brought
  sass::ReuseCache reuse;
  // What goes on at a barrier without its warps, a branch waits for.
  Program turn = {step(OpClass::barrier), step(OpClass::branch).stall(5)}, all;
  turn.back().instruction.detail = static_cast<std::uint16_t>(Turn::jump);
  std::vector<std::size_t> clocks;
  for (const std::string& text : row.instructions) {
    const auto star = text.find('*');
    const int times = star == std::string::npos ? 1 : std::stoi(text);
    for (int i = 0; i < times; ++i) {
      if (text.starts_with("CLOCK")) clocks.push_back(turn.size());
      turn.push_back(step_of(star == std::string::npos ? text : text.substr(star + 1), reuse, row.pitch));
    }
  }
  Step last = step(OpClass::nop).stall(11);
  last.instruction.wait_mask = 63;
  turn.push_back(last);
  for (std::size_t& clock : clocks) clock += (kTurns - 1) * turn.size();
  for (int i = 0; i < kTurns; ++i) all = all + turn;
  const HandMadeKernel kernel(1, 32 * row.warps, all);
  ClockListener listener(kernel, clocks, row.warps);
  const GpuSpec spec = gpu(gpu_name, changes);
  TimingEngine engine(spec, kernel, 1);
  engine.tell(listener);
  engine.run();
  double begin = listener.times[0][0];
  for (const auto& warp : listener.times) begin = std::min(begin, warp[0]);
  for (auto& warp : listener.times)
    for (double& time : warp) time -= begin;
  return listener.times;
}

// By how many cycles one clock of the row is off at most.
inline double off(const Row& row, const std::string& gpu_name, const std::vector<std::string>& changes = {}) {
  const Clocks here = simulated(row, gpu_name, changes);
  double most = 0;
  for (std::size_t warp = 0; warp < here.size(); ++warp)
    for (std::size_t i = 0; i < here[warp].size(); ++i)
      most = std::max(most, std::abs(here[warp][i] - row.measured[warp][i]));
  return most;
}

// From the first clock of any warp to the last.
inline double length(const Clocks& clocks) {
  double last = 0;
  for (const auto& warp : clocks) last = std::max(last, warp.back());
  return last;
}

}  // namespace tilescope::test
