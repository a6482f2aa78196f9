// Softmax of every row; a CTA per row. How often a row is read from memory:
//   registers  once: it stays in registers, HELD accesses per thread
//   shared     once: it stays in shared memory
//   online     twice: one pass over it for the maximum and the sum together, one that writes
//   two_pass   three times: a pass for the maximum, one for the sum, one that writes
#pragma once

#include "block_reduce.cuh"
#include "vector.cuh"

namespace tilescope::gpu {

enum class SoftmaxForm { kRegisters, kShared, kOnline, kTwoPass };

constexpr float kLeast = -3e38f;  // below every number, and still one: it minus itself is 0

// `columns` is a multiple of WIDTH; kRegisters needs blockDim.x * WIDTH * HELD of at least that, kShared as many floats
// of dynamic shared memory. `out` may be `in`. Grid: a CTA per row.
template <SoftmaxForm FORM, int WIDTH, int HELD>
__global__ void __launch_bounds__(1024) softmax(const float* in, float* out, int columns) {
  using V = Vector<WIDTH>;
  __shared__ float per_warp[32];
  extern __shared__ float4 row[];
  const V* const from = reinterpret_cast<const V*>(in + static_cast<std::size_t>(blockIdx.x) * columns);
  V* const to = reinterpret_cast<V*>(out + static_cast<std::size_t>(blockIdx.x) * columns);
  const int accesses = columns / WIDTH;
  float largest = kLeast;
  float sum = 0.0f;
  if constexpr (FORM == SoftmaxForm::kRegisters) {
    V held[HELD];
#pragma unroll
    for (int i = 0; i < HELD; ++i) {
      const int at = threadIdx.x + i * blockDim.x;
      if (at < accesses) {
        held[i] = from[at];
      } else {
        each_word(held[i], [](float& v) { v = kLeast; });
      }
      each_word(held[i], [&](float& v) { largest = fmaxf(largest, v); });
    }
    largest = over_block<Maximum>(largest, per_warp);
#pragma unroll
    for (int i = 0; i < HELD; ++i) {
      each_word(held[i], [&](float& v) {
        v = __expf(v - largest);
        sum += v;
      });
    }
    const float scale = __fdividef(1.0f, over_block<Sum>(sum, per_warp));
#pragma unroll
    for (int i = 0; i < HELD; ++i) {
      const int at = threadIdx.x + i * blockDim.x;
      if (at < accesses) {
        each_word(held[i], [&](float& v) { v *= scale; });
        to[at] = held[i];
      }
    }
  } else {
    V* const kept = reinterpret_cast<V*>(row);
    for (int at = threadIdx.x; at < accesses; at += blockDim.x) {
      V value = from[at];
      if constexpr (FORM == SoftmaxForm::kOnline) {
        float larger = largest;
        each_word(value, [&](float& v) { larger = fmaxf(larger, v); });
        sum *= __expf(largest - larger);
        largest = larger;
        each_word(value, [&](float& v) { sum += __expf(v - largest); });
      } else {
        each_word(value, [&](float& v) { largest = fmaxf(largest, v); });
        if constexpr (FORM == SoftmaxForm::kShared) {
          kept[at] = value;
        }
      }
    }
    const float own = largest;
    largest = over_block<Maximum>(largest, per_warp);
    if constexpr (FORM == SoftmaxForm::kOnline) {
      sum *= __expf(own - largest);
    } else {
      for (int at = threadIdx.x; at < accesses; at += blockDim.x) {
        V value = FORM == SoftmaxForm::kShared ? kept[at] : from[at];
        each_word(value, [&](float& v) {
          v = __expf(v - largest);
          sum += v;
        });
        if constexpr (FORM == SoftmaxForm::kShared) {
          kept[at] = value;
        }
      }
    }
    const float scale = __fdividef(1.0f, over_block<Sum>(sum, per_warp));
    for (int at = threadIdx.x; at < accesses; at += blockDim.x) {
      V value = FORM == SoftmaxForm::kShared ? kept[at] : from[at];
      each_word(value, [&](float& v) { v = (FORM == SoftmaxForm::kShared ? v : __expf(v - largest)) * scale; });
      to[at] = value;
    }
  }
}

}  // namespace tilescope::gpu
