// In which order a pseudo channel serves the reads that wait for it.
#include "models/waiting_reads.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "closed_loop.h"
#include "engine_runs.h"
#include "measured_value.h"
#include "statistics.h"

using namespace tilescope;
using namespace tilescope::test;

namespace {

constexpr Tick kTurn = 10 * kCycle;

// `count` reads of which one comes every turn while `queue` wait. Returns the turn that each has in the end.
std::vector<Tick> turns(int count, int queue, const std::function<bool(std::uint32_t)>& may_be_put_off) {
  WaitingReads waiting;
  std::vector<Tick> all;
  for (int i = 0; i < count; ++i) {
    const Tick now = i * kTurn, last = now + queue * kTurn;
    WaitingReads::Read read{LineAddress::numbered(static_cast<std::uint64_t>(i)), 2, now, last,
                            static_cast<std::uint32_t>(i)};
    waiting.exchange(read, now, may_be_put_off,
                     [&](const WaitingReads::Read& other) { all[other.ticket] = other.turn; });
    all.push_back(read.turn);
  }
  return all;
}

double deviation(const std::vector<double>& values) { return std::sqrt(variance(values)); }

}  // namespace

TEST_CASE("reads that wait are served in no order, each turn once, none before it has come") {
  constexpr int kReads = 4000, kQueue = 40;
  std::vector<Tick> all = turns(kReads, kQueue, [](std::uint32_t) { return true; });
  std::vector<double> waits;
  for (int i = 0; i < kReads; ++i) {
    const Tick wait = all[static_cast<std::size_t>(i)] - i * kTurn;
    CHECK(wait > Tick());
    waits.push_back(static_cast<double>(wait / kTurn));
  }
  // Chosen at random of as many as wait: as the time between rare events, whose deviation is their mean.
  CHECK(deviation(waits) == doctest::Approx(kQueue).epsilon(0.1));
  std::ranges::sort(all);
  for (int i = 0; i < kReads; ++i) CHECK(all[static_cast<std::size_t>(i)] == (i + kQueue) * kTurn);
}

TEST_CASE("who cannot be told any more keeps its turn") {
  const std::vector<Tick> all = turns(1000, 40, [](std::uint32_t ticket) { return ticket % 2 == 0; });
  for (std::size_t i = 1; i < all.size(); i += 2) CHECK(all[i] <= static_cast<int>(i + 40) * kTurn);
  const std::vector<Tick> none = turns(1000, 40, [](std::uint32_t) { return false; });
  for (int i = 0; i < 1000; ++i) CHECK(none[static_cast<std::size_t>(i)] == (i + 40) * kTurn);
}

namespace {

double measured(const std::string& row) { return measured_value("h200", "read_waits", row); }

// Cycles that loads of four lines take, of near ones or far ones, with as many warps of each SM as `warps`, each of
// which has one under way (gpu/microbench/read_waits.cu).
std::vector<double> waits(int warps, bool far, const std::vector<std::string>& changes = {}) {
  constexpr Cycle kSettled = 10000, kEnd = 25000, kBetween = 100;
  constexpr std::uint64_t kSms = 132, kSmsOfFirst = 64;
  const GpuSpec spec = gpu("h200", changes);
  const AddressHash hash(spec);
  ClosedLoop loop(spec);
  struct Warp {
    std::uint64_t sm, piece;
    int lines_out;
    Cycle began, ready;
  };
  std::vector<Warp> all;
  std::vector<Cycle> sent(kSms);
  std::vector<double> result;
  std::function<void(Warp&, Cycle)> turn = [&](Warp& warp, Cycle time) {
    if (time >= kEnd) return;
    sent[warp.sm] = std::max(sent[warp.sm] + 8, time);
    loop.at(sent[warp.sm], [&, time](Cycle leaves) {
      warp.began = time;
      warp.lines_out = 4;
      const std::uint64_t first = 4 * warp.piece;
      const bool is_far = hash.home_partition(LineAddress::numbered(first)) != (warp.sm < kSmsOfFirst ? 0U : 1U);
      for (std::uint64_t i = 0; i < 4; ++i) {
        MemoryRequest request;
        request.time = leaves;
        request.sm = static_cast<std::uint16_t>(warp.sm);
        request.line = LineAddress::numbered(first + i);
        request.sectors = SectorMask::all();
        loop.load(request, [&, is_far](Cycle ready) {
          warp.ready = std::max(warp.ready, ready);
          if (--warp.lines_out > 0) return;
          if (warp.began > kSettled && is_far == far) result.push_back(static_cast<double>(warp.ready - warp.began));
          warp.piece += all.size();
          loop.at(warp.ready + kBetween, [&](Cycle next) { turn(warp, next); });
        });
      }
    });
  };
  for (std::uint64_t i = 0; i < kSms * static_cast<std::uint64_t>(warps); ++i)
    all.push_back({i / static_cast<std::uint64_t>(warps), i, 0, 0, 0});
  for (std::size_t i = 0; i < all.size(); ++i)
    loop.at(static_cast<Cycle>(i * 13 % 200), [&, i](Cycle time) { turn(all[i], time); });
  loop.run();
  std::ranges::sort(result);
  return result;
}

}  // namespace

TEST_CASE("loads of device memory scatter as on hardware, with few of them under way and with many") {
  for (const int warps : {32, 64})
    for (const bool far : {false, true}) {
      const std::string row =
          "piece=512;warps=" + std::to_string(warps) + ";home=" + (far ? std::string("far") : "near") + ",";
      CAPTURE(row);
      const std::vector<double> all = waits(warps, far);
      // What is measured has moments in which all wait.
      CHECK(deviation(all) > 0.75 * measured(row + "deviation"));
      CHECK(deviation(all) < 1.05 * measured(row + "deviation"));
      for (const int percent : {10, 50, 90})
        CHECK(all[all.size() * static_cast<std::size_t>(percent) / 100] ==
              doctest::Approx(measured(row + "p" + std::to_string(percent))).epsilon(0.16));
    }
  // In order of arrival they would not.
  CHECK(deviation(waits(64, false, {"hbm.read_queue=0"})) < 0.75 * deviation(waits(64, false)));
}
