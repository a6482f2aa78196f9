#include "traces/bundle/bundle.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "models/support/name_pattern.h"
#include "models/support/suggest.h"
#include "models/support/text_file.h"
#include "traces/bundle/bundle_facts.h"
#include "traces/bundle/bundle_lines.h"
#include "traces/sass/function_choice.h"

namespace tilescope::bundle {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostIndexBytes = std::size_t{64} << 20U;
constexpr std::size_t kMostNamed = 8;  // in a message

bool is_folder(const std::string& path) {
  std::error_code error;
  return fs::is_directory(path, error);
}

std::string without_slash(std::string folder) {
  while (folder.size() > 1 && folder.ends_with('/')) folder.pop_back();
  return folder;
}

// The text of a file of the bundle; nullopt where it is missing, or where there is an error.
std::optional<std::string> read(const std::string& path, Diagnostics& errors) {
  std::error_code none;
  if (!fs::exists(fs::symlink_status(path, none))) return std::nullopt;
  auto text = read_text_file(path, kMostIndexBytes);
  if (text) return *std::move(text);
  errors.push_back(text.error());
  return std::nullopt;
}

bool is_bundle(const fs::path& folder) {
  std::error_code none;
  return fs::exists(folder / "bundle.yaml", none) || fs::exists(folder / "launches.yaml", none);
}

std::vector<std::string> bundles_within(const std::string& folder) {
  std::vector<std::string> found;
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error))
    if (is_bundle(entry->path())) found.push_back(entry->path().string());
  std::sort(found.begin(), found.end());
  return found;
}

}  // namespace

tl::expected<Bundle, Diagnostics> read_bundle(const std::string& folder) {
  Bundle bundle;
  bundle.folder = without_slash(folder);
  Diagnostics errors;
  const std::string facts = bundle.folder + "/bundle.yaml";
  if (!is_bundle(bundle.folder))
    return tl::unexpected(
        Diagnostics{{bundle.folder, 0, 0, "is no bundle; must be a folder with bundle.yaml and launches.yaml"}});
  if (const auto text = read(facts, errors)) bundle.facts = read_facts(*text, facts, errors);
  if (const auto text = read(bundle.index_path(), errors))
    bundle.launches = read_index(*text, bundle.index_path(), errors);
  const bool index_is_right = errors.empty();  // what else refers to it
  const std::string order = bundle.folder + "/order";
  const auto order_text = read(order, errors);
  if (order_text && index_is_right) bundle.order = read_order(*order_text, order, bundle.launches, errors);
  if (!order_text)
    for (std::size_t i = 0; i < bundle.launches.size(); ++i) {
      bundle.order.push_back({i, 0, false, "", ""});
      bundle.launches[i].calls = 1;
    }
  if (const auto text = read(bundle.folder + "/refused", errors))
    read_refused(*text, bundle.folder + "/refused", bundle.order, errors);
  if (!errors.empty()) return tl::unexpected(errors);
  bundle.children = bundles_within(bundle.folder);
  return bundle;
}

std::optional<BundleName> bundle_name(const std::string& word) {
  if (is_folder(word)) return BundleName{word, std::nullopt};
  for (std::size_t hash = word.find('#'); hash != std::string::npos; hash = word.find('#', hash + 1))
    if (is_folder(word.substr(0, hash))) return BundleName{word.substr(0, hash), word.substr(hash + 1)};
  return std::nullopt;
}

tl::expected<std::vector<std::size_t>, std::string> select_launches(const Bundle& bundle,
                                                                    const std::optional<std::string>& selection) {
  std::vector<std::size_t> chosen;
  const bool by_id = selection && !selection->empty() &&
                     selection->find_first_not_of("0123456789") == std::string::npos && selection->size() < 16;
  const std::uint64_t id = by_id ? std::stoull(*selection) : 0;
  NamePattern pattern;
  if (selection && !by_id) {
    auto made = NamePattern::make(*selection);
    if (!made)
      return tl::unexpected(fmt::format("got {}; must be a launch's id or a regular expression ({})",
                                        tilescope::in_quotes(*selection), made.error()));
    pattern = *std::move(made);
  }
  for (std::size_t i = 0; i < bundle.launches.size(); ++i) {
    const BundleLaunch& launch = bundle.launches[i];
    const bool wanted = !selection || (by_id ? launch.id == id
                                             : pattern.occurs_in(launch.kernel) ||
                                                   pattern.occurs_in(sass::readable_name(launch.kernel)));
    if (wanted) chosen.push_back(i);
  }
  if (!chosen.empty() || !selection) return chosen;
  return tl::unexpected(
      by_id ? fmt::format("got the launch {}; the bundle has {} launches", *selection, bundle.launches.size())
            : fmt::format("got {}; no kernel of the bundle has that in its name", tilescope::in_quotes(*selection)));
}

tl::expected<std::string, Diagnostics> single_launch_file(const BundleName& name) {
  const auto bundle = read_bundle(name.folder);
  if (!bundle) return tl::unexpected(bundle.error());
  const auto refuse = [&name](const std::string& why) { return tl::unexpected(Diagnostics{{name.folder, 0, 0, why}}); };
  const auto chosen = select_launches(*bundle, name.selection);
  if (!chosen) return refuse(chosen.error());
  if (chosen->size() == 1) return bundle->path_of(bundle->launches[chosen->front()]);
  std::string ids;
  for (std::size_t i = 0; i < std::min(chosen->size(), kMostNamed); ++i)
    ids += (i == 0 ? "" : ", ") + std::to_string(bundle->launches[(*chosen)[i]].id);
  if (chosen->size() > kMostNamed) ids += ", ...";
  return refuse(fmt::format("{} launches ({}); one launch is {}#ID", chosen->size(), ids, name.folder));
}

}  // namespace tilescope::bundle
