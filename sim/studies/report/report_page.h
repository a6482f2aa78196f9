// A report's document inside the page that shows it.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace tilescope::report {

// `document` as text that can stand in a <script> element: JSON without a line break in which no "<" occurs, so that
// nothing it holds ends the element or begins another. A parser of JSON reads the same values.
std::string json_in_script(const nlohmann::ordered_json& document);

// `page` with the document in its one place for it, metrics of kernels without their names. std::invalid_argument when
// it has none.
std::string report_page(std::string_view page, const nlohmann::ordered_json& document);

}  // namespace tilescope::report
