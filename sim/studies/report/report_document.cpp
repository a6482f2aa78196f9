#include "sim/studies/report/report_document.h"

#include <utility>

#include "sim/results/derived.h"
#include "sim/results/metrics.h"
#include "sim/results/version.h"

namespace tilescope::report {
namespace {

using DocumentJson = nlohmann::ordered_json;

// The roofs of a kernel's section, which are those of every kernel on the same GPU, move to `gpus`.
void take_roofs(DocumentJson& section, DocumentJson& gpus) {
  if (section["kind"] != "kernel") return;
  const std::string hash = section["result"]["provenance"]["config_hash"];
  DocumentJson& roofline = section["roofline"];
  if (!gpus.contains(hash))
    gpus[hash] = {{"gpu", section["gpu"]}, {"memory", roofline["memory"]}, {"arithmetic", roofline["arithmetic"]}};
  DocumentJson point = std::move(roofline["kernels"][0]);
  roofline = std::move(point);
}

// Unit and meaning of every metric and derived value.
DocumentJson metrics_json() {
  DocumentJson all = DocumentJson::object();
  for (const Metric& metric : metrics()) all[metric.name] = {{"unit", metric.unit}, {"meaning", metric.meaning}};
  for (const DerivedField& field : derived_fields())
    all[std::string(field.name)] = {{"unit", field.unit}, {"meaning", field.meaning}};
  return all;
}

}  // namespace

DocumentJson report_document(const std::vector<std::string>& arguments, std::vector<DocumentJson> sections,
                             const std::vector<LeftOut>& left_out) {
  DocumentJson json = {{"schema", "tilescope.report/1"}, {"version", version()}, {"arguments", arguments}};
  json["left_out"] = DocumentJson::array();
  for (const LeftOut& one : left_out) json["left_out"].push_back({{"what", one.what}, {"reason", one.reason}});
  json["metrics"] = metrics_json();
  json["gpus"] = DocumentJson::object();
  json["sections"] = DocumentJson::array();
  for (DocumentJson& section : sections) {
    take_roofs(section, json["gpus"]);
    json["sections"].push_back(std::move(section));
  }
  return json;
}

}  // namespace tilescope::report
