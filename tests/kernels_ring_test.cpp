// The generator of pipelined tensor-core tiles: the compiled kernel instruction by instruction where the shape was
// compiled, and from the nearest other shape, also one with other stages, as if it had not been.
#include <array>
#include <optional>
#include <set>

#include "models/occupancy.h"
#include "same_as_compiled.h"

using namespace tilescope;
using namespace tilescope::test;

namespace {

constexpr std::size_t kLoadRequests = kOpClasses;  // in asked_in_counts()

constexpr std::array kPipelinedFamilies{"gemm_pipelined", "gemm_grouped"};

// The launch that a generated ring stands for; `group`: of kernels that work out their raster.
std::unique_ptr<Kernel> compiled_ring(const CompiledListing& listing, const std::string& function,
                                      const GemmPipelined& generated, const GemmPipelinedSpec& spec, int group = 1) {
  const bool takes_group = function.find("gemm_grouped") != std::string::npos;
  return compiled_gemm(listing, function, generated, spec.problem, takes_group ? std::optional(group) : std::nullopt,
                       spec.element());
}

// Every compiled instance of pipelined tiles, with `steps` of K and as many tiles of C: visit(generated, compiled,
// spec).
template <class Visit>
void for_each_ring(int architecture, std::int64_t tiles_m, std::int64_t tiles_n, std::int64_t steps,
                   const Visit& visit) {
  CAPTURE(architecture);
  CAPTURE(steps);
  for (const char* family : kPipelinedFamilies)
    for (const std::string& function : compiled_functions(family, architecture)) {
      CAPTURE(function);
      GemmPipelinedSpec spec = pipelined_spec(function, {}, architecture);
      spec.problem = gemm_problem({tiles_m * spec.bm, tiles_n * spec.bn, steps * spec.bk});
      const GemmPipelined generated(spec, function);
      visit(generated, *compiled_ring(compiled_listing(family, architecture), function, generated, spec), spec);
    }
}

}  // namespace

TEST_CASE("a ring of stages is generated as it was compiled: fewer steps than stages, as many, and more") {
  std::set<int> stages;
  int instances = 0;
  for (const int architecture : {80, 90})
    for (const std::int64_t steps : {1, 2, 3, 5, 9})
      for_each_ring(architecture, 1, 2, steps,
                    [&](const GemmPipelined& generated, const Kernel& compiled, const GemmPipelinedSpec& spec) {
                      check_same(generated, compiled, architecture);
                      stages.insert(spec.stages);
                      ++instances;
                    });
  CHECK(stages == std::set{2, 3, 4, 5});
  CHECK(instances == 5 * (6 + 20));
}

TEST_CASE("a ring of stages: every metric of the compiled kernel, cycles too, on both kinds of GPU") {
  const GpuSpec a100 = gpu("a100");
  for (const int architecture : {80, 90})
    for_each_ring(architecture, 2, 2, 6,
                  [&](const GemmPipelined& generated, const Kernel& compiled, const GemmPipelinedSpec& spec) {
                    const bool fits = launch_problems(a100, cta_resources(generated.launch())).empty();
                    CHECK((fits || spec.stages * spec.stage_bytes() > 163 * 1024));
                    const GpuSpec& on = architecture == 80 && fits ? a100 : h200();
                    const auto here = metrics_of(on, generated), there = metrics_of(on, compiled);
                    CHECK(here.size() > 90);
                    CHECK(here == there);
                  });
}

TEST_CASE("a ring of stages: counting alone sees what the compiled kernel asks for, in L1 and in L2") {
  for_each_ring(90, 8, 4, 8, [&](const GemmPipelined& generated, const Kernel& compiled, const GemmPipelinedSpec&) {
    const auto here = metrics_of(h200(), generated, Mode::counts);
    CHECK(here.size() > 70);
    CHECK(here == metrics_of(h200(), compiled, Mode::counts));
  });
}

TEST_CASE("padded rings work their raster out as the compiled kernel does; permuted ones are given it") {
  for (const std::string& function : compiled_functions("gemm_grouped")) {
    CAPTURE(function);
    GemmPipelinedSpec spec = pipelined_spec(function, {8 * 128, 3 * 128, 256});
    spec.problem.raster = Raster::grouped;
    spec.problem.group = 3;
    const GemmPipelined generated(spec, function);
    check_same(generated, *compiled_ring(compiled_listing("gemm_grouped"), function, generated, spec, 3));
  }
  GemmPipelinedSpec spec{.problem = gemm_problem({1024, 512, 256})};
  const GemmPipelined in_rows(spec);
  spec.problem.raster = Raster::grouped;
  const GemmPipelined in_bands(spec);
  StreamCounter a(in_rows), b(in_bands);
  a.add_ctas(0, 32);
  b.add_ctas(0, 32);
  CHECK(a.total().global_store_sectors == b.total().global_store_sectors);
  CHECK(a.total().instructions() < b.total().instructions());
}

TEST_CASE("copies that are predicated off behind the last step, not branched around, are followed too") {
  const std::string function =
      "_ZN9tilescope3gpu14gemm_pipelinedILNS0_10TensorTypeE0ELi64ELi64ELi64ELi32ELi32ELi2EEEvPKcS4_P5uint2iii";
  CompiledListing listing = compiled_listing("gemm_pipelined");
  static std::string text = compiled_function_text(listing, function);  // is known by where it lies
  const auto replace = [&](const std::string& what, const std::string& by) {
    const std::size_t at = text.find(what);
    REQUIRE(at != std::string::npos);
    text.replace(at, what.size(), by);
  };
  replace("/*0b10*/ PLOP3.LUT P0", "/*0b10*/ PLOP3.LUT P6");
  replace("/*0b20*/ @P0 BRA 0xca0", "/*0b20*/ NOP");
  for (const char* copy : {"/*0c60*/ ", "/*0c70*/ ", "/*0c80*/ ", "/*0c90*/ "})
    replace(std::string(copy) + "LDGSTS", std::string(copy) + "@!P6 LDGSTS");
  listing.sass = text;
  for (const std::int64_t steps : {1, 2, 5}) {
    CAPTURE(steps);
    GemmPipelinedSpec spec = pipelined_spec(function, {64, 128, 32 * steps});
    const GemmPipelined generated(spec, function, &listing);
    const auto compiled = compiled_ring(listing, function, generated, spec);
    check_same(generated, *compiled);
    CHECK(asked_in_counts(generated) == asked_in_counts(*compiled));
    spec.stages = 4;  // the same with other stages
    const GemmPipelined restaged(spec, function, &listing);
    CHECK(asked_in_counts(restaged)[kLoadRequests] == asked_in_counts(generated)[kLoadRequests]);
  }
}

TEST_CASE("rings whose rows are permuted or padded read their fragments without a conflict") {
  for_each_ring(90, 1, 1, 4, [&](const GemmPipelined& generated, const Kernel&, const GemmPipelinedSpec&) {
    const auto& reads = run(h200(), generated, Mode::counts).sm.of(AccessKind::shared_load);
    CHECK(reads.wavefronts == reads.ideal);
    CHECK(reads.ideal > 0);
  });
}

TEST_CASE(
    "rings of stages: a shape without its own code asks for the same memory, whatever stages the code was made for") {
  int other_stages = 0;
  for (const std::int64_t steps : {1, 3, 8})
    for (const char* family : kPipelinedFamilies)
      for (const std::string& function : compiled_functions(family)) {
        CAPTURE(function);
        CAPTURE(steps);
        GemmPipelinedSpec spec = pipelined_spec(function, {});
        if (family == std::string("gemm_grouped") && !spec.padded) continue;
        spec.problem = gemm_problem({spec.bm, spec.bn, steps * spec.bk});
        const GemmPipelinedSpec other = pipelined_spec(GemmPipelined::nearest_sample(spec, function), {});
        CHECK(other.dtype == spec.dtype);
        CHECK(other.padded == spec.padded);
        other_stages += other.stages != spec.stages ? 1 : 0;
        check_without_itself<GemmPipelined>(spec, function, 0.25);
      }
  CHECK(other_stages > 30);
}

TEST_CASE("rings compiled later are generated as the compiler wrote them once their listing is there") {
  for (const char* family : kPipelinedFamilies)
    for (const std::string& function : compiled_functions(later_listing(family))) {
      CAPTURE(function);
      for (const std::int64_t steps : {1, 2, 9}) {
        CAPTURE(steps);
        GemmPipelinedSpec spec = pipelined_spec(function, {});
        spec.problem = gemm_problem({spec.bm, 2 * spec.bn, steps * spec.bk});
        const GemmPipelined generated(spec, function, &later_listing(family));
        const auto compiled = compiled_ring(later_listing(family), function, generated, spec);
        check_same(generated, *compiled);
        CHECK(asked_in_counts(generated) == asked_in_counts(*compiled));
      }
    }
}
