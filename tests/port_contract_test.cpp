// The contract of models/port.h, held by every level of the memory hierarchy.
#include <doctest/doctest.h>

#include <array>
#include <type_traits>
#include <vector>

#include "engine_runs.h"
#include "models/fabric.h"
#include "models/gpc_ports.h"
#include "models/hbm.h"
#include "models/l1_cache.h"
#include "models/l2_partition.h"
#include "models/port.h"
#include "models/request_coalescer.h"
#include "models/support/bit_mixer.h"
#include "sim/engine/memory_system.h"

using namespace tilescope;
using test::h200;

namespace {

const AddressHash& hash() {
  static const AddressHash made(h200());
  return made;
}

struct CoalescerPort : RequestCoalescer {
  CoalescerPort() : RequestCoalescer(h200().request_coalescer) {}
};
struct L2Port : L2Partition {
  L2Port() : L2Partition(h200(), hash(), 0) {}
};
struct FabricPort : FabricLink {
  FabricPort() : FabricLink(h200()) {}
};
struct GpcPort : GpcPorts {
  GpcPort() : GpcPorts(h200(), hash()) {}
};
struct HbmPort : Hbm {
  HbmPort() : Hbm(h200(), hash()) {}
};

// An SM's L1 counts cycles, and tells a sector that is on its way (pending) from one that is here.
struct L1Port {
  PortAnswer lookup(LineAddress line, SectorMask sectors, Tick now) {
    const L1Cache::Lookup found = cache.load(line, sectors);
    return {found.present, std::max(now, to_ticks(found.ready))};
  }
  void fill(LineAddress line, SectorMask sectors, Tick ready) {
    cache.allocate(line, sectors, 7);
    cache.filled(line, 7, to_cycles_up(ready));
  }
  L1Cache cache{h200().l1, 100};
};

// All behind one SM: answers everything.
struct ChipPort {
  PortAnswer lookup(LineAddress line, SectorMask sectors, Tick now) {
    return {sectors, to_ticks(chip.serve({to_cycles_up(now), line, kNoFill, 0, sectors, RequestKind::read}))};
  }
  Tick accept(LineAddress line, SectorMask sectors, Tick now) {
    return to_ticks(chip.serve({to_cycles_up(now), line, kNoFill, 0, sectors, RequestKind::write}));
  }
  // Without what an answer that SMs share takes longer, and with what waits for the way into an SM in order.
  MemorySystem chip{tilescope::test::gpu("h200", {"request_coalescer.shared_cycles=0", "crossbar.sm_read_disorder=0"})};
};

struct Request {
  LineAddress line;
  SectorMask sectors;
  Tick now;
};

// Of a requester: scattered over few lines, so that levels meet them again, in order of time.
std::vector<Request> requests() {
  std::vector<Request> all;
  Tick now;
  for (std::uint64_t i = 0; i < 4000; ++i) {
    const std::uint64_t chance = mix_bits(i + 1);
    now += Tick(static_cast<std::int64_t>(chance % 3000));
    all.push_back({LineAddress::of(1ULL << 33) + static_cast<std::int64_t>(chance >> 20U & 0x1ffU),
                   SectorMask(1 + static_cast<unsigned>(chance >> 40U) % 15), now});
  }
  return all;
}

// Who shares a request asks for the same sectors of its line.
template <class Port>
std::vector<Request> requests_that_are_kept() {
  std::vector<Request> all = requests();
  if constexpr (std::is_same_v<Port, CoalescerPort>)
    for (Request& request : all)
      request.sectors = SectorMask(1 + static_cast<unsigned>(mix_bits(request.line.number()) % 15));
  return all;
}

// What a level lacks comes so much later.
constexpr Tick kBehind = 300 * kCycle;

template <class Port>
PortAnswer ask(Port& port, const Request& request) {
  const auto found = port.lookup(request.line, request.sectors, request.now);
  if constexpr (CachePort<Port>)
    if (const SectorMask missing = request.sectors - found.present; missing.any())
      port.fill(request.line, missing, request.now + kBehind);
  return {found.present, found.ready};
}

}  // namespace

TEST_CASE_TEMPLATE("nothing is answered before it was asked", Port, L1Port, CoalescerPort, L2Port, HbmPort, ChipPort) {
  Port port;
  for (const Request& request : requests()) {
    const PortAnswer answer = ask(port, request);
    if (answer.present.any()) REQUIRE(answer.ready >= request.now);
  }
}

TEST_CASE_TEMPLATE("nothing is accepted before it came, and four sectors not sooner than one", Port, L2Port, FabricPort,
                   GpcPort, HbmPort, ChipPort) {
  const LineAddress line = LineAddress::of(1ULL << 33);
  Port one, all;
  CHECK(all.accept(line, SectorMask::all(), 5 * kCycle) >= one.accept(line, SectorMask::of(0), 5 * kCycle));
  Port port;
  for (const Request& request : requests())
    REQUIRE(port.accept(request.line, request.sectors, request.now) >= request.now);
}

TEST_CASE_TEMPLATE("a level that keeps lines answers what it was asked for and no more, and finds what was filled",
                   Port, L1Port, CoalescerPort, L2Port) {
  Port port;
  bool hit = false, missed = false;
  for (const Request& request : requests_that_are_kept<Port>()) {
    const auto found = port.lookup(request.line, request.sectors, request.now);
    REQUIRE((found.present - request.sectors).none());
    hit = hit || found.present.any();
    const SectorMask missing = request.sectors - found.present;
    if (missing.none()) continue;
    missed = true;
    const Tick ready = request.now + kBehind;
    port.fill(request.line, missing, ready);
    const auto again = port.lookup(request.line, missing, request.now);
    REQUIRE(again.present == missing);
    REQUIRE(again.ready >= ready);
  }
  CHECK(hit);
  CHECK(missed);
}

TEST_CASE_TEMPLATE("the last level answers every sector", Port, HbmPort, ChipPort) {
  Port port;
  for (const Request& request : requests())
    REQUIRE((request.sectors - port.lookup(request.line, request.sectors, request.now).present).none());
}

TEST_CASE_TEMPLATE("lookups of one line in order of time are answered in order of time", Port, L1Port, L2Port, HbmPort,
                   ChipPort) {
  const LineAddress line = LineAddress::of(1ULL << 33);
  Port port;
  Tick last;
  for (std::int64_t i = 0; i < 500; ++i) {
    const PortAnswer answer = ask(port, {line, SectorMask::all(), i * Tick(700)});
    if (answer.present.none()) continue;
    REQUIRE(answer.ready >= last);
    last = answer.ready;
  }
  CHECK(last > Tick{});
}

TEST_CASE_TEMPLATE("the same calls give the same answers", Port, L1Port, CoalescerPort, L2Port, HbmPort, ChipPort) {
  Port one, other;
  for (const Request& request : requests()) {
    const PortAnswer a = ask(one, request);
    const PortAnswer b = ask(other, request);
    REQUIRE(a.present == b.present);
    REQUIRE(a.ready == b.ready);
  }
}
