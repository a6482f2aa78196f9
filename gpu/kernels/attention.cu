#include <cmath>

#include "../common/device.h"
#include "../common/random.h"
#include "attention_flash.cuh"
#include "attention_standard.cuh"
#include "attention_tensor.cuh"
#include "memory.h"
#include "plain.h"
#include "softmax.cuh"

namespace tilescope::gpu {
namespace {

constexpr int kSoftmaxThreads = 256;

struct Shape {
  int heads;
  int n;
  int d;
  bool causal;
  std::size_t floats() const { return static_cast<std::size_t>(heads) * n * d; }  // of queries, and of each other
};

using Softmax = void (*)(const float*, float*, int);
Softmax softmax_of(int columns) {
  const int held = (columns + 4 * kSoftmaxThreads - 1) / (4 * kSoftmaxThreads);
  return held == 1   ? &softmax<SoftmaxForm::kRegisters, 4, 1>
         : held == 2 ? &softmax<SoftmaxForm::kRegisters, 4, 2>
         : held <= 4 ? &softmax<SoftmaxForm::kRegisters, 4, 4>
                     : &softmax<SoftmaxForm::kRegisters, 4, 8>;
}

void allow_shared(const void* kernel, int bytes) {
  check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes), "cudaFuncSetAttribute");
}

template <int D>
void launch_standard(const Shape& s, const float* in, float* out) {
  const int shared = 2 * kQueries * kTileFloats<D> * static_cast<int>(sizeof(float));
  const auto scores_kernel = s.causal ? &attention_scores<D, true> : &attention_scores<D, false>;
  float* const scores = out + s.floats();  // behind the result
  const auto tiles = static_cast<unsigned>(s.n / kQueries);
  const auto heads = static_cast<unsigned>(s.heads);
  allow_shared(reinterpret_cast<const void*>(scores_kernel), shared);
  scores_kernel<<<dim3(tiles, tiles, heads), kAttentionThreads, shared>>>(in, in + s.floats(), scores, s.n,
                                                                          1.0f / std::sqrt(static_cast<float>(D)));
  softmax_of(s.n)<<<dim3(heads * s.n), kSoftmaxThreads>>>(scores, scores, s.n);
  attention_values<D><<<dim3(tiles, heads), kAttentionThreads>>>(scores, in + 2 * s.floats(), out, s.n);
}

template <int D, int KEYS>
void launch_flash(const Shape& s, const float* in, float* out) {
  const auto kernel = s.causal ? &attention_flash<D, KEYS, true> : &attention_flash<D, KEYS, false>;
  constexpr int kShared = kFlashShared<D, KEYS>;
  allow_shared(reinterpret_cast<const void*>(kernel), kShared);
  kernel<<<dim3(s.n / kQueries, s.heads), kAttentionThreads, kShared>>>(in, in + s.floats(), in + 2 * s.floats(), out,
                                                                        s.n, 1.0f / std::sqrt(static_cast<float>(D)));
}

template <int D, int KEYS>
void launch_tensor(const Shape& s, const char* in, unsigned* out) {
  const auto kernel = s.causal ? &attention_tensor<D, KEYS, true> : &attention_tensor<D, KEYS, false>;
  constexpr int kShared = kTensorShared<D, KEYS>;
  allow_shared(reinterpret_cast<const void*>(kernel), kShared);
  kernel<<<dim3(s.n / kTensorQueries, s.heads), kTensorThreads, kShared>>>(
      in, in + 2 * s.floats(), in + 4 * s.floats(), out, s.n, 1.4426950408889634f / std::sqrt(static_cast<float>(D)));
}

}  // namespace

// The input holds the queries, keys and values of all heads; the output the result and, of the standard form, the
// scores.
MemoryLaunch plan_attention(const ParameterValues& values) {
  const Shape s{static_cast<int>(values.number("heads")), static_cast<int>(values.number("n")),
                static_cast<int>(values.number("d")), values.number("causal") == 1};
  const int keys = static_cast<int>(values.number("keys"));
  const std::string& form = values.word("form");
  const bool standard = form == "standard";
  const bool halves = form == "tensor";
  require(s.n % kQueries == 0, "n", values.word("n"), "a multiple of 64");
  require(!standard || s.n <= 32 * kSoftmaxThreads, "n", values.word("n"), "at most 8192 with form=standard");

  MemoryLaunch result;
  const auto tiles = static_cast<unsigned>(s.n / kQueries);
  result.grid = standard ? dim3(tiles, tiles, s.heads) : dim3(tiles, s.heads);
  result.block = dim3(halves ? kTensorThreads : kAttentionThreads);
  const std::size_t width = halves ? sizeof(__half) : sizeof(float);
  const std::size_t scores = standard ? static_cast<std::size_t>(s.heads) * s.n * s.n : 0;
  result.input_bytes = 3 * s.floats() * width;
  result.output_bytes = (s.floats() + scores) * width;
  result.moved_bytes = 4.0 * static_cast<double>(s.floats() * width);
  result.prepare = [s, halves](void* input, std::uint32_t seed) {
    if (halves) {
      fill_random_halves(static_cast<__half*>(input), 3 * s.floats(), seed);
    } else {
      fill_random(static_cast<float*>(input), 3 * s.floats(), seed);
    }
  };
  if (halves) {
    const auto run = s.d == 64 ? (keys == 32 ? &launch_tensor<64, 32> : &launch_tensor<64, 64>)
                               : (keys == 32 ? &launch_tensor<128, 32> : &launch_tensor<128, 64>);
    result.launch = [s, run](const void* input, void* output, bool) {
      run(s, static_cast<const char*>(input), static_cast<unsigned*>(output));
    };
  } else {
    const auto run = standard    ? (s.d == 64 ? &launch_standard<64> : &launch_standard<128>)
                     : s.d == 64 ? (keys == 32 ? &launch_flash<64, 32> : &launch_flash<64, 64>)
                                 : (keys == 32 ? &launch_flash<128, 32> : &launch_flash<128, 64>);
    result.launch = [s, run](const void* input, void* output, bool) {
      run(s, static_cast<const float*>(input), static_cast<float*>(output));
    };
  }
  result.plain =
      PlainAnswer{s.floats(), halves, halves ? 2e-3 : 1e-5, [s, halves](const void* input, double* answer) {
                    if (halves) {
                      plain_attention(static_cast<const __half*>(input), answer, s.heads, s.n, s.d, s.causal);
                    } else {
                      plain_attention(static_cast<const float*>(input), answer, s.heads, s.n, s.d, s.causal);
                    }
                  }};
  return result;
}

}  // namespace tilescope::gpu
