#include "sim/cli/threads_option.h"

#include <algorithm>
#include <thread>

#include "sim/cli/parse.h"

namespace tilescope::cli {
namespace {
constexpr int kMostThreads = 1024;
}

void add_threads_option(boost::program_options::options_description& options, const char* meaning) {
  options.add_options()("threads", boost::program_options::value<std::string>()->value_name("N"), meaning);
}

int threads_from(const Values& values) {
  const int cores = std::clamp(static_cast<int>(std::thread::hardware_concurrency()), 1, kMostThreads);
  return static_cast<int>(whole_number(values, "threads", cores, {1, kMostThreads}));
}

}  // namespace tilescope::cli
