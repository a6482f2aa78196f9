// How long single loads of device memory wait while all SMs store or copy: the memory system alone, with the requests
// of gpu/microbench/waits_beside.cu, against gpu/measured/h200/waits_beside.csv.
#include <doctest/doctest.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "closed_loop.h"
#include "engine_runs.h"
#include "measured_value.h"
#include "models/address_hash.h"

using namespace tilescope;
using namespace tilescope::test;

namespace {

constexpr std::uint64_t kSms = 132, kSmsOfFirst = 64, kOthers = 16;  // kSmsOfFirst: beside partition 0
constexpr std::uint64_t kPieceLines = 4, kPieceBytes = kPieceLines * kLineBytes, kBufferLines = 1U << 22U;
enum class Beside { none, write, copy };

double measured_longer(const std::string& beside, int rate) {
  return measured_value("h200", "waits_beside",
                        "beside=" + beside + ";order=inorder;asked=" + std::to_string(rate) + ";home=near,mean") -
         measured_value("h200", "waits_beside", "beside=none;order=inorder;asked=1;home=near,mean");
}

// All SMs of an H200. One warp of each loads a line anywhere, and the next when it has it; 16 others store, or load and
// store, the next piece of a buffer, each after a pause.
class Chip {
 public:
  Chip(Beside beside, double rate, const std::vector<std::string>& changes)
      : beside_(beside), pause_(kSms * kOthers * kPieceBytes / std::max(rate, 1.0)), loop_(gpu("h200", changes)) {}

  // Cycles of near loads, mean.
  double wait() {
    if (beside_ != Beside::none) fill();
    for (std::uint64_t sm = 0; sm < kSms; ++sm) {
      loop_.at(kFilled + 10'000 + static_cast<Cycle>(sm % 97), [this, sm](Cycle time) { load(sm, 0, time); });
      for (std::uint64_t i = 0; i < kOthers && beside_ != Beside::none; ++i) {
        const double start = kFilled + pause_ * static_cast<double>(i * kSms + sm) / (kSms * kOthers);
        loop_.at(static_cast<Cycle>(start),
                 [this, sm, i, start](Cycle time) { step(sm, sm * kOthers + i, start, time); });
      }
    }
    loop_.run(kEnd + 5'000);
    return sum_ / count_;
  }

 private:
  static constexpr Cycle kFilled = 75'000, kSettled = kFilled + 20'000, kEnd = kSettled + 40'000;

  static LineAddress line(std::uint64_t buffer, std::uint64_t number) {
    return LineAddress::numbered(buffer * kBufferLines + number % kBufferLines);
  }
  static MemoryRequest request(std::uint64_t sm, LineAddress line, Cycle time) {
    MemoryRequest result;
    result.time = time;
    result.sm = static_cast<std::uint16_t>(sm);
    result.line = line;
    result.sectors = result.whole = SectorMask::all();
    return result;
  }
  void store(std::uint64_t sm, std::uint64_t piece, Cycle time) {
    for (std::uint64_t i = 0; i < kPieceLines; ++i)
      loop_.at(time + 4 * static_cast<Cycle>(i), [this, sm, to = line(1, piece * kPieceLines + i)](Cycle now) {
        MemoryRequest one = request(sm, to, now);
        one.kind = RequestKind::write;
        loop_.memory.serve(one);
      });
  }
  // L2 is full of what was stored.
  void fill() {
    constexpr std::uint64_t kPieces = kFilled * 1'000 / kPieceBytes;
    for (std::uint64_t i = 0; i < kPieces; ++i)
      loop_.at(static_cast<Cycle>(i * kPieceBytes / 1'000),
               [this, i](Cycle time) { store(i / kOthers % kSms, kBufferLines / kPieceLines / 2 + i, time); });
  }
  void load(std::uint64_t sm, std::uint64_t number, Cycle time) {
    if (time > kEnd) return;
    const LineAddress from = line(2, static_cast<std::uint32_t>((sm * 400 + number) * 2654435761U) >> 10U);
    const bool near = hash_.home_partition(from) == (sm < kSmsOfFirst ? 0U : 1U);
    loop_.load(request(sm, from, time), [this, sm, number, time, near](Cycle ready) {
      if (near && time > kSettled) {
        sum_ += static_cast<double>(ready - time);
        count_ += 1;
      }
      loop_.at(ready + 40, [this, sm, number](Cycle next) { load(sm, number + 1, next); });
    });
  }
  void step(std::uint64_t sm, std::uint64_t piece, double planned, Cycle time) {
    if (time > kEnd) return;
    const auto again = [this, sm, piece, next = planned + pause_](Cycle now) {
      loop_.at(std::max(now + 1, static_cast<Cycle>(next)),
               [this, sm, piece, next](Cycle then) { step(sm, piece + kSms * kOthers, next, then); });
    };
    if (beside_ == Beside::write) {
      store(sm, piece, time);
      again(time);
      return;
    }
    auto left = std::make_shared<std::uint64_t>(kPieceLines);
    for (std::uint64_t i = 0; i < kPieceLines; ++i)
      loop_.load(request(sm, line(0, piece * kPieceLines + i), time), [this, sm, piece, again, left](Cycle ready) {
        if (--*left > 0) return;
        loop_.at(ready, [this, sm, piece, again](Cycle now) {
          store(sm, piece, now);
          again(now);
        });
      });
  }

  Beside beside_;
  double pause_;
  AddressHash hash_{gpu("h200")};
  ClosedLoop loop_;
  double sum_ = 0, count_ = 0;
};

double longer(Beside beside, double rate, const std::vector<std::string>& changes = {}) {
  return Chip(beside, rate, changes).wait() - Chip(Beside::none, 0, changes).wait();
}

}  // namespace

TEST_CASE("loads wait for the turns of writes as long as on hardware") {
  for (const int rate : {400, 1000}) {
    CAPTURE(rate);
    CHECK(longer(Beside::write, rate) == doctest::Approx(measured_longer("write", rate)).epsilon(0.3));
  }
  for (const int rate : {200, 400, 600}) {
    CAPTURE(rate);
    CHECK(longer(Beside::copy, rate) == doctest::Approx(measured_longer("copy", rate)).epsilon(0.3));
  }
}

TEST_CASE("a bus that turns at once makes them wait hardly") {
  CHECK(longer(Beside::copy, 400, {"hbm.turnaround_ns=0"}) < 0.4 * measured_longer("copy", 400));
}
