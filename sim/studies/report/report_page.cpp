#include "sim/studies/report/report_page.h"

#include <stdexcept>

namespace tilescope::report {
namespace {

constexpr std::string_view kPlace = "@TILESCOPE_REPORT@";

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
  whole += json_in_script(document);
  whole += page.substr(at + kPlace.size());
  return whole;
}

}  // namespace tilescope::report
