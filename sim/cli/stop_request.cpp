#include "sim/cli/stop_request.h"

#include <signal.h>

#include <array>

namespace tilescope::cli {
namespace {

constexpr std::array<int, 3> kSignals{SIGINT, SIGTERM, SIGHUP};
std::atomic<int> requested{0};
std::array<struct sigaction, kSignals.size()> before;

extern "C" void request_stop(int signal_number) {
  requested = signal_number;
  for (std::size_t i = 0; i < kSignals.size(); ++i) sigaction(kSignals[i], &before[i], nullptr);
}

}  // namespace

StopRequest::StopRequest() {
  requested = 0;
  struct sigaction action {};
  action.sa_handler = request_stop;
  sigemptyset(&action.sa_mask);
  for (const int one : kSignals) sigaddset(&action.sa_mask, one);
  for (std::size_t i = 0; i < kSignals.size(); ++i) {
    sigaction(kSignals[i], nullptr, &before[i]);
    if (before[i].sa_handler != SIG_IGN) sigaction(kSignals[i], &action, nullptr);  // nohup stays nohup
  }
}

StopRequest::~StopRequest() {
  for (std::size_t i = 0; i < kSignals.size(); ++i) sigaction(kSignals[i], &before[i], nullptr);
}

const std::atomic<int>& StopRequest::signal_number() const { return requested; }

}  // namespace tilescope::cli
