// The page of `tilescope report`, as the build has bundled it (cmake/report.cmake).
#pragma once

#include <string_view>

namespace tilescope::cli {

// With its style and scripts, and one place for a report. Empty: npm could not fetch the chart library when the program
// was built.
std::string_view report_page_asset();

}  // namespace tilescope::cli
