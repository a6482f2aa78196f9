// Ctrl-C as a request: what runs finishes cleanly instead of being cut off.
#pragma once

#include <atomic>

namespace tilescope::cli {

// While it lives, the first SIGINT, SIGTERM or SIGHUP sets the flag; a second ends the program at once, as without it.
// At most one at a time.
class StopRequest {
 public:
  StopRequest();
  ~StopRequest();
  StopRequest(const StopRequest&) = delete;
  StopRequest& operator=(const StopRequest&) = delete;

  const std::atomic<int>& signal_number() const;  // 0: none came
};

}  // namespace tilescope::cli
