// The table of models/isa/operation.h: what holds for every class of instruction.
#include <doctest/doctest.h>

#include <set>
#include <string>

#include "engine_runs.h"
#include "hand_made_kernel.h"
#include "models/isa/operation.h"
#include "models/pipes.h"
#include "sim/results/metrics.h"

using namespace tilescope;
using namespace tilescope::test;

namespace {

std::string text(std::string_view view) { return std::string(view); }

}  // namespace

TEST_CASE("every class has a row of its own and a name that no other has") {
  std::set<std::string_view> names;
  for (int i = 0; i < kOpClasses; ++i) {
    const auto op = static_cast<OpClass>(i);
    CAPTURE(text(name(op)));
    CHECK(traits(op).op == op);
    CHECK(!name(op).empty());
    CHECK(names.insert(name(op)).second);
  }
}

TEST_CASE("accesses come without gaps, none twice, and their number is that of the operands") {
  for (const OperationTraits& row : kOperations) {
    CAPTURE(text(row.name));
    bool ended = false;
    std::set<AccessKind> seen;
    for (const AccessKind access : row.accesses) {
      if (access == AccessKind::none) {
        ended = true;
        continue;
      }
      CHECK(!ended);
      CHECK(seen.insert(access).second);
      CHECK(access_of(row.op, static_cast<int>(seen.size()) - 1) == access);
    }
    CHECK(memory_operands(row.op) == static_cast<int>(seen.size()));
    CHECK(is_generic(row.op) == (seen.size() == 3));
  }
}

TEST_CASE("what uses the load/store unit leaves by mio or lg, and what brings operands uses it") {
  for (const OperationTraits& row : kOperations) {
    CAPTURE(text(row.name));
    if (uses_load_store_unit(row.op)) CHECK((row.pipe == Pipe::mio || row.pipe == Pipe::lg));
    if (memory_operands(row.op) == 0) continue;
    CHECK(uses_load_store_unit(row.op));
    // Whatever may go through the tags queues with the global accesses; shared memory alone does not.
    bool lines = false;
    for (int i = 0; i < memory_operands(row.op); ++i) lines = lines || is_lines(access_of(row.op, i));
    CHECK(row.pipe == (lines ? Pipe::lg : Pipe::mio));
  }
}

TEST_CASE("what accesses memory is waited for by a scoreboard, what makes a warp wait takes no pipe") {
  for (const OperationTraits& row : kOperations) {
    CAPTURE(text(row.name));
    if (memory_operands(row.op) != 0) CHECK(row.fixed_latency == 0);
    if (row.order == Order::none) continue;
    CHECK(row.pipe == Pipe::none);
    CHECK(memory_operands(row.op) == 0);
    CHECK(row.not_modelled.empty());
  }
}

TEST_CASE("a class with a fixed latency has none in its pipe, but those that a scoreboard can name") {
  const PipeTable pipes(h200());
  for (const OperationTraits& row : kOperations) {
    CAPTURE(text(row.name));
    CHECK(pipes[row.op].pipe == row.pipe);
    if (row.fixed_latency == 0 && !uses_load_store_unit(row.op)) CHECK(pipes[row.op].latency > 0);
    if (uses_load_store_unit(row.op)) CHECK(pipes[row.op].latency == 0);
  }
}

TEST_CASE("each counter that a row names is published, and counts what the row's class executes") {
  for (const OperationTraits& row : kOperations)
    for (const std::string& counter : {"op_" + text(row.op_counter), "pipe_" + text(row.pipe_counter)}) {
      if (counter == "op_" || counter == "pipe_") continue;
      CAPTURE(text(row.name));
      CAPTURE(counter);
      const Metric* const metric = find_metric("smsp__inst_executed_" + counter + ".sum");
      REQUIRE(metric != nullptr);
      CHECK(metric->unit == "inst");
      RunOutcome outcome;
      CHECK(metric->value({h200(), Launch{}, outcome}) == 0);
      outcome.sm.instructions[static_cast<std::size_t>(row.op)] = 7;
      CHECK(metric->value({h200(), Launch{}, outcome}) == 7);
    }
}

TEST_CASE("whatever class a warp executes, its launch ends and its class is counted once") {
  for (const OperationTraits& row : kOperations) {
    CAPTURE(text(row.name));
    Step one = step(row.op);
    for (int i = 0; i < memory_operands(row.op); ++i)
      one.accesses.push_back(is_shared(row.accesses[static_cast<std::size_t>(i)]) ? strided(0, 4)
                                                                                  : strided((1U << 30) + i * 4096, 4));
    one.instruction.work = 16;
    if (row.op == OpClass::local_load || row.op == OpClass::local_store) one.instruction.detail = 1;
    const HandMadeKernel kernel(1, 32, row.op == OpClass::exit ? Program{} : Program{one});
    for (const Mode mode : {Mode::timing, Mode::counts}) {
      const RunOutcome outcome = run(h200(), kernel, mode);
      CHECK(outcome.sm.instructions[static_cast<std::size_t>(row.op)] == 1);
      CHECK(outcome.approximations.size() == (row.not_modelled.empty() ? 0 : 1));
      if (row.not_modelled.empty()) continue;
      CHECK(outcome.approximations.front() == text(row.not_modelled) + " (1 warp instructions)");
    }
  }
}
