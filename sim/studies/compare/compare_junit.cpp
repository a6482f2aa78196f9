#include <fmt/format.h>

#include <cmath>

#include "sim/studies/compare/compare_view.h"

namespace tilescope {
namespace {

// The text of an attribute. XML knows no control characters, and only valid UTF-8.
std::string escaped(const std::string& text) {
  std::string result;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '&')
      result += "&amp;";
    else if (c == '<')
      result += "&lt;";
    else if (c == '>')
      result += "&gt;";
    else if (c == '"')
      result += "&quot;";
    else if (byte < 0x20 || byte >= 0x7f)
      result += '?';
    else
      result += c;
  }
  return result;
}

std::string test_of(const ComparedCase& one, const PredictionError& error, const ComparedMetric& metric, double limit,
                    bool& failed) {
  failed = !error.error || std::abs(*error.error) > limit;
  std::string text =
      fmt::format("    <testcase classname=\"{}\" name=\"{}\" file=\"{}\" line=\"{}\"", escaped(metric.name),
                  escaped(one.label), escaped(one.measured.file), one.measured.line);
  if (!failed) return text + "/>\n";
  const std::string how =
      error.error ? fmt::format("{:+.2f} {}", *error.error, error_unit(metric)) : "not to be had: measured 0";
  return text + fmt::format(">\n      <failure message=\"{}\"/>\n    </testcase>\n",
                            escaped(fmt::format("predicted {}, measured {} {}: error {}; must be at most {:g}",
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
          escaped(metric.name), escaped(row.measured.label()), escaped(row.measured.file), row.measured.line,
          escaped(row.reason));
    suites += fmt::format(
        "  <testsuite name=\"{}\" tests=\"{}\" failures=\"{}\" errors=\"0\" skipped=\"{}\">\n    <properties>\n"
        "      <property name=\"judgement\" value=\"{}\"/>\n    </properties>\n{}  </testsuite>\n",
        escaped(metric.name), count + comparison.unmatched.size(), failures, comparison.unmatched.size(),
        escaped(to_string(judgement, comparison)), tests);
  }
  return "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"tilescope compare\">\n" + suites +
         "</testsuites>\n";
}

}  // namespace tilescope
