// Every point of a study, in its order: kernels, then GPUs, then the parameters as the study lists them, the last
// fastest. The same study gives the same plan on any machine.
#pragma once

#include <optional>
#include <string>
#include <tl/expected.hpp>
#include <utility>
#include <vector>

#include "models/gpu_spec.h"
#include "models/support/diagnostic.h"
#include "sim/studies/sweep/study.h"

namespace tilescope::sweep {

// A configuration that points share.
struct GpuVariant {
  std::size_t gpu = 0;                                          // in Study::gpus
  std::vector<std::pair<std::string, std::string>> parameters;  // "gpu.l2.size_mib", as resolved
  std::optional<GpuSpec> spec;
  std::string problem;   // why there is no spec
  std::string identity;  // equal for equal configurations
};

struct PlannedPoint {
  std::size_t kernel = 0;   // in Study::kernels
  std::size_t variant = 0;  // in Plan::variants
  ParameterTexts given;     // the kernel's and the launch's
  // As results show them: the kernel's parameters, defaults too, then the launch's and the GPU's that the study names.
  std::vector<std::pair<std::string, std::string>> parameters;
  std::string key;  // names the result: equal for equal configuration, kernel, mode and program version
};

struct Plan {
  Study study;
  std::vector<GpuVariant> variants;
  std::vector<PlannedPoint> points;
};

inline constexpr double most_points = 1'000'000;  // before constraints

// What names a result: 128 bits over program version, mode, sampling, what is in L2, the GPU's identity, the kernel's
// (a built-in name or a content hash) and its parameters, those of the GPU left out.
std::string result_key(Mode mode, Sample sample, CacheControl control, const std::string& gpu_identity,
                       const std::string& kernel_identity,
                       const std::vector<std::pair<std::string, std::string>>& parameters);
std::string identity_of(const GpuSpec& gpu);

// Errors of constraints that cannot be evaluated, and of studies with no point or too many.
tl::expected<Plan, Diagnostics> make_plan(Study study);

// Shard `shard` of `shards` (from 1): every so many-th point, so that all shards have a similar mix.
struct Shard {
  std::size_t number = 1, of = 1;
  bool has(std::size_t point) const { return point % of == number - 1; }
};

}  // namespace tilescope::sweep
