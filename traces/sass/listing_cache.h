// Listings that several launches share, each read once. Safe to use from several threads.
#pragma once

#include <cstdint>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <tl/expected.hpp>
#include <vector>

#include "traces/sass/limits.h"
#include "traces/sass/listing.h"

namespace tilescope::sass {

// Where a kernel's code stands.
struct CodeFiles {
  std::string code;       // a listing, or a cubin
  std::string elf;        // text of cuobjdump -elf; "": none
  bool is_cubin = false;  // nvdisasm is called
  auto operator<=>(const CodeFiles&) const = default;
};

struct CodeProblem {
  bool of_elf = false;     // the file that cannot be read at all, with `message`; else `lines`
  std::string message;     // one sentence; "": `lines` say it
  Diagnostics lines = {};  // with places in the listing or the ELF text
};

struct Code {
  Listing listing;
  std::vector<Module> modules;  // of the ELF text
};
using SharedCode = std::shared_ptr<const Code>;

tl::expected<SharedCode, CodeProblem> read_code(const CodeFiles& files, const Limits& limits);

class ListingCache {
 public:
  explicit ListingCache(const Limits& limits) : limits_(limits) {}

  // read_code(), or what it said before. Of listings that nobody holds, the latest are kept, as long as their text is
  // no larger than 128 MiB in all.
  tl::expected<SharedCode, CodeProblem> read(const CodeFiles& files);

 private:
  struct Known {
    std::mutex reading;
    bool read = false;
    tl::expected<SharedCode, CodeProblem> answer;
    std::uint64_t bytes = 0;
  };
  void forget_oldest();

  Limits limits_;
  std::mutex mutex_;
  std::map<CodeFiles, std::shared_ptr<Known>> known_;
  std::list<CodeFiles> in_order_;  // of their reading
  std::uint64_t bytes_ = 0;        // of what is known
};

}  // namespace tilescope::sass
