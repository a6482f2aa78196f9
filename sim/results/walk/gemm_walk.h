// One output of a small GEMM, followed through its kernel phase by phase: which lanes load which elements, the
// barriers, the products, the value so far. Which lane touches what comes from the kernel's own instruction stream and
// addresses; only the numbers in A and B are made up: 1, 2, 3, ... row by row.
#pragma once

#include <cstdint>
#include <string>
#include <tl/expected.hpp>
#include <vector>

#include "models/isa/kernel.h"

namespace tilescope {

struct Element {
  std::int64_t row = 0, column = 0;
  auto operator<=>(const Element&) const = default;
};

struct LoadedElement {
  int warp = 0, lane = 0;
  Element element;
};

// What the CTA reads from A or from B in one phase.
struct PhaseLoad {
  char matrix = 'A';
  std::vector<LoadedElement> lanes;  // by warp and lane
  Element first, last;               // corners of what is loaded
  bool to_shared = false;            // kept in shared memory, for all threads of the CTA
};

struct Product {
  std::int64_t k = 0;
  double a = 0, b = 0;
};

struct Phase {
  std::vector<PhaseLoad> loads;   // A before B
  int barriers_before = 0;        // between the loads and the products
  std::vector<Product> products;  // of the output that is followed
  int barriers_after = 0;
  double value = 0;  // of the output behind the phase
};

struct GemmWalk {
  std::string kernel;
  std::int64_t m = 0, n = 0, k = 0;
  Dim3 grid, block;
  Element output;
  std::int64_t cta_x = 0, cta_y = 0;  // the one that makes the output
  int warp = 0, lane = 0;
  std::vector<Phase> phases;
  // Elements of A and B that the threads of the whole launch load from global memory.
  std::int64_t loaded_elements = 0;

  double a(Element e) const { return static_cast<double>(e.row * k + e.column + 1); }
  double b(Element e) const { return static_cast<double>(e.row * n + e.column + 1); }
};

// A launch to walk through has at most so many threads in a CTA, multiply-adds per output, and CTAs.
inline constexpr std::int64_t kWalkThreads = 256, kWalkDepth = 64, kWalkCtas = 256;

// Of gemm_naive and gemm_tiled. A sentence when the kernel is another, too large, or has no such output.
tl::expected<GemmWalk, std::string> walk_gemm(const Kernel& kernel, Element output);

}  // namespace tilescope
