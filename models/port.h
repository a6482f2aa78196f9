// How the levels of the memory hierarchy are spoken to: one set of verbs, one contract. tests/port_contract_test.cpp
// holds every level to it: L1, request coalescer, L2 partition, fabric, HBM, and the chip behind the SMs as a whole.
//
//   lookup(line, sectors, now)   a read arrives: which of the sectors this level has, and when they are at its output
//   fill(line, sectors, ready)   sectors that a lookup did not find are here from `ready` on
//   accept(line, sectors, now)   data arrives, written or passed on: when this level has taken it
//
// The contract
// - Nothing is answered before it was asked: `ready` of a lookup and the result of accept are not before `now`.
// - Each sector that is asked for is answered once: by this level, or by the one behind it. A level that keeps lines
//   answers none that it was not asked for; the last one, with nobody behind it, answers all, and may answer more: it
//   fetches in its own grain. What was filled is found by the next lookup, no sooner than its data was there; but
//   the request coalescer shares none of a request that came while its line was under way for other sectors.
// - Lookups of one line in order of time are answered in order of time; but an answer that SMs share comes by
//   request_coalescer.shared_cycles later than that to one that asks alone, and of what waits for the way into an SM
//   any may come next (models/sm_ingress.h).
// - Requests of one requester come in order of time. Those of several need not, where a level is shared.
// - The same calls give the same answers: no clocks, no addresses of objects, no random numbers but seeded ones.
// - What is counted is handed out as plain counters and never reset.
#pragma once

#include <concepts>

#include "models/support/units.h"

namespace tilescope {

// `ready` is meaningful when sectors are present. A level may say more (L2Partition::Lookup).
struct PortAnswer {
  SectorMask present;
  Tick ready;
};

template <class Level>
concept ReadPort = requires(Level level, LineAddress line, SectorMask sectors, Tick now) {
  { level.lookup(line, sectors, now).present } -> std::convertible_to<SectorMask>;
  { level.lookup(line, sectors, now).ready } -> std::convertible_to<Tick>;
};

template <class Level>
concept CachePort = ReadPort<Level> && requires(Level level, LineAddress line, SectorMask sectors, Tick ready) {
  level.fill(line, sectors, ready);
};

template <class Level>
concept WritePort = requires(Level level, LineAddress line, SectorMask sectors, Tick now) {
  { level.accept(line, sectors, now) } -> std::convertible_to<Tick>;
};

}  // namespace tilescope
