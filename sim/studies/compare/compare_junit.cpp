#include <fmt/format.h>

#include <cmath>

#include "sim/results/views/xml_text.h"
#include "sim/studies/compare/compare_view.h"

namespace tilescope {
namespace {

std::string test_of(const ComparedCase& one, const PredictionError& error, const ComparedMetric& metric, double limit,
                    bool& failed) {
  failed = !error.error || std::abs(*error.error) > limit;
  std::string text =
      fmt::format("    <testcase classname=\"{}\" name=\"{}\" file=\"{}\" line=\"{}\"", xml_text(metric.name),
                  xml_text(one.label), xml_text(one.measured.file), one.measured.line);
  if (!failed) return text + "/>\n";
  const std::string how =
      error.error ? fmt::format("{:+.2f} {}", *error.error, error_unit(metric)) : "not to be had: measured 0";
  return text + fmt::format(">\n      <failure message=\"{}\"/>\n    </testcase>\n",
                            xml_text(fmt::format("predicted {}, measured {} {}: error {}; must be at most {:g}",
                                                 error.predicted, error.measured, metric.unit, how, limit)));
}

}  // namespace

std::string compare_junit(const Comparison& comparison, const std::vector<Judgement>& judgements) {
  std::string suites;
  for (const Judgement& judgement : judgements) {
    const ComparedMetric& metric = *comparison.metrics[judgement.metric].metric;
    std::string tests;
    std::size_t count = 0, failures = 0;
    for (const ComparedCase& one : comparison.cases)
      for (const ComparedValue& value : one.values) {
        if (value.metric != judgement.metric) continue;
        bool failed = false;
        tests += test_of(one, value.error, metric, judgement.limit, failed);
        ++count;
        failures += failed ? 1 : 0;
      }
    for (const UnmatchedRow& row : comparison.unmatched)
      tests += fmt::format(
          "    <testcase classname=\"{}\" name=\"{}\" file=\"{}\" line=\"{}\">\n      <skipped message=\"{}\"/>\n"
          "    </testcase>\n",
          xml_text(metric.name), xml_text(row.measured.label()), xml_text(row.measured.file), row.measured.line,
          xml_text(row.reason));
    suites += fmt::format(
        "  <testsuite name=\"{}\" tests=\"{}\" failures=\"{}\" errors=\"0\" skipped=\"{}\">\n    <properties>\n"
        "      <property name=\"judgement\" value=\"{}\"/>\n    </properties>\n{}  </testsuite>\n",
        xml_text(metric.name), count + comparison.unmatched.size(), failures, comparison.unmatched.size(),
        xml_text(to_string(judgement, comparison)), tests);
  }
  return "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"tilescope compare\">\n" + suites +
         "</testsuites>\n";
}

}  // namespace tilescope
