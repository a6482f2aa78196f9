// The launches of a bundle, read one by one; listings and contents that they share are read once.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include "traces/bundle/bundle.h"
#include "traces/sass/file_sizes.h"
#include "traces/sass/launch_file.h"
#include "traces/sass/listing_cache.h"

namespace tilescope::bundle {

// Safe to use from several threads.
class BundleReader {
 public:
  // `bundle` outlives the reader.
  BundleReader(const Bundle& bundle, const sass::Limits& limits)
      : bundle_(bundle), limits_(limits), listings_(limits) {}

  // Everything but the contents: what is wrong, what is not modelled, and the facts. Also wrong: a launch file that is
  // not the launch of launches.yaml. Each function is decoded for one of its launches.
  sass::ReadLaunch survey(std::size_t launch);

  // So that it can run.
  sass::ReadLaunch open(std::size_t launch);

 private:
  struct Decoded {  // of a function
    std::mutex deciding;
    bool known = false;
    Diagnostics refused;
    bool needs_global = false;
  };
  sass::LaunchReading how(sass::LaunchReading::Depth depth);
  void refuse_other_launch(std::size_t launch, sass::ReadLaunch& read) const;

  const Bundle& bundle_;
  sass::Limits limits_;
  sass::ListingCache listings_;
  sass::FileSizes sizes_;
  std::mutex mutex_;
  std::map<std::pair<std::string, std::string>, std::shared_ptr<Decoded>> decoded_;  // by listing and symbol
};

}  // namespace tilescope::bundle
