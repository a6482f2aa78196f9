#include "traces/kernels/sampled_kernel.h"

#include <algorithm>

#include "traces/kernels/raster_code.h"

namespace tilescope {

void SampledKernel::set_loop(const LoopCode& loop, const std::array<std::int64_t, kBuffers>& advance, bool ragged,
                             Raster raster) {
  advance_ = advance;
  route_ = loop.route;
  idle_route_ = loop.idle;
  for (const LoopSection& section : loop.sections) add_section(section.first, section.code, section.accesses);
  for (std::size_t i = 0; i < loop.sections.size(); ++i) {
    std::array<std::int64_t, kBuffers> moved = advance;
    for (std::int64_t& bytes : moved) bytes *= loop.sections[i].steps;
    set_advance(static_cast<int>(i), moved);
  }
  if (raster != Raster::row) {
    CodeBuilder code;
    emit_raster(code, raster);
    const int section = add_section(GeneratedKernel::code().size(), code.finish(), {});
    for (auto* route : {&route_, &idle_route_}) route->insert(route->begin(), {.section = section});
  }
  if (!ragged) return;
  // The run with the last step gets a section of its own.
  for (auto* route : {&route_, &idle_route_}) {
    const auto steps = [&](const RouteRun& run) {
      return static_cast<std::size_t>(run.section) < loop.sections.size()
                 ? loop.sections[static_cast<std::size_t>(run.section)].steps
                 : 0;
    };
    const auto last = std::find_if(route->rbegin(), route->rend(), [&](const RouteRun& run) { return steps(run) > 0; });
    if (last == route->rend()) continue;
    const std::int64_t of_one = steps(*last);
    const RouteRun edge{add_edge_section(last->section, static_cast<int>(of_one) - 1), 1,
                        last->first_step + (last->repeats - 1) * of_one};
    --last->repeats;
    route->insert(last.base(), edge);
  }
}

void SampledKernel::find_idle_warps(const Access& store, int shapes) {
  for (int shape = 0; shape < shapes; ++shape) {
    idle_.emplace_back();
    for (int warp = 0; warp < launch().warps_per_cta(); ++warp)
      idle_.back().push_back(lanes(store, shape, warp).active == 0 ? 1 : 0);
  }
}

bool SampledKernel::step(const CtaPlace& place, int warp, std::int64_t index, RouteStep& out) const {
  const bool idle = !idle_.empty() && idle_[static_cast<std::size_t>(place.shape)][static_cast<std::size_t>(warp)] != 0;
  const std::vector<RouteRun>& route = idle ? idle_route_ : route_;
  if (index >= static_cast<std::int64_t>(route.size())) return false;
  const RouteRun& run = route[static_cast<std::size_t>(index)];
  out.section = run.section;
  out.repeats = run.repeats;
  out.base = base(place);
  for (std::size_t buffer = 0; buffer < kBuffers; ++buffer)
    out.base[buffer] += static_cast<std::uint64_t>(run.first_step * advance_[buffer]);
  return true;
}

}  // namespace tilescope
