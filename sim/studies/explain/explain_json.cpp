#include "sim/results/views/result_json.h"
#include "sim/studies/explain/explain_view.h"

namespace tilescope::explain {
namespace {

using Json = nlohmann::ordered_json;

Json json_of(const Trial& trial) {
  Json json = {{"how", name(trial.how)}, {"what", trial.what}};
  const bool ran = trial.verdict != Verdict::not_launchable;
  json["cycles"] = ran ? Json(trial.cycles) : Json();
  json["saved_pct"] = ran ? Json(trial.saved_pct) : Json();
  json["shared_bytes"] = trial.shared_bytes;
  json["dram_read_bytes"] = ran ? Json(trial.hbm_read) : Json();
  json["verdict"] = trial.how == Trial::How::bound ? "bound" : std::string(name(trial.verdict));
  json["note"] = trial.note.empty() ? Json() : Json(trial.note);
  return json;
}

Json json_of(const std::vector<Trial>& trials) {
  Json all = Json::array();
  for (const Trial& trial : trials) all.push_back(json_of(trial));
  return all;
}

// Addresses of the lanes; null where a lane takes no part.
Json json_of(const ExampleAccess& example) {
  Json lanes = Json::array();
  for (int lane = 0; lane < kLanes; ++lane)
    lanes.push_back(
        example.pattern.is_active(lane)
            ? Json(example.base + static_cast<std::uint64_t>(example.pattern.offset[static_cast<std::size_t>(lane)]))
            : Json());
  return {{"addresses", lanes},
          {"bytes_per_lane", example.pattern.bytes},
          {"cost", example.cost},
          {"ideal", example.ideal}};
}

}  // namespace

Json explain_json(const Explanation& all) {
  Json json = {{"schema", "tilescope.explain/1"}, {"kernel", all.kernel}, {"model_error_pct", kModelErrorPct}};
  json["findings"] = Json::array();
  for (const Finding& finding : all.findings) {
    Json one = {{"problem", name(finding.problem)}, {"saved_pct", finding.saved_pct()}};
    one["headline"] = finding.headline;
    one["why"] = finding.why;
    if (finding.place) {
      one["place"] = {{"file", finding.place->file.empty() ? Json() : Json(finding.place->file)},
                      {"line", finding.place->line == 0 ? Json() : Json(finding.place->line)},
                      {"text", finding.place->text},
                      {"instructions", finding.place->instructions},
                      {"address", finding.place->address ? Json(*finding.place->address) : Json()}};
    } else {
      one["place"] = nullptr;
    }
    one["requests"] = finding.requests;
    one["cost"] = finding.cost;
    one["ideal"] = finding.ideal;
    one["example"] = finding.example ? json_of(*finding.example) : Json();
    one["bound"] = finding.bound ? json_of(*finding.bound) : Json();
    one["fixes"] = json_of(finding.fixes);
    one["not_tried"] = finding.unproved.empty() ? Json() : Json(finding.unproved);
    json["findings"].push_back(one);
  }
  json["left_out"] = all.left_out;
  json["tried_anyway"] = json_of(all.tried_anyway);
  json["notes"] = all.notes;
  json["result"] = result_json(all.result);
  return json;
}

}  // namespace tilescope::explain
