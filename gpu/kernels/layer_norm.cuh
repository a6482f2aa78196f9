// Layer norm of every row, with a weight and a bias per column; a CTA per row. How often a row is read from memory:
//   registers  once: it stays in registers, HELD accesses per thread
//   one_pass   twice: one pass for the sum and the sum of squares together, one that writes
//   two_pass   three times: a pass for the mean, one for squared deviations from it, one that writes
#pragma once

#include "block_reduce.cuh"
#include "vector.cuh"

namespace tilescope::gpu {

enum class LayerNormForm { kRegisters, kOnePass, kTwoPass };

constexpr float kEpsilon = 1e-5f;  // added to the variance

// `columns` is a multiple of WIDTH, and `share` is 1 / columns; kRegisters needs blockDim.x * WIDTH * HELD of at least
// columns. Weights, then biases lie in `scaling`. Grid: a CTA per row.
template <LayerNormForm FORM, int WIDTH, int HELD>
__global__ void __launch_bounds__(1024) layer_norm(const float* __restrict__ in, const float* __restrict__ scaling,
                                                   float* __restrict__ out, int columns, float share) {
  using V = Vector<WIDTH>;
  __shared__ float per_warp[32];
  const V* const from = reinterpret_cast<const V*>(in + static_cast<std::size_t>(blockIdx.x) * columns);
  const V* const weight = reinterpret_cast<const V*>(scaling);
  const V* const bias = reinterpret_cast<const V*>(scaling + columns);
  V* const to = reinterpret_cast<V*>(out + static_cast<std::size_t>(blockIdx.x) * columns);
  const int accesses = columns / WIDTH;
  const auto write = [&](int at, V value, float mean, float scale) {
    V factor = weight[at];
    V offset = bias[at];
    float* const factors = reinterpret_cast<float*>(&factor);
    float* const offsets = reinterpret_cast<float*>(&offset);
    int word = 0;
    each_word(value, [&](float& v) {
      v = (v - mean) * scale * factors[word] + offsets[word];
      ++word;
    });
    to[at] = value;
  };
  float sum = 0.0f;
  float squares = 0.0f;
  if constexpr (FORM == LayerNormForm::kRegisters) {
    V held[HELD];
#pragma unroll
    for (int i = 0; i < HELD; ++i) {
      const int at = threadIdx.x + i * blockDim.x;
      if (at < accesses) {
        held[i] = from[at];
        each_word(held[i], [&](float& v) { sum += v; });
      }
    }
    const float mean = over_block<Sum>(sum, per_warp) * share;
#pragma unroll
    for (int i = 0; i < HELD; ++i) {
      if (threadIdx.x + i * blockDim.x < accesses) {
        each_word(held[i], [&](float& v) { squares += (v - mean) * (v - mean); });
      }
    }
    const float scale = rsqrtf(over_block<Sum>(squares, per_warp) * share + kEpsilon);
#pragma unroll
    for (int i = 0; i < HELD; ++i) {
      const int at = threadIdx.x + i * blockDim.x;
      if (at < accesses) {
        write(at, held[i], mean, scale);
      }
    }
  } else {
    for (int at = threadIdx.x; at < accesses; at += blockDim.x) {
      V value = from[at];
      each_word(value, [&](float& v) {
        sum += v;
        if constexpr (FORM == LayerNormForm::kOnePass) {
          squares += v * v;
        }
      });
    }
    const float mean = over_block<Sum>(sum, per_warp) * share;
    if constexpr (FORM == LayerNormForm::kTwoPass) {
      for (int at = threadIdx.x; at < accesses; at += blockDim.x) {
        V value = from[at];
        each_word(value, [&](float& v) { squares += (v - mean) * (v - mean); });
      }
    }
    float variance = over_block<Sum>(squares, per_warp) * share;
    if constexpr (FORM == LayerNormForm::kOnePass) {
      variance -= mean * mean;
    }
    const float scale = rsqrtf(variance + kEpsilon);
    for (int at = threadIdx.x; at < accesses; at += blockDim.x) {
      write(at, from[at], mean, scale);
    }
  }
}

}  // namespace tilescope::gpu
