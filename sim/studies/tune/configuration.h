// What `tilescope tune` chooses among: one way to compute a matrix product, C (M x N) = A (M x K) * B (K x N).
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <tl/expected.hpp>
#include <utility>
#include <vector>

#include "models/isa/kernel.h"

namespace tilescope::tune {

struct Problem {
  std::int64_t m = 0, n = 0, k = 0;
  std::string dtype = "f32";  // one of dtypes()

  double flop() const { return 2.0 * static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(k); }
};

// "f32", "f16", "bf16", "tf32": of A and B; sums are FP32.
const std::vector<std::string>& dtypes();

struct Configuration {
  std::string family;                                           // "gemm_register"
  std::string word;                                             // a KERNEL, or the name of a compiled instance
  std::vector<std::pair<std::string, std::string>> parameters;  // without the problem's sizes: "bm" "64", ...
  std::string shape;        // equal for configurations that differ in nothing but the order in which CTAs take tiles
  std::int64_t step = 1;    // K is a multiple of it
  std::string store_label;  // as a store shows the kernel, and what names its results there
  std::string store_identity;
  std::vector<std::pair<std::string, std::string>> store_parameters;

  // The launch, with another K than the problem's where asked: a multiple of `step`. The error is one sentence.
  std::function<tl::expected<std::unique_ptr<Kernel>, std::string>(std::int64_t k)> make;

  // Null: it has no such parameter.
  const std::string* parameter(const std::string& name) const;
};

// Why no configuration fits: for each of M, N and K that no tile divides, one sentence part with what would do.
class Misfits {
 public:
  // A configuration that was looked at: what M, N and K must be multiples of.
  void add(std::int64_t m, std::int64_t n, std::int64_t k);
  // "M: got 100; must be a multiple of 32, 64 or 128".
  std::string sentence(const Problem& problem, const std::string& of) const;

 private:
  std::vector<std::int64_t> m_, n_, k_;
};

}  // namespace tilescope::tune
