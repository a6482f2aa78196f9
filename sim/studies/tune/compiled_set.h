// Compiled kernels to choose among: a YAML file of families, each with a table of instances and a launch file in whose
// text formulas over M, N, K and the instance stand.
//
//   families:
//     - kernel: gemm_register                         # the family's name
//       dtype: f32                                    # of A and B; f32 unless given
//       columns: [bm, bn, bk, tm, tn, vector, group]  # what instances differ in
//       instances:
//         - [128, 128, 8, 8, 8, 4, 1]
//         - [128, 128, 8, 8, 8, 4, 8]
//       name: gemm_register_${bm}x${bn}x${bk}_${tm}x${tn}_v${vector}
//       multiples: [bm, bn, bk]                       # formulas: M, N and K must be multiples of these; 1 unless given
//       let: {tiles: m/bm*n/bn}                       # names for formulas, each after those it uses
//       launch: |                                     # docs/sass.md; its paths start from this file's folder
//         kernel: {sass: gemm_register.sass, name: ...}
//         grid: [${n/bn}, ${m/bm}]
//         ...
//
// Names in formulas: m, n, k, sms (of the GPU), the columns, and those of `let`; formulas are those of mappings
// (sim/studies/measured/row_expression.h). The column `group` says in which order CTAs take tiles (1: row by row);
// `code`, where a listing lies, is shown nowhere. Errors with file:line:column, every one in one run.
#pragma once

#include <memory>
#include <string>
#include <tl/expected.hpp>
#include <vector>

#include "models/gpu_spec.h"
#include "models/support/diagnostic.h"
#include "sim/studies/tune/configuration.h"

namespace tilescope::tune {

struct CompiledFamily;

class CompiledSet {
 public:
  static tl::expected<CompiledSet, Diagnostics> read(const std::string& path);
  static tl::expected<CompiledSet, Diagnostics> read_text(const std::string& text, const std::string& path);

  const std::string& path() const { return path_; }
  std::vector<std::string> families() const;  // each once, in the file's order

  // The instances of those families that fit the problem and the GPU, in the file's order. Throws
  // std::invalid_argument with one sentence when none does, or when a launch cannot be made.
  std::vector<Configuration> space(const GpuSpec& gpu, const Problem& problem,
                                   const std::vector<std::string>& families) const;

 private:
  std::string path_;
  std::vector<std::shared_ptr<const CompiledFamily>> all_;
};

}  // namespace tilescope::tune
