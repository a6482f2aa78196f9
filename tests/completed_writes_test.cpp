// Sectors written in part that leave L2: what they lack is fetched, and then they wait to be written.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <string>

#include "engine_runs.h"
#include "microbench.h"
#include "models/address_hash.h"
#include "models/hbm.h"
#include "sass_runs.h"

using namespace tilescope;
using namespace tilescope::test;

namespace {

constexpr Tick kLater = 5000 * kCycle;
const SectorMask kOne(1), kPair(3), kAll = SectorMask::all();

// Lines of one pseudo channel, and of one place of one bank.
LineAddress of_one_channel(const AddressHash& hash, int index) {
  const std::uint64_t part = hash.pseudo_channel(LineAddress::numbered(0));
  std::uint64_t line = 0;
  for (int found = 0;; ++line) {
    if (hash.pseudo_channel(LineAddress::numbered(line)) == part && found++ == index)
      return LineAddress::numbered(line);
  }
}

// When the last of `reads` reads of the channel has its data that come `apart` cycles after one another.
Tick last_read(Hbm& hbm, const AddressHash& hash, int reads, Tick apart) {
  Tick last;
  for (int i = 0; i < reads; ++i) last = std::max(last, hbm.lookup(of_one_channel(hash, i % 8), kAll, i * apart).ready);
  return last;
}

}  // namespace

TEST_CASE("a line that is not whole yet takes no turn among the reads before it is") {
  const GpuSpec spec = gpu("h200", {"hbm.refresh_ns=0"});
  const AddressHash hash(spec);
  const auto last = [&](auto&& write) {
    Hbm hbm(spec, hash);
    write(hbm);
    return last_read(hbm, hash, 8, 10 * kCycle);
  };
  const LineAddress line = of_one_channel(hash, 0);
  const Tick alone = last([](Hbm&) {});
  CHECK(last([&](Hbm& hbm) { hbm.accept_when_whole(line, kAll, kLater, Tick()); }) == alone);
  // Written at once the bus turns before the first read and back again.
  CHECK(last([&](Hbm& hbm) { hbm.accept(line, kAll, Tick()); }) > alone);
  CHECK(last([&](Hbm& hbm) { hbm.accept_when_whole(line, kAll, Tick(), Tick()); }) > alone);
}

TEST_CASE("what is completed is counted when it leaves, and keeps the bus behind what came before it") {
  const GpuSpec spec = gpu("h200", {"hbm.refresh_ns=0"});
  const AddressHash hash(spec);
  Hbm hbm(spec, hash);
  const LineAddress line = of_one_channel(hash, 0);
  const Tick whole = hbm.complete(line, kOne, Tick());
  hbm.accept_when_whole(line, kPair, whole, Tick());
  CHECK(hbm.counters().read_bytes == 32);
  CHECK(hbm.counters().write_bytes == 64);
  const Tick behind = hbm.lookup(of_one_channel(hash, 1), kAll, whole).ready;
  Hbm idle(spec, hash);
  idle.complete(line, kOne, Tick());
  CHECK(behind > idle.lookup(of_one_channel(hash, 1), kAll, whole).ready);
}

// counted_strided_stores: of whole sectors 64 bytes apart 43.8 a cycle leave for device memory (H200), more than its
// bus could move if each took 64 bytes.
TEST_CASE("a sector that is written or completed keeps the bus for a sector, one that is read for a fetch") {
  const GpuSpec spec = gpu("h200", {"hbm.refresh_ns=0", "hbm.activate_ns=0.01", "hbm.row_cycle_ns=1"});
  const AddressHash hash(spec);
  constexpr int kLines = 256;
  const auto time = [&](SectorMask sectors, bool complete) {
    Hbm hbm(spec, hash);
    Tick last;
    for (int i = 0; i < kLines; ++i) {
      const LineAddress line = of_one_channel(hash, i % 8);
      last = std::max(last, complete ? hbm.complete(line, sectors, Tick()) : hbm.lookup(line, sectors, Tick()).ready);
    }
    return static_cast<double>(last.count());
  };
  CHECK(time(kOne, true) < 0.65 * time(kPair, true));
  CHECK(time(kOne, false) == doctest::Approx(time(kPair, false)).epsilon(0.01));
}

TEST_CASE("a word of each line and more takes as long to store as on hardware") {
  const std::string root = TILESCOPE_SOURCE_DIR "/gpu/measured/h200/";
  const SassScratch scratch;
  for (const int stride : {128, 512}) {
    const std::string row = fmt::format("counted_strided_stores,bytes=4;stride={},", stride);
    std::ifstream measured(root + "strided_stores_counted.csv");
    double there = 0;
    for (std::string line; std::getline(measured, line);)
      if (line.starts_with(row)) there = std::stod(line.substr(row.size()));
    REQUIRE(there > 0);
    // The same stores in a training program.
    const auto kernel = sass_kernel(scratch.write(
        "stores.yaml",
        fmt::format(
            "kernel: {{sass: {}programs/stores/code/e831b78f6797f4d7-20.sass.zst, name: _Z12fill_stridedPffii}}\n"
            "grid: [8192]\nblock: [256]\nargs: [{{buffer: 1GiB}}, 1084227584, {}, 2097152]\n",
            root, stride / 4)));
    const Cycle here = run(gpu("h200"), *kernel, Mode::timing).cycles;
    check_figure(fmt::format("each {} bytes", stride), there, static_cast<double>(here), 12);
  }
}
