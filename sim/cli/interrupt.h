#pragma once

namespace tilescope::cli {

// From now on SIGINT, SIGTERM and SIGHUP remove every half-written output file and end the program with 128 + the
// signal's number (130 for Ctrl-C).
void clean_up_when_interrupted();

}  // namespace tilescope::cli
