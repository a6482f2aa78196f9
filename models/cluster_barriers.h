// What the SMs of a cluster tell each other, and the barriers of clusters.
#pragma once

#include <algorithm>
#include <cstdint>
#include <unordered_map>

#include "models/support/units.h"

namespace tilescope {

// From an SM to the CTA of a cluster: arrivals and bytes for its mbarrier.
struct ClusterMessage {
  std::int64_t cta = 0;  // that it is for
  Cycle when = 0;        // it is there
  std::int64_t bytes = 0;
  std::uint32_t barrier = 0;  // offset
  std::uint32_t arrivals = 0;
  bool drops = false;
};

// A warp has arrived at the barrier of its cluster, or ended.
struct ClusterArrival {
  std::int64_t cluster = 0;
  Cycle when = 0;
  bool ended = false;
};

// How far the barrier of each cluster is. A phase ends when all warps of the cluster have arrived that have not ended.
class ClusterBarriers {
 public:
  ClusterBarriers(Cycle latency, std::int64_t warps) : latency_(latency), warps_(warps) {}

  // True when a phase ends; release() says when its warps may go on.
  bool add(const ClusterArrival& arrival) {
    State& state = states_.try_emplace(arrival.cluster, State{.alive = warps_}).first->second;
    if (arrival.ended) {
      if (--state.alive == 0) {
        states_.erase(arrival.cluster);
        return false;
      }
    } else {
      ++state.arrived;
      state.latest = std::max(state.latest, arrival.when);
    }
    if (state.arrived == 0 || state.arrived < state.alive) return false;
    state.arrived = 0;
    release_ = state.latest + latency_;
    return true;
  }
  Cycle release() const { return release_; }

 private:
  struct State {
    std::int64_t alive = 0, arrived = 0;  // warps
    Cycle latest = 0;
  };
  Cycle latency_;
  std::int64_t warps_;
  Cycle release_ = 0;
  std::unordered_map<std::int64_t, State> states_;  // by cluster
};

}  // namespace tilescope
