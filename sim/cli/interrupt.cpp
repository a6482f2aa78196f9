#include "sim/cli/interrupt.h"

#include <signal.h>
#include <unistd.h>

#include "models/support/atomic_file.h"

namespace tilescope::cli {
namespace {

extern "C" void end_program(int signal_number) {
  remove_unfinished_files();
  _exit(128 + signal_number);
}

}  // namespace

void clean_up_when_interrupted() {
  struct sigaction action {};
  action.sa_handler = end_program;
  sigemptyset(&action.sa_mask);
  for (const int signal_number : {SIGINT, SIGTERM, SIGHUP}) {
    struct sigaction before {};
    sigaction(signal_number, nullptr, &before);
    if (before.sa_handler != SIG_IGN) sigaction(signal_number, &action, nullptr);  // nohup stays nohup
  }
}

}  // namespace tilescope::cli
