// How long an access waits beside accesses of other warps of its SM, to issue and in all, against
// gpu/measured/<gpu>/beside.csv: the microbenchmark's own code, on one SM. The queues between issue and the load/store
// pipeline are in order, whatever the instructions are for; the data stage takes turns.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <map>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "engine_runs.h"
#include "sass_runs.h"

using namespace tilescope;
using namespace tilescope::test;

namespace {

constexpr std::uint64_t kTimed = 42;  // accesses of a launch, as gpu/microbench/beside.cu; all but two are counted

struct Case {
  std::string timed, beside;
  int width = 0;  // 0: alone
};

std::string name_of(const Case& one) {
  return "beside,timed=" + one.timed + ";beside=" + one.beside + (one.width == 0 ? ";warps=none" : ";warps=all") +
         ";width=" + std::to_string(std::max(1, one.width)) + ",";
}

// By metric. Of a case that was measured twice the second counts: the first launch brings code and lines.
std::map<std::string, double> measured(const std::string& gpu_name, const Case& one) {
  std::ifstream file(TILESCOPE_SOURCE_DIR "/gpu/measured/" + gpu_name + "/beside.csv");
  const std::string name = name_of(one);
  std::map<std::string, double> values;
  for (std::string line; std::getline(file, line);) {
    if (!line.starts_with(name)) continue;
    const std::size_t comma = line.find(',', name.size());
    values[line.substr(name.size(), comma - name.size())] = std::stod(line.substr(comma + 1));
  }
  REQUIRE(values.contains("latency"));
  return values;
}

struct Waits {  // cycles of a timed access
  double issue = 0, all = 0;
};

Waits predicted(const Case& one, int rounds, const std::vector<std::string>& changes = {}) {
  const std::map<std::string, int> numbers{{"l2", 0}, {"l1", 1}, {"shared", 2}, {"store", 3}};
  const SassScratch scratch;
  const std::string file =
      scratch.write("beside.yaml",
                    "kernel: {sass: " + sass_data + "beside.sm_90.sass.zst, elf: " + sass_data +
                        "beside.sm_90.elf, name: \"probe_besideILNS1_4KindE" + std::to_string(numbers.at(one.timed)) +
                        "ELS3_" + std::to_string(numbers.at(one.beside)) +
                        "E\"}\ngrid: [1]\nblock: [1024]\ndynamic_smem: 122880\nargs: [{buffer: 128}, {buffer: 1MiB}, " +
                        (one.width == 0 ? "0" : "0xfffffffe") + ", " + std::to_string(std::max(1, one.width)) + ", " +
                        std::to_string(rounds) + ", {buffer: 4KiB}]\n");
  std::vector<std::string> all{"sm.gpcs=[1]", "launch.first_sms=0"};
  all.insert(all.end(), changes.begin(), changes.end());
  const auto kernel = sass_kernel(file);
  RunOptions options;
  options.sample = Sample::off;
  options.by_instruction = true;
  const RunOutcome outcome = simulate(gpu("h200", all), *kernel, options);
  // What stands before the access, and before the four instructions behind it, one of which waits for its result.
  const auto timed = [&](std::size_t i) {
    const OpClass op = kernel->code()[i].op;
    return outcome.instructions[i].executed == kTimed && memory_operands(op) == 1 && is_load(access_of(op, 0));
  };
  std::size_t access = 0;
  while (access < kernel->code().size() && !timed(access)) ++access;
  REQUIRE(access + 5 <= kernel->code().size());
  const auto stalls = [&](std::size_t i) {
    const auto& cycles = outcome.instructions[i].stall_cycles;
    return static_cast<double>(std::accumulate(cycles.begin(), cycles.end(), std::uint64_t{0})) / kTimed;
  };
  Waits waits{stalls(access), 0};
  for (std::size_t i = access; i < access + 5; ++i) waits.all += stalls(i);
  return waits;
}

int rounds_of(const Case& one) { return static_cast<int>(measured("h200", one).at("rounds")); }

// Of a case, how much longer than alone.
Waits longer(const Case& one, const std::vector<std::string>& changes = {}) {
  const Waits alone = predicted({one.timed, one.beside, 0}, 0, changes);
  const Waits there = predicted(one, rounds_of(one), changes);
  return {there.issue - alone.issue, there.all - alone.all};
}

}  // namespace

TEST_CASE("an access waits beside those of 31 warps, to issue and in all, as long as on hardware") {
  double sum = 0;
  int count = 0;
  for (const char* timed : {"l2", "l1", "shared"}) {
    for (const char* beside : {"shared", "l1", "store"}) {
      for (const int width : {2, 4, 8}) {
        const Case one{timed, beside, width};
        const Waits here = longer(one);
        for (const char* name : {"h200", "h100"}) {
          const auto alone = measured(name, {timed, beside, 0}), there = measured(name, one);
          const double all = there.at("latency") - alone.at("latency");
          const double issue = there.at("issue") - alone.at("issue");
          CAPTURE(name);
          CAPTURE(name_of(one));
          CAPTURE(all);
          CAPTURE(issue);
          CHECK(here.all == doctest::Approx(all).epsilon(0.55));
          CHECK(std::abs(here.issue - issue) < 0.2 * all + 0.7 * issue);
          sum += std::abs(std::log(here.all / all));
          ++count;
        }
      }
    }
  }
  // 1.40 if no store joined another: all these stores go to the same lines, and how long those take that join is known
  // for whole lines alone (models/store_joins.h).
  CHECK(std::exp(sum / count) < 1.44);
}

TEST_CASE("each queue of the load/store unit, and each turn of the data stage, changes how long an access waits") {
  const Case load{"l2", "l1", 4}, hits{"l1", "l1", 8}, store{"l1", "store", 4}, shared{"shared", "shared", 8};
  CHECK(longer(load, {"lsu.hits_before_answer=60"}).all > longer(load).all + 100);
  CHECK(longer(load, {"lsu.found_queue_entries=10"}).issue < longer(load).issue - 50);
  CHECK(longer(hits, {"lsu.global_queue_entries=40"}).issue < longer(hits).issue - 50);
  CHECK(longer(store, {"lsu.global_queue_per_sub=4"}).issue > longer(store).issue + 50);
  CHECK(longer(shared, {"lsu.shared_queue_entries=40"}).issue < longer(shared).issue - 50);
  CHECK(std::abs(longer(shared, {"lsu.queue_entries=4"}).issue - longer(shared).issue) > 50);
  // A shared access stands behind half as many stores where each takes two places.
  const Case behind{"shared", "store", 4};
  CHECK(longer(behind, {"lsu.wide_queue_places=1"}).all > longer(behind).all + 50);
}
