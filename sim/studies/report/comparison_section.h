// Predictions beside measurements in a report, from the JSON that `tilescope compare --format json` wrote.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace tilescope::report {

// "kind": "comparison". `text` is the file's. Cases as columns: a comparison may have thousands. Throws
// DiagnosticsError for a text that is no JSON, std::invalid_argument for JSON of another schema or shape, both with the
// file's name.
nlohmann::ordered_json comparison_section(const std::string& file, const std::string& text);

}  // namespace tilescope::report
