// What softmax and layer_norm make of their parameters.
#pragma once

#include "memory.h"

namespace tilescope::gpu {

struct RowPlan {
  std::string form;
  std::size_t rows;
  int columns;
  int threads;
  int width;  // floats of an access
  int held;   // form=registers: accesses of a thread to its row: 1, 2, 4 or 8
};

inline RowPlan plan_rows(const ParameterValues& values) {
  RowPlan plan;
  plan.form = values.word("form");
  plan.rows = static_cast<std::size_t>(values.number("rows"));
  plan.columns = static_cast<int>(values.number("columns"));
  plan.threads = static_cast<int>(values.number("threads"));
  plan.width = static_cast<int>(values.number("width")) / 4;
  require(plan.columns % plan.width == 0, "columns", values.word("columns"), "a multiple of 4 with width=16");
  plan.held = 1;
  while (plan.held < 8 && plan.held * plan.threads * plan.width < plan.columns) {
    plan.held *= 2;
  }
  require(plan.form != "registers" || plan.held * plan.threads * plan.width >= plan.columns, "columns",
          values.word("columns"), "at most eight accesses per thread with form=registers");
  return plan;
}

}  // namespace tilescope::gpu
