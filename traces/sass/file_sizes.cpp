#include "traces/sass/file_sizes.h"

#include "models/support/compressed_file.h"

namespace tilescope::sass {

tl::expected<std::uint64_t, Diagnostic> FileSizes::size_of(const std::string& path, std::uint64_t most_bytes) {
  const std::scoped_lock lock(mutex_);
  const auto known = known_.find(path);
  // What was too large for one buffer may fit another.
  if (known != known_.end() && known->second && *known->second <= most_bytes) return *known->second;
  auto size = measure_compressed_file(path, most_bytes);
  known_.insert_or_assign(path, size);
  return size;
}

}  // namespace tilescope::sass
