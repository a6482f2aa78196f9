// The kernels that tutorials teach (gpu/measured/*/families): every launch can be simulated, and what does not depend
// on time is counted as on the hardware. Held here on the smaller training launches; tools/accuracy-captured families
// asks for all.
#include <doctest/doctest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>

#include "cli_answer.h"

namespace {

// Training launches of an H200, with at most `instructions` warp instructions, of kernels that match.
nlohmann::json counted(const std::string& instructions, const std::string& kernels) {
  std::filesystem::current_path(TILESCOPE_SOURCE_DIR);
  const std::string bundle = "gpu/measured/h200/families/train";
  const CliAnswer answer = ask({"compare",
                                "--gpu",
                                "h200",
                                "--mode",
                                "counts",
                                "--format",
                                "json",
                                "--max-instructions",
                                instructions,
                                "--kernels",
                                kernels,
                                "--bundle",
                                bundle,
                                "--measured",
                                bundle + ".csv",
                                "--metric",
                                "smsp__inst_executed.sum",
                                "smsp__inst_executed_op_ldgsts.sum",
                                "smsp__inst_executed_op_ldsm.sum",
                                "smsp__inst_executed_op_global_ld.sum",
                                "smsp__inst_executed_op_global_st.sum",
                                "smsp__inst_executed_op_shared_ld.sum",
                                "smsp__inst_executed_op_shared_st.sum",
                                "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum",
                                "l1tex__t_requests_pipe_lsu_mem_global_op_st.sum",
                                "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum",
                                "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum",
                                "derived.shared_ld_wavefronts_less_conflicts",
                                "l1tex__m_xbar2l1tex_read_sectors.sum"});
  REQUIRE_MESSAGE(answer.code == 0, answer.err);
  return nlohmann::json::parse(answer.out)["cases"];
}

constexpr const char* kBroughtFromL2 = "l1tex__m_xbar2l1tex_read_sectors.sum";

void check_equal(const nlohmann::json& cases) {
  for (const nlohmann::json& one : cases) {
    CAPTURE(one["case"].get<std::string>());
    CHECK(one["metrics"].size() == 13);
    for (const auto& [metric, value] : one["metrics"].items()) {
      CAPTURE(metric);
      if (metric != kBroughtFromL2) CHECK(value["predicted"] == value["measured"]);
    }
  }
}

}  // namespace

TEST_CASE("every launch of the tutorials' kernels can be simulated") {
  std::filesystem::current_path(TILESCOPE_SOURCE_DIR);
  const std::pair<const char*, const char*> sets[] = {{"train", "81 launches can be simulated"},
                                                      {"holdout", "126 launches can be simulated"}};
  for (const std::string gpu : {"h200", "h100"})
    for (const auto& [set, says] : sets) {
      const CliAnswer answer = ask({"bundle", "check", "gpu/measured/" + gpu + "/families/" + set});
      CAPTURE(gpu);
      REQUIRE_MESSAGE(answer.code == 0, answer.err);
      CHECK(answer.out.find(says) != std::string::npos);
      CHECK(answer.out.find("refused") == std::string::npos);
    }
}

TEST_CASE("instructions, requests, sectors and wavefronts of the tutorials' kernels equal the hardware's") {
  const nlohmann::json small = counted("2.5e6", ".");
  CHECK(small.size() == 20);
  check_equal(small);
  const nlohmann::json large = counted("7.5e6", "gemm_warp|attention_(scores|values|flash)");
  CHECK(large.size() == 7);
  check_equal(large);
  std::set<std::string> kernels;
  for (const nlohmann::json* set : {&small, &large})
    for (const nlohmann::json& one : *set) {
      const auto name = one["case"].get<std::string>();
      kernels.insert(name.substr(name.find(' ') + 1));
    }
  CHECK(kernels == std::set<std::string>{"attention_flash", "attention_scores", "attention_tensor", "attention_values",
                                         "convolution_direct", "convolution_shared", "gemm_grouped", "gemm_warp",
                                         "layer_norm", "reduction", "softmax"});
}

// models/copy_footprint.h
TEST_CASE("copies past L1 into padded rows read what the hardware reads, half a sector off") {
  const nlohmann::json cases = counted("2e6", "gemm_grouped");
  REQUIRE(cases.size() == 6);
  std::set<double> brought;
  for (const nlohmann::json& one : cases) {
    CHECK(one["metrics"][kBroughtFromL2]["predicted"] == one["metrics"][kBroughtFromL2]["measured"]);
    brought.insert(one["metrics"][kBroughtFromL2]["measured"].get<double>());
  }
  CHECK(brought == std::set<double>{524288, 786432});
}
