// A float or four, so that a kernel is written once for both widths of its accesses.
#pragma once

#include <cuda_runtime.h>

namespace tilescope::gpu {

template <int WIDTH>
struct VectorType;
template <>
struct VectorType<1> {
  using Type = float;
};
template <>
struct VectorType<4> {
  using Type = float4;
};

template <int WIDTH>
using Vector = typename VectorType<WIDTH>::Type;

// f(word) of each, in order.
template <class F>
__device__ void each_word(float& v, F f) {
  f(v);
}
template <class F>
__device__ void each_word(float4& v, F f) {
  f(v.x);
  f(v.y);
  f(v.z);
  f(v.w);
}

}  // namespace tilescope::gpu
