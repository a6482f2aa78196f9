#include "traces/bundle/bundle_reader.h"

#include <fmt/format.h>

namespace tilescope::bundle {
namespace {

using Depth = sass::LaunchReading::Depth;

std::string text_of(const Dim3& size) { return fmt::format("{} x {} x {}", size.x, size.y, size.z); }

}  // namespace

sass::LaunchReading BundleReader::how(Depth depth) {
  sass::LaunchReading how;
  how.depth = depth;
  how.limits = limits_;
  how.within = bundle_.folder;
  how.listings = &listings_;
  how.sizes = &sizes_;
  return how;
}

sass::ReadLaunch BundleReader::survey(std::size_t launch) {
  const std::string path = bundle_.path_of(bundle_.launches[launch]);
  sass::ReadLaunch read = sass::read_launch(path, how(Depth::described));
  refuse_other_launch(launch, read);
  if (!read.errors.empty()) return read;
  std::shared_ptr<Decoded> decoded;
  {
    const std::scoped_lock lock(mutex_);
    auto& place = decoded_[{read.facts.code, read.facts.launch.kernel}];
    if (place == nullptr) place = std::make_shared<Decoded>();
    decoded = place;
  }
  const std::scoped_lock deciding(decoded->deciding);
  if (!decoded->known) {
    // Without what this launch alone is refused for.
    const std::size_t own = read.refused.size();
    const sass::ReadLaunch more = sass::read_launch(path, how(Depth::decoded));
    if (more.refused.size() >= own)
      decoded->refused.assign(more.refused.begin() + static_cast<std::ptrdiff_t>(own), more.refused.end());
    decoded->needs_global = more.facts.needs_global;
    decoded->known = true;
  }
  read.refused.insert(read.refused.end(), decoded->refused.begin(), decoded->refused.end());
  read.facts.needs_global = decoded->needs_global;
  return read;
}

sass::ReadLaunch BundleReader::open(std::size_t launch) {
  sass::ReadLaunch read = sass::read_launch(bundle_.path_of(bundle_.launches[launch]), how(Depth::whole));
  refuse_other_launch(launch, read);
  return read;
}

void BundleReader::refuse_other_launch(std::size_t launch, sass::ReadLaunch& read) const {
  if (!read.errors.empty()) return;
  const BundleLaunch& listed = bundle_.launches[launch];
  const Launch& own = read.facts.launch;
  const auto refuse = [&](const char* what, const std::string& said, const std::string& is) {
    read.errors.push_back(
        {bundle_.index_path(), listed.line, 1, fmt::format("{}: got {}; {} has {}", what, said, listed.file, is)});
  };
  if (listed.kernel != own.kernel)
    refuse("kernel", tilescope::in_quotes(listed.kernel), tilescope::in_quotes(own.kernel));
  if (listed.grid != own.grid) refuse("grid", text_of(listed.grid), text_of(own.grid));
  if (listed.block != own.block) refuse("block", text_of(listed.block), text_of(own.block));
  if (!read.errors.empty()) read.launch.reset();
}

}  // namespace tilescope::bundle
