// What `tilescope report` shows, as one JSON document of schema "tilescope.report/1": docs/report.md.
//
//   {"schema": "tilescope.report/1", "version": ..., "arguments": [...], "metrics": {units}, "gpus": {HASH: {roofs}},
//    "sections": [{"kind": "kernel", ...}, ...]}
//
// Each kind of section has a file of its own. Equal inputs give equal documents, for any number of threads.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace tilescope::report {

// What could not be shown, and why.
struct LeftOut {
  std::string what;
  std::string reason;
};

// `arguments`: what decided the content, as a user would write it. `sections` in the order of the page.
nlohmann::ordered_json report_document(const std::vector<std::string>& arguments,
                                       std::vector<nlohmann::ordered_json> sections,
                                       const std::vector<LeftOut>& left_out);

}  // namespace tilescope::report
