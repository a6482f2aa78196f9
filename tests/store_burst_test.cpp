// Stores of all SMs at a time, against gpu/measured/<gpu>/stores_microbench.csv: the microbenchmark's own code. L2
// takes them up more slowly than SMs send them, and holds the SMs up.
#include <doctest/doctest.h>

#include <cmath>
#include <fstream>
#include <string>
#include <vector>

#include "engine_runs.h"
#include "models/l2_partition.h"
#include "sass_runs.h"

using namespace tilescope;
using namespace tilescope::test;

namespace {

constexpr int kWarps = 8;  // as gpu/microbench/store_burst.cu

struct Stores {
  int piece, sms, from, to;  // stores of a warp in the two cases whose difference is looked at
};

double measured(const std::string& gpu_name, const Stores& stores) {
  const auto cycles = [&](int count) {
    const std::string row = "store_burst,piece=" + std::to_string(stores.piece) + ";sms=" + std::to_string(stores.sms) +
                            ";stores=" + std::to_string(count * kWarps) + ",cycles,";
    std::ifstream file(TILESCOPE_SOURCE_DIR "/gpu/measured/" + gpu_name + "/stores_microbench.csv");
    for (std::string line; std::getline(file, line);)
      if (line.starts_with(row)) return std::stod(line.substr(row.size()));
    FAIL("no row: " << row);
    return 0.0;
  };
  return (cycles(stores.to) - cycles(stores.from)) / (kWarps * (stores.to - stores.from));
}

// Cycles of an SM for a store of a warp.
double predicted(const std::string& gpu_name, const Stores& stores, const std::vector<std::string>& changes = {}) {
  const auto cycles = [&](int count) {
    const SassScratch scratch;
    const std::string file =
        scratch.write("burst.yaml", "kernel: {sass: " + sass_data + "store_burst.sm_90.sass.zst, elf: " + sass_data +
                                        "store_burst.sm_90.elf, name: store_burstILj" + std::to_string(stores.piece) +
                                        "E}\ngrid: [" + std::to_string(stores.sms) +
                                        "]\nblock: [256]\ndynamic_smem: 122880\n" + "args: [{buffer: 32MiB}, " +
                                        std::to_string(count) + ", {buffer: 1KiB, init: iota}, {buffer: 1KiB}]\n");
    double sum = 0;
    const auto outcome = run(gpu(gpu_name, changes), *sass_kernel(file), Mode::timing, Sample::off, 2);
    for (const FinishedCta& cta : outcome.timeline) sum += static_cast<double>(cta.end - cta.start);
    return sum / stores.sms;
  };
  return (cycles(stores.to) - cycles(stores.from)) / (kWarps * (stores.to - stores.from));
}

}  // namespace

TEST_CASE("stores of one SM leave at the SM's rate, of all SMs at L2's") {
  for (const Stores& stores : {Stores{128, 1, 128, 512}, Stores{32, 1, 128, 512}, Stores{4, 1, 32, 128},
                               Stores{128, 132, 128, 512}, Stores{32, 132, 128, 512}, Stores{4, 132, 32, 128}}) {
    for (const char* name : {"h100", "h200"}) {
      CAPTURE(name);
      CAPTURE(stores.piece);
      CAPTURE(stores.sms);
      CHECK(predicted(name, stores) == doctest::Approx(measured(name, stores)).epsilon(0.15));
    }
  }
}

TEST_CASE("an SM sends some 200 lines before L2 holds it up") {
  const Stores first{128, 132, 4, 24}, next{128, 132, 32, 64};  // measured: 3.0 and 7.7 cycles
  CHECK(predicted("h100", first) < 4.5);
  CHECK(predicted("h100", first, {"lsu.stores_under_way=168"}) > 5);
  CHECK(predicted("h100", next) == doctest::Approx(measured("h100", next)).epsilon(0.15));
}

TEST_CASE("without a limit to stores on their way SMs send more than L2 takes up") {
  const Stores all{128, 132, 128, 512};
  CHECK(predicted("h100", all, {"lsu.stores_under_way=65536"}) < 0.8 * predicted("h100", all));
}

TEST_CASE("lines that L2 has are written at the rate at which it is read") {
  const Stores all{128, 132, 128, 512};
  CHECK(predicted("h100", all, {"l2.slice_bytes_per_cycle=32"}) > 1.1 * predicted("h100", all));
}

TEST_CASE("a line that L2 has only read is stored to as slowly as a new one, and faster from the second time on") {
  const GpuSpec h200 = gpu("h200");
  const AddressHash hash(h200);
  L2Partition l2(h200, hash, 0);
  const LineAddress line = LineAddress::numbered(4);
  const SectorMask all = SectorMask::all();
  const Tick fresh = l2.least_passed_on(line, all);
  l2.fill(line, all, Tick());
  CHECK(l2.least_passed_on(line, all) == fresh);
  l2.write(line, all);
  CHECK(l2.least_passed_on(line, all) < fresh);
  const LineAddress copy = LineAddress::numbered(5);
  l2.keep(copy, all);
  CHECK(l2.least_passed_on(copy, all) < fresh);
}
