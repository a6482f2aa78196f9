// From a measured kernel's name to the built-in kernel that models it: a YAML file of rules, tried in order.
//
//   rules:
//     - match: gemm_naive_(col|row)_(\d+)x(\d+)      # regular expression (RE2), of the whole name
//       kernel: gemm_naive                            # as `tilescope list kernels` names it
//       parameters:                                   # each a formula (row_expression.h), a word that the parameter
//         M: [m, grid.y*$3]                           # accepts, or a list of formulas, of which the first that the
//         lanes: $1                                   # row has the columns for counts
//     - match: my_copy
//       kernel: copy
//       parameters: row                               # the row's column `parameters`, key by key
//     - match: my_gemm_(\d+)
//       kernel: my_gemm                               # the family's name in reports
//       launch: |                                     # compiled code: a launch file (docs/sass.md) with formulas in
//       it;
//         kernel: {sass: my_gemm.sass}                # its paths start from the mapping's folder
//         grid: [${tiles}, ${m/$1}]
//         ...
//       let: {tiles: n/$1}                            # names for formulas in launch, each after those it uses
//     - match: gemm_specialised.*
//       skip: no generator makes it                   # in place of kernel and parameters
//
// Errors with file:line:column, every one in one run: unknown keys, kernels and parameters, broken patterns and
// formulas.
#pragma once

#include <memory>
#include <string>
#include <tl/expected.hpp>
#include <vector>

#include "models/support/diagnostic.h"
#include "sim/studies/measured/mapped_kernel.h"
#include "sim/studies/measured/measurement.h"

namespace tilescope {

struct MappingRule;

class KernelMapping {
 public:
  static tl::expected<KernelMapping, Diagnostics> read(const std::string& path);
  static tl::expected<KernelMapping, Diagnostics> read_text(const std::string& text, const std::string& name);
  ~KernelMapping();
  KernelMapping(KernelMapping&&) noexcept;
  KernelMapping& operator=(KernelMapping&&) noexcept;

  // What the first rule that matches says, or one sentence why there is nothing: no rule, a skip rule's reason, or
  // what the row lacks.
  tl::expected<MappedKernel, std::string> map(const Measurement& row) const;

 private:
  KernelMapping(std::vector<MappingRule> rules, std::string file);
  std::vector<MappingRule> rules_;
  std::string file_;
};

}  // namespace tilescope
