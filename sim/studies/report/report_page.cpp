#include "sim/studies/report/report_page.h"

#include <stdexcept>
#include <utility>

namespace tilescope::report {
namespace {

constexpr std::string_view kPlace = "@TILESCOPE_REPORT@";

// In a page, a kernel's metrics are values in the order of the document's `metrics`, null where it has none: fifty
// kernels would say the names fifty times. The page's scripts undo it before anything else (tools/report/format.js).
nlohmann::ordered_json packed(nlohmann::ordered_json document) {
  if (!document.contains("sections")) return document;
  for (auto& section : document["sections"]) {
    if (section["kind"] != "kernel") continue;
    const nlohmann::ordered_json metrics = std::move(section["result"]["metrics"]);
    auto& values = section["result"]["metrics"] = nlohmann::ordered_json::array();
    for (const auto& [name, about] : document["metrics"].items())
      values.push_back(metrics.value(name, nlohmann::ordered_json()));
    while (!values.empty() && values.back().is_null()) values.erase(values.size() - 1);
  }
  return document;
}

}  // namespace

std::string json_in_script(const nlohmann::ordered_json& document) {
  // "<" occurs within strings alone, where it may be written as its code.
  std::string text;
  for (const char c : document.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace))
    if (c == '<')
      text += "\\u003c";
    else
      text += c;
  return text;
}

std::string report_page(std::string_view page, const nlohmann::ordered_json& document) {
  const std::size_t at = page.find(kPlace);
  if (at == std::string_view::npos) throw std::invalid_argument("the page has no place for a report");
  std::string whole(page.substr(0, at));
  whole += json_in_script(packed(document));
  whole += page.substr(at + kPlace.size());
  return whole;
}

}  // namespace tilescope::report
