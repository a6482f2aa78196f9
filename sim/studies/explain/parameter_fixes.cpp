#include "sim/studies/explain/parameter_fixes.h"

#include <algorithm>
#include <sstream>

#include "sim/results/tile_variants.h"
#include "traces/kernels/registry.h"

namespace tilescope::explain {
namespace {

class Fixes {
 public:
  Fixes(const GpuSpec& gpu, const Launch& launch) : gpu_(gpu), launch_(launch) {
    for (const KernelInfo& info : builtin_kernels())
      if (info.name == launch.kernel) known_ = info.parameters;
    now_ = ParameterTexts(launch.parameters.begin(), launch.parameters.end());
  }

  void conflicts() {
    set({{"transpose_a", "0"}});
    std::vector<std::pair<std::string, std::string>> pads;
    for (const ParameterInfo& one : known_)
      if (one.name.starts_with("pad") && now(one.name) == "0") pads.emplace_back(one.name, "1");
    set(pads);
    other_words("swizzle", {});
  }
  void sectors() {
    other_words("lanes", {});
    other_words("form", {});
    set({{"block_x", "32"}, {"block_y", "8"}});
    set({{"stride", "1"}});
    set({{"vector", "4"}});
  }
  void raster() {
    other_words("raster", {"column", "grouped"});
    if (now("raster") == "grouped" || knows("raster"))
      for (const char* group : {"4", "16"}) set({{"raster", "grouped"}, {"group", group}});
  }
  void tiles() {
    for (const OccupancyCase& variant : tile_variants(gpu_, launch_)) {
      std::vector<std::pair<std::string, std::string>> changes;
      std::istringstream words(variant.label);
      for (std::string word; words >> word;)
        changes.emplace_back(word.substr(0, word.find('=')), word.substr(word.find('=') + 1));
      if (variant.launchable) set(changes);
    }
  }
  void latency() {
    set({{"vector", "4"}});
    set({{"width", "16"}});
    if (knows("stages")) set({{"stages", std::to_string(std::stoll(now("stages")) + 1)}});
    tiles();
  }

  std::vector<ParameterFix> all;

 private:
  bool knows(const std::string& name) const {
    return std::any_of(known_.begin(), known_.end(), [&](const ParameterInfo& one) { return one.name == name; });
  }
  std::string now(const std::string& name) const {
    const auto found = now_.find(name);
    return found == now_.end() ? std::string() : found->second;
  }

  // Nothing where a parameter is not known, all are so already, or no such launch can be made.
  void set(const std::vector<std::pair<std::string, std::string>>& changes) {
    ParameterFix fix{"", now_};
    for (const auto& [name, value] : changes) {
      if (!knows(name)) return;
      if (now(name) == value) continue;
      if (!fix.what.empty()) fix.what += ' ';
      fix.what += name;
      fix.what += '=';
      fix.what += value;
      fix.parameters[name] = value;
    }
    const bool is_new =
        std::none_of(all.begin(), all.end(), [&](const ParameterFix& one) { return one.what == fix.what; });
    if (!fix.what.empty() && is_new && make_kernel(launch_.kernel, fix.parameters)) all.push_back(std::move(fix));
  }

  // `wanted`: of these only; empty: all.
  void other_words(const std::string& name, const std::vector<std::string>& wanted) {
    for (const ParameterInfo& one : known_)
      if (one.name == name)
        for (const std::string& word : one.words)
          if (wanted.empty() || std::find(wanted.begin(), wanted.end(), word) != wanted.end()) set({{name, word}});
  }

  const GpuSpec& gpu_;
  const Launch& launch_;
  std::vector<ParameterInfo> known_;
  ParameterTexts now_;
};

}  // namespace

std::vector<ParameterFix> parameter_fixes(const GpuSpec& gpu, const Launch& launch, Problem problem) {
  Fixes fixes(gpu, launch);
  switch (problem) {
    case Problem::bank_conflicts:
      fixes.conflicts();
      break;
    case Problem::wasted_sectors:
      fixes.sectors();
      break;
    case Problem::refetched_lines:
      fixes.raster();
      break;
    case Problem::occupancy:
    case Problem::idle_sms:
      fixes.tiles();
      break;
    case Problem::latency:
      fixes.latency();
      break;
  }
  return std::move(fixes.all);
}

}  // namespace tilescope::explain
