// The pipelined tensor-core GEMM as nvcc compiles it (gpu/kernels/gemm_pipelined.cuh): cp.async fills a ring of 2 to 5
// stages, each a tile of A and one of B, which ldmatrix and mma.sync read behind it. FP16, BF16, TF32 or INT8 inputs,
// sums of 32 bits; B comes transposed, N x K. A CTA owns a BM x BN tile of C, a warp WM x WN of it; a step of K is 64
// or 128 byte of each row. The 16-byte chunks of a row are permuted by XOR, or rows lie 16 byte further apart than they
// are long (gpu/kernels/gemm_grouped.cuh, which works out its raster itself).
//
// The code is that of the compiled instance of this shape (compiled_sample.h); of a shape that was not compiled, that
// of the nearest one of its type, reshaped (reshape.h), and where it has other stages, with these (ring.h).
#pragma once

#include <array>
#include <string>
#include <string_view>

#include "traces/kernels/compiled_listings.h"
#include "traces/kernels/gemm_problem.h"
#include "traces/kernels/sampled_kernel.h"

namespace tilescope {

// Types of A and B, in the order of the compiled kernels' template argument.
enum class TensorInput : std::uint8_t { f16, bf16, tf32, s8 };
inline constexpr std::array<std::string_view, 4> kTensorInputNames{"f16", "bf16", "tf32", "s8"};

struct GemmPipelinedSpec {
  GemmProblem problem;
  TensorInput dtype = TensorInput::f16;
  int bm = 128, bn = 128, bk = 32;  // bk: elements
  int wm = 64, wn = 32;
  int stages = 3;
  bool padded = false;    // else permuted by XOR
  int architecture = 90;  // whose code: 80 or 90

  static constexpr std::int64_t kChunk = 16;         // byte of one copy
  static constexpr std::int64_t kFragment = 16;      // rows or columns that one ldmatrix reads
  static constexpr std::int64_t kProductBytes = 32;  // of K in one product

  std::int64_t element() const { return dtype == TensorInput::tf32 ? 4 : dtype == TensorInput::s8 ? 1 : 2; }  // byte
  std::int64_t step_bytes() const { return bk * element(); }                   // of a row in one step of K
  std::int64_t pitch() const { return step_bytes() + (padded ? kChunk : 0); }  // byte between rows in shared memory
  std::int64_t stage_bytes() const { return (bm + bn) * pitch(); }
  std::int64_t chunks() const { return step_bytes() / kChunk; }  // of a row
  int threads() const { return bm / wm * (bn / wn) * kLanes; }
};

class GemmPipelined final : public SampledKernel {
 public:
  // REQUIRES: M, N, K multiples of bm, bn, bk; bm of wm; bn of wn; wm and wn of 16; step_bytes() 64 or 128; the chunks
  // of bm rows and of bn rows multiples of threads(); 2 to 5 stages; nearest_sample() has one.
  // `sample`: the compiled instance whose code is used; empty: the nearest one. `listing`: which has it, if not the
  // family's.
  explicit GemmPipelined(const GemmPipelinedSpec& spec, const std::string& sample = "",
                         const CompiledListing* listing = nullptr);

  // What a compiled function was made for; the problem is not said.
  static GemmPipelinedSpec shape_of(const std::string& function, int architecture = 90);
  // The symbol of the compiled function that is nearest to a shape, of all but `without` that have its type and its
  // layout of rows; empty: there is none.
  static std::string nearest_sample(const GemmPipelinedSpec& spec, const std::string& without = "");

 private:
  CtaPlace place(std::int64_t cta) const override;
  std::array<std::uint64_t, kBuffers> base(const CtaPlace& place) const override;
  LaneAddresses lanes(const Access& access, int shape, int warp) const override;

  GemmPipelinedSpec spec_;
  GemmArrays arrays_;
  RasterSpec raster_;
};

}  // namespace tilescope
