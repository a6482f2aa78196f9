#include "sim/cli/output.h"

#include <optional>
#include <system_error>

#include "models/support/atomic_file.h"
#include "sim/cli/usage_error.h"

namespace tilescope::cli {

void add_output_option(boost::program_options::options_description& options) {
  options.add_options()("output,o", boost::program_options::value<std::string>()->value_name("FILE"),
                        "write the answer to FILE, whole or not at all");
}

void with_output(const Values& values, std::ostream& out, const std::function<void(std::ostream&)>& write) {
  const std::string path = values.count("output") != 0 ? values["output"].as<std::string>() : "-";
  if (path == "-") return write(out);
  std::optional<AtomicFile> file;
  try {
    file.emplace(path);
  } catch (const std::system_error& error) {
    throw UsageError(error.what());
  }
  write(file->stream());
  file->commit();
}

}  // namespace tilescope::cli
