// A configuration in the words of other libraries: where to put its tile, stages, warps and group.
#pragma once

#include <string>
#include <tl/expected.hpp>

#include "sim/studies/tune/configuration.h"

namespace tilescope::tune {

// What other libraries call it, or one sentence why they have no such thing. `threads`: of a CTA.
//
//   cutlass  template arguments of cutlass::gemm::device::Gemm, or, for warps with one task each, of the
//   CollectiveBuilder triton   a triton.Config
tl::expected<std::string, std::string> in_cutlass(const Configuration& one, const Problem& problem,
                                                  std::int64_t threads);
tl::expected<std::string, std::string> in_triton(const Configuration& one, const Problem& problem,
                                                 std::int64_t threads);

}  // namespace tilescope::tune
