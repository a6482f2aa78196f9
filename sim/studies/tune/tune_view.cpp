#include "sim/studies/tune/tune_view.h"

#include <fmt/format.h>

#include <algorithm>

#include "sim/results/views/aligned_columns.h"

namespace tilescope::tune {
namespace {

using Json = nlohmann::ordered_json;

double nanoseconds(const Candidate& one) { return one.result.at("metrics").at("gpu__time_duration.sum").get<double>(); }

double slower_by(const Candidate& one, const Candidate& best) { return nanoseconds(one) / nanoseconds(best) - 1; }

const char* meaning(const std::string& rung) {
  if (rung == "shapes") return "one for each shape, counted with K cut short";
  if (rung == "counting") return "counted whole";
  if (rung == "fast") return "timed from a small sample";
  return rung == "auto" ? "timed from a larger sample, or whole" : "timed whole";
}

std::string headline(const Tuned& tuned) {
  return fmt::format("{} x {} x {} in {} on {}: {} configuration{}\n", tuned.problem.m, tuned.problem.n,
                     tuned.problem.k, tuned.problem.dtype, tuned.gpu, tuned.configurations,
                     tuned.configurations == 1 ? "" : "s");
}

std::string rungs_text(const Tuned& tuned) {
  std::vector<std::vector<std::string>> lines;
  for (const Rung& rung : tuned.rungs) {
    std::string text = fmt::format("{} tried", rung.tried);
    if (rung.stored > 0) text += fmt::format(", {} of them stored before", rung.stored);
    if (&rung != &tuned.rungs.back()) text += fmt::format(", {} kept", rung.kept);
    lines.push_back({rung.name, text, meaning(rung.name)});
  }
  return aligned_columns(lines, 3);
}

}  // namespace

std::string tune_text(const Tuned& tuned) {
  std::string text = headline(tuned) + rungs_text(tuned) + "\n";
  std::vector<std::vector<std::string>> lines{
      {"", "configuration", "us", "TFLOP/s", "slower", "CTAs/SM", "waves", "limit", "timed"}};
  for (const Candidate& one : tuned.best) {
    const Json& derived = one.result.at("derived");
    const double ns = nanoseconds(one);
    const double slower = slower_by(one, tuned.best.front());
    lines.push_back({std::to_string(lines.size()), one.configuration.word, fmt::format("{:.1f}", ns / 1000),
                     fmt::format("{:.1f}", tuned.problem.flop() / ns / 1000),
                     &one == &tuned.best.front() ? "" : fmt::format("{:.1f} %", 100 * slower),
                     fmt::format("{:.0f}", derived.at("ctas_per_sm").get<double>()),
                     fmt::format("{:.1f}", derived.at("waves").get<double>()),
                     derived.at("occupancy_limiter").get<std::string>(), tuned.rungs[one.rung].name});
  }
  text += aligned_columns(lines, 2) + "\nwhy not faster\n";
  lines.clear();
  for (const Candidate& one : tuned.best)
    lines.push_back(
        {std::to_string(lines.size() + 1), one.result.at("derived").at("bottleneck_reason").get<std::string>()});
  text += aligned_columns(lines, 2);
  if (tuned.failed > 0)
    text += fmt::format("\n{} configuration{} could not be run: {}\n", tuned.failed, tuned.failed == 1 ? "" : "s",
                        tuned.first_failure);
  return text;
}

Json tune_json(const Tuned& tuned) {
  Json json;
  json["schema"] = "tilescope.tune/1";
  json["m"] = tuned.problem.m;
  json["n"] = tuned.problem.n;
  json["k"] = tuned.problem.k;
  json["dtype"] = tuned.problem.dtype;
  json["gpu"] = tuned.gpu;
  json["configurations"] = tuned.configurations;
  json["rungs"] = Json::array();
  for (const Rung& rung : tuned.rungs)
    json["rungs"].push_back({{"rung", rung.name}, {"tried", rung.tried}, {"kept", rung.kept}, {"stored", rung.stored}});
  json["failed"] = tuned.failed;
  if (tuned.failed > 0) json["first_failure"] = tuned.first_failure;
  json["best"] = Json::array();
  for (const Candidate& one : tuned.best) {
    Json entry;
    entry["configuration"] = one.configuration.word;
    entry["family"] = one.configuration.family;
    entry["parameters"] = Json::object();
    for (const auto& [name, value] : one.configuration.parameters) entry["parameters"][name] = value;
    entry["rung"] = tuned.rungs[one.rung].name;
    entry["cycles"] = one.cycles;
    entry["nanoseconds"] = nanoseconds(one);
    entry["tflops"] = tuned.problem.flop() / nanoseconds(one) / 1000;
    entry["slower_pct"] = 100 * slower_by(one, tuned.best.front());
    entry["result"] = one.result;
    json["best"].push_back(std::move(entry));
  }
  json["trials"] = Json::array();
  for (const Trial& one : tuned.trials)
    json["trials"].push_back(
        {{"rung", tuned.rungs[one.rung].name}, {"configuration", one.configuration}, {"cycles", one.cycles}});
  return json;
}

}  // namespace tilescope::tune
