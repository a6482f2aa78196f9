#include "sim/cli/report_assets.h"

#include <cstddef>

// sim/cli/report_page.S
extern "C" const char tilescope_report_page[];
extern "C" const char tilescope_report_page_end[];

namespace tilescope::cli {

std::string_view report_page_asset() {
  return {tilescope_report_page, static_cast<std::size_t>(tilescope_report_page_end - tilescope_report_page)};
}

}  // namespace tilescope::cli
