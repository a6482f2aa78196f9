// What loads wait for in device memory as more of them are under way: the memory system alone, with the loads of
// gpu/microbench/load_curve.cu, against gpu/measured/h200/load_curve.csv.
#include <doctest/doctest.h>

#include <algorithm>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "closed_loop.h"
#include "engine_runs.h"
#include "measured_value.h"
#include "models/address_hash.h"

using namespace tilescope;
using namespace tilescope::test;

namespace {

struct Depth {
  int warps, loads;  // of each SM; of each warp, before it waits
};
struct Seen {
  double rate = 0;     // bytes a cycle of all SMs
  double latency = 0;  // cycles until the last line of a warp's loads has come
};

Seen measured(const std::string& order, int mib, Depth depth) {
  const std::string the_case = "order=" + order + ";mib=" + std::to_string(mib) +
                               ";warps=" + std::to_string(depth.warps) + ";loads=" + std::to_string(depth.loads) + ",";
  const auto value = [&](const char* metric) { return measured_value("h200", "load_curve", the_case + metric); };
  return {value("rate"), value("latency")};
}

// All SMs of an H200. Each warp loads 512 bytes `loads` times, waits for all, and loads again `between` cycles later.
class Chip {
 public:
  Chip(std::string order, int mib, Depth depth, const std::vector<std::string>& changes = {})
      : order_(std::move(order)),
        depth_(depth),
        loop_(gpu("h200", changes)),
        pieces_(static_cast<std::uint64_t>(mib) * 2048) {}

  // Every piece once, so that L2 has what it can hold.
  void warm() { go(kNever, pieces_, 0); }
  Seen load(Cycle cycles, double between) { return go(cycles, ~0ULL, static_cast<Cycle>(between)); }
  // By how much far lines have taken longer so far than those at home in the SM's partition, mean.
  double far_longer() const { return far_.first / far_.second - near_.first / near_.second; }

 private:
  static constexpr std::uint64_t kSms = 132, kSmsOfFirst = 64, kPieceLines = 4;  // kSmsOfFirst: beside partition 0
  struct Warp {
    std::uint64_t sm = 0, piece = 0, lines_out = 0;
    Cycle began = 0, ready = 0;
  };

  std::uint64_t line(std::uint64_t piece, std::uint64_t i) const {
    if (order_ == "lines") return piece % pieces_ * kPieceLines + i;
    const auto one = static_cast<std::uint32_t>((piece * kPieceLines + i) * 2654435761U);
    return (one ^ static_cast<std::uint32_t>(piece * 2246822519U)) % (pieces_ * kPieceLines);
  }

  Seen go(Cycle cycles, std::uint64_t end_piece, Cycle between) {
    const auto warps = static_cast<std::uint64_t>(depth_.warps);
    const auto loads = static_cast<std::uint64_t>(depth_.loads);
    const std::uint64_t step = kSms * warps;
    std::vector<Cycle> sent(kSms);
    std::vector<Warp> all(kSms * warps);
    const Cycle begin = now_;
    const Cycle settled = cycles / 4;
    double done = 0, turns = 0, waited = 0;
    std::function<void(Warp&, Cycle)> turn;
    const auto has_all = [&](Warp& warp) {
      now_ = std::max(now_, warp.ready);
      if (warp.ready - begin > cycles) return;
      if (warp.ready - begin > settled) done += 1;
      turns += 1;
      waited += static_cast<double>(warp.ready - warp.began);
      warp.piece += loads * step;
      loop_.at(warp.ready + between, [&](Cycle time) { turn(warp, time); });
    };
    const auto load = [&](Warp& warp, std::uint64_t n, Cycle time) {
      MemoryRequest request;
      request.time = time;
      request.sm = static_cast<std::uint16_t>(warp.sm);
      request.line = LineAddress::numbered(line(warp.piece + n / kPieceLines * step, n % kPieceLines));
      request.sectors = SectorMask::all();
      auto& way = hash_.home_partition(request.line) == (warp.sm < kSmsOfFirst ? 0 : 1) ? near_ : far_;
      loop_.load(request, [&, time](Cycle there) {
        way.first += static_cast<double>(there - time);
        way.second += 1;
        warp.ready = std::max(warp.ready, there);
        if (--warp.lines_out == 0) has_all(warp);
      });
    };
    turn = [&](Warp& warp, Cycle time) {
      if (warp.piece >= end_piece) return;
      warp.began = time;
      warp.lines_out = loads * kPieceLines;
      for (std::uint64_t n = 0; n < loads * kPieceLines; ++n) {
        sent[warp.sm] = std::max(sent[warp.sm] + 2, time);
        loop_.at(sent[warp.sm], [&, n](Cycle leaves) { load(warp, n, leaves); });
      }
    };
    for (std::uint64_t i = 0; i < all.size(); ++i) {
      all[i].sm = i / warps;
      all[i].piece = i;
      loop_.at(now_ + static_cast<Cycle>((i / warps * 7 + i % warps * 13) % 200),
               [&, i](Cycle time) { turn(all[i], time); });
    }
    loop_.run();
    now_ += 2000;
    return {done * static_cast<double>(loads * kPieceLines * kLineBytes) / static_cast<double>(cycles - settled),
            waited / turns};
  }

  std::string order_;
  Depth depth_;
  AddressHash hash_{gpu("h200")};
  ClosedLoop loop_;
  std::pair<double, double> near_, far_;  // cycles, lines
  std::uint64_t pieces_;
  Cycle now_ = 0;
};

// Of loads that device memory serves; what the SM adds to them is what it adds to those that L2 serves.
Seen modelled(const std::string& order, Depth depth, const std::vector<std::string>& changes = {}) {
  const auto between = [&](const Seen& seen) {
    return depth.warps * depth.loads * 512 * 132 / seen.rate - seen.latency;
  };
  const Cycle cycles = depth.loads == 1 ? 1 << 14 : 1 << 15;
  double sm = 0;
  if (depth.loads == 1) {
    const Seen near = measured("lines", 16, depth);
    Chip chip("lines", 16, depth, changes);
    chip.warm();
    sm = near.latency - chip.load(cycles, between(near)).latency;
  }
  Seen seen = Chip(order, 512, depth, changes).load(cycles, between(measured(order, 512, depth)) + sm);
  seen.latency += sm;
  return seen;
}

}  // namespace

TEST_CASE("loads from device memory wait as long as on hardware, with few lines under way and with many") {
  for (const char* order : {"lines", "scattered"})
    for (const int warps : {8, 32}) {
      CAPTURE(order);
      CAPTURE(warps);
      CHECK(modelled(order, {warps, 1}).latency ==
            doctest::Approx(measured(order, 512, {warps, 1}).latency).epsilon(0.05));
    }
}

TEST_CASE("with enough lines under way device memory reads at the rate of its bus, in order and at random") {
  for (const char* order : {"lines", "scattered"}) {
    CAPTURE(order);
    CHECK(modelled(order, {32, 4}).rate == doctest::Approx(measured(order, 512, {32, 4}).rate).epsilon(0.05));
  }
}

TEST_CASE("lines of the other partition wait no less for device memory than those at home") {
  // gpu/measured/h200/read_waits.csv: with 8 and 32 warps of each SM far loads take 189 and 251 cycles longer.
  const auto longer = [](int warps) {
    Chip chip("lines", 512, {warps, 1});
    chip.load(1 << 15, 100);
    return chip.far_longer();
  };
  const double few = longer(8), many = longer(32);
  CHECK(few > 170);
  CHECK(many > 0.95 * few);
}

TEST_CASE("what makes loads wait") {
  const Depth deep = {32, 1};
  const double in_order = modelled("lines", deep).latency, at_random = modelled("scattered", deep).latency;
  // One bus of four times the rate in place of four.
  CHECK(modelled("lines", deep, {"hbm.pseudo_channels=1"}).latency < 0.97 * in_order);
  CHECK(modelled("scattered", deep, {"hbm.row_cycle_ns=1"}).latency < 0.95 * at_random);
  CHECK(modelled("scattered", deep, {"hbm.refresh_ns=0"}).latency < 0.9 * at_random);
  CHECK(modelled("lines", {32, 4}, {"hbm.burst_gap_ns=0.5"}).rate < 0.95 * modelled("lines", {32, 4}).rate);
}
