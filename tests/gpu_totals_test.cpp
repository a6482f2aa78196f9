#include "models/gpu_totals.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "cli_answer.h"

using namespace tilescope;

namespace {

// The published figures of an A100-40, as far as they go.
GpuSpec a100() {
  GpuSpec gpu;
  gpu.clock = {1410, 1410};
  gpu.sm.gpcs = {16, 16, 16, 16, 16, 14, 14};
  gpu.sm.sub_partitions = 4;
  gpu.sm.registers = 65536;
  gpu.pipes.fma_lanes = 16;
  gpu.pipes.tensor_fma_per_cycle = 256;
  gpu.l1.size_kib = 192;
  gpu.crossbar.sm_read_bytes_per_cycle = 64;
  gpu.l2.size_mib = 40;
  gpu.l2.slices = 80;
  gpu.l2.slice_bytes_per_cycle = 64;
  gpu.l2.partitions = 2;
  gpu.fabric.bytes_per_cycle = 1000;
  gpu.hbm.bandwidth_gbs = 1555;
  return gpu;
}

}  // namespace

TEST_CASE("an A100's totals are the published ones") {
  const GpuTotals totals = gpu_totals(a100());
  CHECK(totals.sms == 108);
  CHECK(totals.fp32_flops / 1e12 == doctest::Approx(19.5).epsilon(0.002));
  CHECK(totals.tensor_fp16_flops / 1e12 == doctest::Approx(312).epsilon(0.002));
  CHECK(totals.registers_bytes == 27 * 1024 * 1024);
  CHECK(totals.l2_bytes == 40.0 * 1024 * 1024);
  CHECK(totals.shared_gbs == doctest::Approx(19492).epsilon(0.001));
  CHECK(totals.l2_gbs == doctest::Approx(7219).epsilon(0.001));
  CHECK(totals.ridge_flop_per_byte == doctest::Approx(12.5).epsilon(0.01));
}

TEST_CASE("every total has a label, a unit and a key of its own") {
  std::vector<std::string_view> keys;
  for (const GpuTotal& field : gpu_total_fields()) {
    CHECK(!field.label.empty());
    CHECK(!field.unit.empty());
    CHECK(std::find(keys.begin(), keys.end(), field.key) == keys.end());
    keys.push_back(field.key);
  }
}

TEST_CASE("config show --resolved ends with the totals, as comments or as an object") {
  const CliAnswer text = ask({"config", "show", "--resolved", "h200"});
  REQUIRE(text.code == 0);
  const std::size_t at = text.out.find("\n# Derived totals");
  REQUIRE(at != std::string::npos);
  CHECK(text.out.find("#   FP32 peak ", at) != std::string::npos);
  CHECK(text.out.find("#   HBM                           4915 GB/s", at) != std::string::npos);
  const auto json = nlohmann::json::parse(ask({"config", "show", "--resolved", "h200", "--format", "json"}).out);
  CHECK(json["derived"]["sms"] == 132);
  CHECK(json["derived"]["l2_bytes"] == 61603840);
  CHECK(!nlohmann::json::parse(ask({"config", "show", "h200", "--format", "json"}).out).contains("derived"));
}
