#include "traces/sass/spared_products.h"

#include <memory>
#include <utility>

namespace tilescope::sass {

tl::expected<Program, Diagnostics> build_sparing_program(const LinkedCode& code, LaunchState launch, bool all_values) {
  auto whole = build_program(code, launch, all_values);
  if (all_values || !whole || !whole->computes_products || !whole->ctas_exchange || launch.grid.count() == 1)
    return whole;
  auto spared = build_program(code, std::move(launch), false, false);
  if (!spared || !spared->ctas_exchange) return whole;
  // What a reader of the launch is told does not depend on how it is executed.
  spared->executed_share = whole->executed_share;
  spared->needs_global = whole->needs_global;
  spared->with_products = std::make_unique<Program>(std::move(*whole));
  return spared;
}

}  // namespace tilescope::sass
