// A study as its file says it, everything checked that can be checked one value at a time. Format: docs/sweep.md.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "sim/simulate.h"
#include "sim/studies/sweep/point_expression.h"
#include "traces/kernels/parameters.h"
#include "traces/open_kernel.h"

namespace tilescope::sweep {

// A parameter and its values; or several that advance together.
//
// Names: a kernel's parameter ("bm"); "gpu." and a value of the GPU's file ("gpu.l2.size_mib"); "launch." and one of
// launch_parameters().
struct Axis {
  std::vector<std::string> names;
  std::vector<std::vector<std::string>> values;  // each as long as `names`
};

inline constexpr const char* base_value = "base";  // of a GPU's parameter: what its file says

struct Constraint {
  PointExpression formula;
  int line = 0;  // of the formula's first character
  int column = 0;
};

struct StudyKernel {
  std::string label;  // as the study writes it
  KernelKind kind = KernelKind::builtin;
  std::string path;                       // of a file
  std::string content_hash;               // of a file and those it names
  std::shared_ptr<const Kernel> opened;   // of a file
  std::vector<ParameterInfo> parameters;  // of a built-in kernel
  std::vector<Axis> axes;                 // those of the study that it has, then its own
  std::vector<Constraint> constraints;    // those of the study whose names it has, then its own
};

struct StudyGpu {
  std::string label;  // as the study writes it
  std::string path;
  std::string text;  // the file
};

struct Study {
  std::string path;
  std::string name;
  std::string learns;  // may be empty
  Mode mode = Mode::timing;
  Sample sample = Sample::fast;
  CacheControl cache_control = CacheControl::all;
  std::vector<StudyGpu> gpus;
  std::vector<StudyKernel> kernels;
};

// "launch.dynamic_smem_bytes", "launch.registers_per_thread": what any kernel can be launched with otherwise than it
// is.
const std::vector<std::string>& launch_parameters();

}  // namespace tilescope::sweep
