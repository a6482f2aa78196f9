#include "sim/cli/threads_option.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <thread>

#include "models/support/diagnostic.h"
#include "sim/cli/usage_error.h"

namespace tilescope::cli {
namespace {
constexpr int kMostThreads = 1024;
}

void add_threads_option(boost::program_options::options_description& options, const char* meaning) {
  options.add_options()("threads", boost::program_options::value<std::string>()->value_name("N"), meaning);
}

int threads_from(const Values& values) {
  if (values.count("threads") == 0)
    return std::clamp(static_cast<int>(std::thread::hardware_concurrency()), 1, kMostThreads);
  const auto& text = values["threads"].as<std::string>();
  const bool digits = !text.empty() && text.size() <= 4 && text.find_first_not_of("0123456789") == std::string::npos;
  const int threads = digits ? std::stoi(text) : 0;
  if (threads < 1 || threads > kMostThreads)
    throw UsageError(fmt::format("--threads: got {}; must be a whole number from 1 to {}", quoted(text), kMostThreads));
  return threads;
}

}  // namespace tilescope::cli
