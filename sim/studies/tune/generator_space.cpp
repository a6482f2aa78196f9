#include "sim/studies/tune/generator_space.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <stdexcept>

#include "models/occupancy.h"
#include "sim/simulate.h"
#include "traces/kernels/registry.h"
#include "traces/open_kernel.h"

namespace tilescope::tune {
namespace {

// Values worth trying, by a parameter's name; parameters that are not here keep their default. Padding of a word
// moves columns to other banks, of four it keeps wide accesses aligned.
const std::map<std::string, std::vector<std::string>>& values_worth_trying() {
  static const std::map<std::string, std::vector<std::string>> all{{"tile", {"16", "32"}},
                                                                   {"bm", {"32", "64", "128", "256"}},
                                                                   {"bn", {"32", "64", "128", "256"}},
                                                                   {"bk", {"8", "16", "32"}},
                                                                   {"tm", {"4", "8"}},
                                                                   {"tn", {"4", "8"}},
                                                                   {"wm", {"32", "64"}},
                                                                   {"wn", {"32", "64"}},
                                                                   {"vector", {"4", "1"}},
                                                                   {"stages", {"2", "3", "4", "5"}},
                                                                   {"split_k", {"1", "2", "4", "8"}},
                                                                   {"pad_a", {"0", "1"}},
                                                                   {"pad_b", {"0", "1"}},
                                                                   {"swizzle", {"none", "xor"}},
                                                                   {"block_x", {"16", "32", "64"}},
                                                                   {"block_y", {"4", "8", "16"}},
                                                                   {"raster", {"row", "grouped"}},
                                                                   {"group", {"4", "8", "16"}}};
  return all;
}

constexpr std::int64_t kFewestThreads = 64;  // of a CTA: fewer leave two of an SM's sub-partitions without a warp

struct Axis {
  std::string name;
  std::vector<std::string> values;
};

const ParameterInfo* find(const KernelInfo& info, const std::string& name) {
  const auto found = std::find_if(info.parameters.begin(), info.parameters.end(),
                                  [&](const ParameterInfo& one) { return one.name == name; });
  return found == info.parameters.end() ? nullptr : &*found;
}

// Generators without a parameter dtype make FP32.
bool makes(const KernelInfo& info, const std::string& dtype) {
  const ParameterInfo* type = find(info, "dtype");
  if (type == nullptr) return dtype == "f32";
  return std::find(type->words.begin(), type->words.end(), dtype) != type->words.end();
}

bool multiplies(const KernelInfo& info) {
  return find(info, "M") != nullptr && find(info, "N") != nullptr && find(info, "K") != nullptr;
}

bool orders_only(const std::string& name) { return name == "raster" || name == "group"; }

std::int64_t number(const ParameterTexts& given, const std::vector<std::string>& names) {
  for (const std::string& name : names)
    if (const auto found = given.find(name); found != given.end()) return std::stoll(found->second);
  return 1;
}

class Family {
 public:
  Family(const GpuSpec& gpu, const Problem& problem, KernelInfo info, Misfits& misfits)
      : gpu_(gpu), problem_(problem), info_(std::move(info)), misfits_(misfits) {
    for (const ParameterInfo& parameter : info_.parameters)
      if (const auto known = values_worth_trying().find(parameter.name); known != values_worth_trying().end())
        axes_.push_back({parameter.name, known->second});
  }

  void add_to(std::vector<Configuration>& all) const {
    std::vector<std::size_t> at(axes_.size(), 0);
    while (true) {
      add_point(at, all);
      std::size_t i = axes_.size();
      while (i > 0 && ++at[i - 1] == axes_[i - 1].values.size()) at[--i] = 0;
      if (i == 0) return;
    }
  }

 private:
  bool fits(const ParameterTexts& given) const {
    const bool tiles = given.count("bm") != 0;
    if (!tiles) return true;
    const std::int64_t bm = number(given, {"bm"}), bn = number(given, {"bn"}), bk = number(given, {"bk"});
    misfits_.add(bm, bn, bk);
    return problem_.m % bm == 0 && problem_.n % bn == 0 && problem_.k % bk == 0;
  }

  void add_point(const std::vector<std::size_t>& at, std::vector<Configuration>& all) const {
    Configuration one;
    one.family = info_.name;
    one.shape = info_.name;
    ParameterTexts given;
    const auto grouped = [&] { return given.count("raster") == 0 || given.at("raster") == "grouped"; };
    for (std::size_t i = 0; i < axes_.size(); ++i) {
      const std::string& name = axes_[i].name;
      if (name == "group" && !grouped()) {
        if (at[i] != 0) return;
        continue;
      }
      const std::string& value = axes_[i].values[at[i]];
      given[name] = value;
      one.parameters.emplace_back(name, value);
      if (!orders_only(name)) one.shape += fmt::format(" {}={}", name, value);
    }
    if (!fits(given)) return;
    one.step = std::max(number(given, {"bk", "tile"}), std::int64_t{1}) * number(given, {"split_k"});
    one.word = info_.name;
    for (const auto& [name, value] : one.parameters)
      one.word += fmt::format("{}{}={}", one.word == info_.name ? ":" : ",", name, value);
    given["M"] = std::to_string(problem_.m);
    given["N"] = std::to_string(problem_.n);
    if (find(info_, "dtype") != nullptr) given["dtype"] = problem_.dtype;
    one.make = [given, name = info_.name](std::int64_t k) -> tl::expected<std::unique_ptr<Kernel>, std::string> {
      ParameterTexts texts = given;
      texts["K"] = std::to_string(k);
      auto made = open_kernel(name, texts);
      if (!made) return tl::unexpected(joined_messages(made.error()));
      return std::move(*made);
    };
    const auto made = one.make(problem_.k);
    if (!made) return;
    const Launch& launch = (*made)->launch();
    const std::int64_t threads = launch.block.count();
    if (threads < kFewestThreads) return;
    if (!launch_problems(gpu_, cta_resources(launch)).empty()) return;
    one.store_label = one.store_identity = info_.name;
    given["K"] = std::to_string(problem_.k);
    for (const ParameterInfo& parameter : info_.parameters) {
      const auto known = given.find(parameter.name);
      one.store_parameters.emplace_back(parameter.name, known == given.end() ? parameter.standard : known->second);
    }
    all.push_back(std::move(one));
  }

  const GpuSpec& gpu_;
  const Problem& problem_;
  KernelInfo info_;
  Misfits& misfits_;
  std::vector<Axis> axes_;
};

}  // namespace

std::vector<std::string> generator_families() {
  std::vector<std::string> names;
  for (const KernelInfo& info : builtin_kernels())
    if (multiplies(info)) names.push_back(info.name);
  return names;
}

std::vector<Configuration> generator_space(const GpuSpec& gpu, const Problem& problem,
                                           const std::vector<std::string>& families) {
  std::vector<Configuration> all;
  Misfits misfits;
  std::string searched;
  for (KernelInfo& info : builtin_kernels()) {
    if (std::find(families.begin(), families.end(), info.name) == families.end()) continue;
    if (!makes(info, problem.dtype)) continue;
    searched += (searched.empty() ? "" : ", ") + info.name;
    Family(gpu, problem, std::move(info), misfits).add_to(all);
  }
  if (searched.empty())
    throw std::invalid_argument(
        fmt::format("no generator makes {}; a set of compiled kernels may (--compiled FILE)", problem.dtype));
  if (all.empty()) throw std::invalid_argument(misfits.sentence(problem, searched));
  return all;
}

}  // namespace tilescope::tune
