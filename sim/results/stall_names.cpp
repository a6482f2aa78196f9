#include <array>
#include <utility>

#include "sim/results/metrics.h"

namespace tilescope {
namespace {

// In the order of Stall.
constexpr std::array<std::pair<std::string_view, std::string_view>, kStalls> kNames{{
    {"selected", "issued"},
    {"wait", "waited out a fixed latency"},
    {"long_scoreboard", "waited for global or local memory"},
    {"short_scoreboard", "waited for shared memory or a special function"},
    {"barrier", "waited for other warps of the CTA at a barrier"},
    {"branch_resolving", "waited for a branch"},
    {"math_pipe_throttle", "ready, but the arithmetic pipe was busy"},
    {"mio_throttle", "ready, but the shared-memory queue was full"},
    {"lg_throttle", "ready, but the global-memory queue was full"},
    {"membar", "waited for a memory barrier"},
    {"not_selected", "ready, but another warp was chosen"},
    {"dispatch_stall", "ready, but the dispatch port was taken by operand fetch or a long instruction"},
    {"no_instruction", "waited for the instruction cache"},
    {"imc_miss", "waited for the constant cache"},
    {"drain", "had exited, but its stores had not left the SM"},
    {"gmma", "waited for products of its warpgroup"},
}};

}  // namespace

std::string_view name(Stall stall) { return kNames[static_cast<std::size_t>(stall)].first; }
std::string_view meaning(Stall stall) { return kNames[static_cast<std::size_t>(stall)].second; }

}  // namespace tilescope
