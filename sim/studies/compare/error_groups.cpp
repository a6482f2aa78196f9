#include "sim/studies/compare/error_groups.h"

#include <algorithm>
#include <array>
#include <map>

namespace tilescope {
namespace {

struct SizeClass {
  double below;  // cycles
  const char* name;
};
constexpr std::array<SizeClass, 5> kSizes = {{{7e3, "below 7,000 cycles"},
                                              {3e4, "7,000 to 30,000 cycles"},
                                              {1e5, "30,000 to 100,000 cycles"},
                                              {1e6, "100,000 to 1,000,000 cycles"},
                                              {1e300, "1,000,000 cycles and more"}}};

std::string size_of(double cycles) {
  return std::find_if(kSizes.begin(), kSizes.end() - 1, [cycles](const SizeClass& size) { return cycles < size.below; })
      ->name;
}

class Groups {
 public:
  explicit Groups(std::string by) : by_(std::move(by)) {}

  void expect(const std::string& name) { place_of(name); }
  void add(const std::string& name, const PredictionError& error) { errors_[place_of(name)].push_back(error); }

  void put_into(std::vector<ErrorGroup>& groups, bool most_first) const {
    std::vector<std::size_t> order;
    for (std::size_t i = 0; i < names_.size(); ++i)
      if (!errors_[i].empty()) order.push_back(i);
    if (most_first)
      std::stable_sort(order.begin(), order.end(),
                       [this](std::size_t a, std::size_t b) { return errors_[a].size() > errors_[b].size(); });
    for (const std::size_t i : order) groups.push_back({by_, names_[i], error_statistics(errors_[i])});
  }

 private:
  std::size_t place_of(const std::string& name) {
    const auto [place, is_new] = places_.emplace(name, names_.size());
    if (is_new) {
      names_.push_back(name);
      errors_.emplace_back();
    }
    return place->second;
  }

  std::string by_;
  std::map<std::string, std::size_t> places_;
  std::vector<std::string> names_;
  std::vector<std::vector<PredictionError>> errors_;
};

}  // namespace

std::vector<ErrorGroup> error_groups(const Comparison& comparison) {
  const auto index_of = [&comparison](const char* metric) {
    const auto found = std::find_if(comparison.metrics.begin(), comparison.metrics.end(),
                                    [metric](const ComparedTotal& total) { return total.metric->name == metric; });
    return static_cast<std::size_t>(found - comparison.metrics.begin());
  };
  std::size_t metric = index_of("gpc__cycles_elapsed.max");
  if (metric == comparison.metrics.size()) metric = index_of("gpu__time_duration.sum");
  Groups programs("program"), sizes("size"), kernels("kernel");
  for (const SizeClass& size : kSizes) sizes.expect(size.name);
  for (const ComparedCase& one : comparison.cases)
    for (const ComparedValue& value : one.values) {
      if (value.metric != metric) continue;
      if (!one.program.empty()) programs.add(one.program, value.error);
      if (const auto cycles = one.measured.metric("gpc__cycles_elapsed.max")) sizes.add(size_of(*cycles), value.error);
      kernels.add(one.mapped.kernel, value.error);
    }
  std::vector<ErrorGroup> groups;
  programs.put_into(groups, false);
  sizes.put_into(groups, false);
  kernels.put_into(groups, true);
  return groups;
}

}  // namespace tilescope
