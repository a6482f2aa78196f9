#include "sim/studies/sweep/plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "models/support/content_hash.h"
#include "models/support/spec_hash.h"
#include "models/support/spec_reader.h"
#include "models/support/spec_tree.h"
#include "sim/results/version.h"
#include "sim/studies/sweep/gpu_value.h"
#include "sim/studies/sweep/parameter_check.h"

namespace tilescope::sweep {
namespace {

class Planner {
 public:
  explicit Planner(Study study) { plan_.study = std::move(study); }

  tl::expected<Plan, Diagnostics> plan() {
    double points = 0;
    for (const StudyKernel& kernel : plan_.study.kernels) {
      double product = static_cast<double>(plan_.study.gpus.size());
      for (const Axis& axis : kernel.axes) product *= static_cast<double>(axis.values.size());
      points += product;
    }
    if (points > most_points) refuse(fmt::format("has {:.0f} points; must have at most {:.0f}", points, most_points));
    for (std::size_t kernel = 0; kernel < plan_.study.kernels.size() && errors_.empty(); ++kernel)
      for (std::size_t gpu = 0; gpu < plan_.study.gpus.size(); ++gpu) add_points(kernel, gpu);
    if (errors_.empty() && plan_.points.empty()) refuse("has no point: no combination of values meets the constraints");
    if (!errors_.empty()) return tl::unexpected(std::move(errors_));
    return std::move(plan_);
  }

 private:
  void refuse(const std::string& what) { errors_.push_back({plan_.study.path, 0, 0, what}); }

  void add_points(std::size_t kernel, std::size_t gpu) {
    const std::vector<Axis>& axes = plan_.study.kernels[kernel].axes;
    std::vector<std::size_t> at(axes.size(), 0);
    while (true) {
      add_point(kernel, gpu, at);
      std::size_t i = axes.size();
      while (i > 0 && ++at[i - 1] == axes[i - 1].values.size()) at[--i] = 0;
      if (i == 0) return;
    }
  }

  void add_point(std::size_t kernel_index, std::size_t gpu, const std::vector<std::size_t>& at) {
    const StudyKernel& kernel = plan_.study.kernels[kernel_index];
    PlannedPoint point;
    point.kernel = kernel_index;
    std::vector<Override> overrides;
    std::vector<std::string> gpu_names;
    for (std::size_t i = 0; i < at.size(); ++i) {
      const Axis& axis = kernel.axes[i];
      for (std::size_t n = 0; n < axis.names.size(); ++n) {
        const std::string& name = axis.names[n];
        const std::string& value = axis.values[at[i]][n];
        if (!name.starts_with(kGpu)) {
          if (!name.starts_with(kLaunch) || value != base_value) point.given[name] = value;
          continue;
        }
        gpu_names.push_back(name);
        if (value != base_value) overrides.push_back({name.substr(kGpu.size()), value});
      }
    }
    point.variant = variant(gpu, gpu_names, overrides);
    resolve(kernel, point);
    if (!meets_constraints(kernel, point)) return;
    point.key = key_of(kernel, point);
    plan_.points.push_back(std::move(point));
  }

  std::size_t variant(std::size_t gpu, const std::vector<std::string>& names, const std::vector<Override>& overrides) {
    std::string wanted = std::to_string(gpu);
    for (const std::string& name : names) wanted += "\n" + name;
    for (const Override& one : overrides) wanted += "\n" + one.path + "=" + one.value;
    const auto [known, fresh] = variants_.try_emplace(wanted, plan_.variants.size());
    if (!fresh) return known->second;

    GpuVariant made;
    made.gpu = gpu;
    const StudyGpu& file = plan_.study.gpus[gpu];
    auto spec = read_spec_text<GpuSpec>(file.text, file.path, overrides);
    if (spec) {
      made.identity = identity_of(*spec);
      made.spec = std::move(*spec);
    } else {
      made.problem = spec.error().front().message;
      ContentHash hash;
      hash.add(file.text);
      made.identity = "refused " + hash.text();
      for (const Override& one : overrides) made.identity += "\n" + one.path + "=" + one.value;
    }
    for (const std::string& name : names) {
      std::string text = base_value;
      for (const Override& one : overrides)
        if (one.path == name.substr(kGpu.size())) text = one.value;
      if (made.spec) text = gpu_value_text(*made.spec, name.substr(kGpu.size()));
      made.parameters.emplace_back(name, text);
    }
    plan_.variants.push_back(std::move(made));
    return known->second;
  }

  void resolve(const StudyKernel& kernel, PlannedPoint& point) {
    for (const ParameterInfo& info : kernel.parameters) {
      const auto given = point.given.find(info.name);
      point.parameters.emplace_back(info.name, given == point.given.end() ? info.standard : given->second);
    }
    for (const std::string& name : launch_parameters())
      if (const auto given = point.given.find(name); given != point.given.end()) point.parameters.push_back(*given);
    const auto& of_gpu = plan_.variants[point.variant].parameters;
    point.parameters.insert(point.parameters.end(), of_gpu.begin(), of_gpu.end());
  }

  std::optional<std::string> value_of(const StudyKernel& kernel, const PlannedPoint& point,
                                      const std::string& name) const {
    const GpuVariant& gpu = plan_.variants[point.variant];
    if (name == "kernel") return kernel.label;
    if (name == "gpu") return plan_.study.gpus[gpu.gpu].label;
    for (const auto& [known, value] : point.parameters)
      if (known == name) return value;
    if (name.starts_with(kGpu) && gpu.spec) return gpu_value_text(*gpu.spec, name.substr(kGpu.size()));
    return std::nullopt;
  }

  // A constraint over something that this point does not have (a launch parameter at its base) does not apply.
  bool meets_constraints(const StudyKernel& kernel, const PlannedPoint& point) {
    const PointValues values = [&](const std::string& name) { return value_of(kernel, point, name); };
    for (const Constraint& constraint : kernel.constraints) {
      const auto& names = constraint.formula.names();
      const bool applies = std::all_of(names.begin(), names.end(), [&](const auto& name) { return values(name.text); });
      if (!applies) continue;
      try {
        if (!constraint.formula.holds(values)) return false;
      } catch (const ExpressionError& error) {
        Diagnostic broken{
            plan_.study.path, constraint.line, constraint.column + static_cast<int>(error.column) - 1,
            fmt::format("constraints: in the formula {}: {}", in_quotes(constraint.formula.text()), error.sentence)};
        const auto same = [&](const Diagnostic& one) { return one.line == broken.line && one.column == broken.column; };
        if (std::none_of(errors_.begin(), errors_.end(), same)) errors_.push_back(std::move(broken));
      }
    }
    return true;
  }

  std::string key_of(const StudyKernel& kernel, const PlannedPoint& point) const {
    return result_key(plan_.study.mode, plan_.study.sample, plan_.study.cache_control,
                      plan_.variants[point.variant].identity,
                      kernel.kind == KernelKind::builtin ? kernel.label : kernel.content_hash, point.parameters);
  }

  Plan plan_;
  std::map<std::string, std::size_t> variants_;
  Diagnostics errors_;
};

}  // namespace

std::string identity_of(const GpuSpec& gpu) { return config_hash_text(spec_tree(gpu)); }

std::string result_key(Mode mode, Sample sample, CacheControl control, const std::string& gpu_identity,
                       const std::string& kernel_identity,
                       const std::vector<std::pair<std::string, std::string>>& parameters) {
  ContentHash hash;
  hash.add(fmt::format("{}+{}\n{}\n{}\n{}\n", version(), source_hash(), mode == Mode::timing ? "timing" : "counts",
                       name(sample), name(control)));
  hash.add(gpu_identity + "\n");
  hash.add(kernel_identity);
  for (const auto& [name, value] : parameters)
    if (!name.starts_with(kGpu)) hash.add(fmt::format("\n{}={}", name, value));
  return hash.text();
}

tl::expected<Plan, Diagnostics> make_plan(Study study) { return Planner(std::move(study)).plan(); }

}  // namespace tilescope::sweep
