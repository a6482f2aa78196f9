#include <pybind11/pybind11.h>

#include "models/support/diagnostic.h"
#include "python/bindings/answers.h"
#include "python/bindings/signals.h"
#include "sim/cli/sweep_study.h"
#include "sim/studies/sweep/plan_run.h"
#include "sim/studies/sweep/sweep_table.h"
#include "sim/studies/sweep/table_text.h"

namespace tilescope::python {
namespace {

// Nobody wrote the text, so places in it say nothing.
sweep::Plan plan_of_text(const std::string& text, const std::string& name) {
  try {
    return cli::read_plan_text(text, name);
  } catch (const DiagnosticsError& error) {
    Diagnostics problems = error.diagnostics();
    for (Diagnostic& problem : problems)
      if (problem.file == name) problem.line = problem.column = 0;
    throw DiagnosticsError(problems);
  }
}

std::string results_of(const sweep::Plan& plan, const std::string& path, int threads) {
  sweep::Store store(path, sweep::Store::Access::create);
  SignalWatch signals;
  sweep::RunSettings settings;
  settings.jobs = threads;
  settings.on_progress = [&signals](const sweep::RunTally&) { signals.look(); };
  sweep::run_plan(plan, store, settings);
  return table_json(sweep_table(store, {.study = plan.study.name, .wall = false}))
      .dump(1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

}  // namespace

std::string sweep_answer(const std::string& text, const std::string& name, const std::string& store, int threads) {
  try {
    const pybind11::gil_scoped_release released;
    return results_of(text.empty() ? cli::read_plan(name) : plan_of_text(text, name), store, threads);
  } catch (const Interrupted&) {
    throw pybind11::error_already_set();
  }
}

}  // namespace tilescope::python
