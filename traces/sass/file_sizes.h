// Sizes of files, decompressed, for readers that only check them.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <tl/expected.hpp>

#include "models/support/diagnostic.h"

namespace tilescope::sass {

// How large files are when they are decompressed, each looked at once; safe to use from several threads.
class FileSizes {
 public:
  tl::expected<std::uint64_t, Diagnostic> size_of(const std::string& path, std::uint64_t most_bytes);

 private:
  std::mutex mutex_;
  std::map<std::string, tl::expected<std::uint64_t, Diagnostic>> known_;
};

}  // namespace tilescope::sass
