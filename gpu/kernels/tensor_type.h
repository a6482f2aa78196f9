// Types of the packed inputs of tensor-core kernels; their sums are FP32, with INT8 32-bit integers.
#pragma once

#include <cuda_runtime.h>

namespace tilescope::gpu {

enum class TensorType { kF16, kBf16, kTf32, kS8 };

__host__ __device__ constexpr int bytes_of(TensorType type) {
  return type == TensorType::kTf32 ? 4 : type == TensorType::kS8 ? 1 : 2;
}

constexpr const char* name_of(TensorType type) {
  constexpr const char* kNames[] = {"f16", "bf16", "tf32", "s8"};
  return kNames[static_cast<int>(type)];
}

}  // namespace tilescope::gpu
