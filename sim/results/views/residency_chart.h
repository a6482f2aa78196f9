// Where and when CTAs ran: a row per group of SMs, time to the right, darker where more of the places for CTAs are
// taken.
#pragma once

#include <string>
#include <vector>

#include "sim/engine/finished_cta.h"
#include "sim/results/views/chart_style.h"

namespace tilescope {

struct ResidencyChart {
  std::string title;
  std::vector<FinishedCta> timeline;
  int sms = 1;
  int ctas_per_sm = 1;  // places
  Cycle cycles = 0;     // of the launch; the axis ends there, or with the last CTA
  double sm_mhz = 0;
};

std::string residency_chart(const ResidencyChart& chart, const ChartStyle& style);

}  // namespace tilescope
