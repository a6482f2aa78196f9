// Generators that take their code from compiled samples: the compiled kernel instruction by instruction where the shape
// was compiled, and from the nearest other shape as if it had not been.
#include <algorithm>

#include "same_as_compiled.h"
#include "traces/kernels/gemm_naive.h"

using namespace tilescope;
using namespace tilescope::test;

TEST_CASE("a compiled shape is generated as the compiler wrote it: every instruction, control code and address") {
  for (const char* family : {"gemm_register", "gemm_warp"})
    for (const std::string& function : compiled_functions(family)) {
      CAPTURE(function);
      const GemmRegisterSpec spec = register_spec(function, {512, 256, 96});
      const GemmRegister generated(spec);
      check_same(generated, *compiled_gemm(compiled_listing(family), function, generated, spec.problem, 1));
    }
  for (const std::string& function : compiled_functions("gemm_tiled")) {
    CAPTURE(function);
    const bool bounds = tiled_spec(function, {}).bounds;
    const auto sizes = bounds ? std::vector<GemmSize>{{100, 90, 70}, {64, 64, 224}, {1, 3, 2}}
                              : std::vector<GemmSize>{{64, 64, 224}, {64, 32, 32}, {32, 64, 96}};
    for (const GemmSize& size : sizes) {
      CAPTURE(size.k);
      const GemmTiledSpec spec = tiled_spec(function, size);
      const GemmTiled generated(spec);
      check_same(generated, *compiled_gemm(compiled_listing("gemm_tiled"), function, generated, spec.problem, {}));
    }
  }
  for (const std::string& function : compiled_functions("gemm_naive"))
    for (const GemmSize& size : {GemmSize{64, 64, 45}, {70, 50, 33}, {1, 9, 3}, {40, 3, 16}}) {
      CAPTURE(function);
      const GemmNaiveSpec spec{.problem = gemm_problem(size),
                               .block_x = 16,
                               .block_y = 8,
                               .lanes_along_rows = function.find("LanesE1E") != std::string::npos};
      const GemmNaive generated(spec);
      check_same(generated, *compiled_gemm(compiled_listing("gemm_naive"), function, generated, spec.problem, {}));
    }
}

namespace {

// Every compiled instance of double-buffered and of tensor-core tiles: visit(generated, compiled, architecture).
template <class Visit>
void for_each_copied_gemm(const std::vector<GemmSize>& sizes, const Visit& visit) {
  for (const int architecture : {80, 90})
    for (const GemmSize& size : sizes) {
      CAPTURE(architecture);
      CAPTURE(size.k);
      for (const std::string& function : compiled_functions("gemm_async", architecture)) {
        CAPTURE(function);
        const GemmAsyncSpec spec = async_spec(function, size, architecture);
        const GemmAsync generated(spec);
        visit(generated,
              *compiled_gemm(compiled_listing("gemm_async", architecture), function, generated, spec.problem, {}),
              architecture);
      }
      for (const std::string& function : compiled_functions("gemm_tensor", architecture)) {
        CAPTURE(function);
        const GemmTensorSpec spec = tensor_spec(function, size, architecture);
        const GemmTensor generated(spec);
        visit(generated,
              *compiled_gemm(compiled_listing("gemm_tensor", architecture), function, generated, spec.problem, {},
                             GemmTensorSpec::kHalf),
              architecture);
      }
    }
}

}  // namespace

TEST_CASE("copies that take turns in shared memory, and products of fragments, are generated as they were compiled") {
  int instances = 0;
  for_each_copied_gemm({{256, 128, 160}, {128, 256, 32}, {128, 128, 64}},
                       [&](const Kernel& generated, const Kernel& compiled, int architecture) {
                         check_same(generated, compiled, architecture);
                         ++instances;
                       });
  CHECK(instances == 3 * (6 + 3));
}

TEST_CASE(
    "double-buffered and tensor-core tiles: every metric of the compiled kernel, cycles too, on both kinds of GPU") {
  const GpuSpec a100 = gpu("a100");
  for_each_copied_gemm({{128, 128, 96}, {256, 128, 64}}, [&](const Kernel& generated, const Kernel& compiled, int) {
    for (const GpuSpec* spec : {&h200(), &a100}) {
      const auto here = metrics_of(*spec, generated), there = metrics_of(*spec, compiled);
      CHECK(here.size() > 90);
      CHECK(here == there);
    }
  });
}

TEST_CASE("double-buffered and tensor-core tiles: counting alone sees what the compiled kernel asks for") {
  for_each_copied_gemm({{256, 128, 160}}, [&](const Kernel& generated, const Kernel& compiled, int) {
    const auto here = asked_in_counts(generated), there = asked_in_counts(compiled);
    CHECK(here == there);
    CHECK(std::count(here.begin(), here.end(), 0) < static_cast<std::ptrdiff_t>(here.size()));
    CHECK(metrics_of(h200(), generated, Mode::counts) == metrics_of(h200(), compiled, Mode::counts));
  });
}

TEST_CASE(
    "a shape compiled later is generated as the compiler wrote it once its listing is there: nothing else is new") {
  for (const std::string& function : compiled_functions(later_listing("gemm_register"))) {
    CAPTURE(function);
    const GemmRegisterSpec spec = register_spec(function, {512, 512, 96});
    const GemmRegister generated(spec, function, &later_listing("gemm_register"));
    check_same(generated, *compiled_gemm(later_listing("gemm_register"), function, generated, spec.problem, 1));
  }
  for (const std::string& function : compiled_functions(later_listing("gemm_tiled"))) {
    CAPTURE(function);
    const GemmTiledSpec spec =
        tiled_spec(function, tiled_spec(function, {}).bounds ? GemmSize{100, 90, 70} : GemmSize{64, 64, 224});
    const GemmTiled generated(spec, function, &later_listing("gemm_tiled"));
    check_same(generated, *compiled_gemm(later_listing("gemm_tiled"), function, generated, spec.problem, {}));
  }
  for (const std::string& function : compiled_functions(later_listing("gemm_async"))) {
    CAPTURE(function);
    const GemmAsyncSpec spec = async_spec(function, {48, 96, 240});
    const GemmAsync generated(spec, function, &later_listing("gemm_async"));
    check_same(generated, *compiled_gemm(later_listing("gemm_async"), function, generated, spec.problem, {}));
  }
  for (const std::string& function : compiled_functions(later_listing("gemm_tensor"))) {
    CAPTURE(function);
    const GemmTensorSpec spec = tensor_spec(function, {128, 256, 192});
    const GemmTensor generated(spec, function, &later_listing("gemm_tensor"));
    check_same(generated, *compiled_gemm(later_listing("gemm_tensor"), function, generated, spec.problem, {},
                                         GemmTensorSpec::kHalf));
  }
}

TEST_CASE("a grouped raster costs the division that the compiled kernel makes for it") {
  const std::string function = compiled_functions("gemm_register").front();
  GemmRegisterSpec spec = register_spec(function, {1024, 256, 32});
  spec.problem.raster = Raster::grouped;
  spec.problem.group = 3;
  const GemmRegister generated(spec);
  check_same(generated, *compiled_gemm(compiled_listing("gemm_register"), function, generated, spec.problem, 3));
}

TEST_CASE("a shape whose own code is set aside asks for the same memory, from the code of the nearest other shape") {
  for (const std::string& function : compiled_functions("gemm_register")) {
    CAPTURE(function);
    check_without_itself<GemmRegister>(register_spec(function, {512, 512, 512}), function, 0.04);
  }
  // Whole passes of every unrolled loop; small tiles are mostly address arithmetic.
  for (const std::string& function : compiled_functions("gemm_tiled")) {
    CAPTURE(function);
    const GemmTiledSpec spec = tiled_spec(function, {512, 512, 512});
    check_without_itself<GemmTiled>(spec, function, spec.tile >= 32 ? 0.05 : 0.25);
  }
}

TEST_CASE("double-buffered and tensor-core tiles: a shape without its own code asks for the same memory") {
  for (const std::string& function : compiled_functions("gemm_async")) {
    CAPTURE(function);
    const GemmAsyncSpec spec = async_spec(function, {128, 128, 128});
    const std::string other = GemmAsync::nearest_sample(spec, function);
    CHECK(async_spec(other, {}).vector == spec.vector);
    check_without_itself<GemmAsync>(spec, function, 0.25);
  }
  for (const std::string& function : compiled_functions("gemm_tensor")) {
    CAPTURE(function);
    check_without_itself<GemmTensor>(tensor_spec(function, {256, 256, 256}), function, 0.25);
  }
}

TEST_CASE("code that nothing changes in stays as it is when it is reshaped") {
  // Another pad of the same layout: addresses move, no instruction does.
  const GemmSize size{64, 64, 64};
  const GemmTiled compiled({.problem = gemm_problem(size)}), padded({.problem = gemm_problem(size), .pad_b = 8});
  REQUIRE(compiled.code().size() == padded.code().size());
  for (std::size_t i = 0; i < compiled.code().size(); ++i) {
    CHECK(compiled.code()[i].op == padded.code()[i].op);
    CHECK(compiled.code()[i].stall == padded.code()[i].stall);
  }
}
