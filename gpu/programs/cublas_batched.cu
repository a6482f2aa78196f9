// Batches of small matrix products by cuBLAS: at a fixed distance, and through arrays of pointers; FP32 and TF32.
#include <cublas_v2.h>

#include "program.h"

namespace {

struct Batch {
  program::Product shape;
  int count;
  cublasMath_t math;
  bool pointers;
};
const Batch batches[] = {{{64, 64, 64, false, false}, 256, CUBLAS_PEDANTIC_MATH, false},
                         {{128, 128, 64, false, true}, 96, CUBLAS_PEDANTIC_MATH, false},
                         {{32, 32, 32, false, false}, 512, CUBLAS_PEDANTIC_MATH, true},
                         {{96, 80, 112, true, false}, 100, CUBLAS_PEDANTIC_MATH, true},
                         {{256, 256, 64, true, false}, 48, CUBLAS_TF32_TENSOR_OP_MATH, false},
                         {{128, 64, 128, false, false}, 128, CUBLAS_TF32_TENSOR_OP_MATH, true}};

std::vector<float*> pointers(float* start, size_t distance, int count) {
  std::vector<float*> result;
  for (int i = 0; i < count; ++i) result.push_back(start + i * distance);
  return result;
}

}  // namespace

int main() {
  program::take_turn();
  cublasHandle_t handle;
  CHECKED(cublasCreate(&handle));
  for (const Batch& batch : batches) {
    const program::Product& shape = batch.shape;
    const size_t size_a = static_cast<size_t>(shape.m) * shape.k, size_b = static_cast<size_t>(shape.k) * shape.n,
                 size_c = static_cast<size_t>(shape.m) * shape.n;
    const std::vector<float> a = program::repeated(program::random_floats(size_a * batch.count, 1)),
                             b = program::repeated(program::random_floats(size_b * batch.count, 2));
    program::Device<float> device_a(a), device_b(b), device_c(size_c * batch.count);
    const float one = 1, zero = 0;
    const cublasOperation_t op_a = shape.transpose_a ? CUBLAS_OP_T : CUBLAS_OP_N,
                            op_b = shape.transpose_b ? CUBLAS_OP_T : CUBLAS_OP_N;
    const int pitch_a = shape.transpose_a ? shape.k : shape.m, pitch_b = shape.transpose_b ? shape.n : shape.k;
    CHECKED(cublasSetMathMode(handle, batch.math));
    if (batch.pointers) {
      program::Device<float*> all_a(pointers(device_a, size_a, batch.count)),
          all_b(pointers(device_b, size_b, batch.count)), all_c(pointers(device_c, size_c, batch.count));
      CHECKED(cublasSgemmBatched(handle, op_a, op_b, shape.m, shape.n, shape.k, &one, all_a, pitch_a, all_b, pitch_b,
                                 &zero, all_c, shape.m, batch.count));
      CHECKED(cudaDeviceSynchronize());
    } else {
      CHECKED(cublasSgemmStridedBatched(handle, op_a, op_b, shape.m, shape.n, shape.k, &one, device_a, pitch_a, size_a,
                                        device_b, pitch_b, size_b, &zero, device_c, shape.m, size_c, batch.count));
    }
    const std::vector<float> c = device_c.host();
    for (const int i : {0, batch.count / 2, batch.count - 1})
      program::expect_product("product of a batch", shape, a, b, c, batch.math == CUBLAS_PEDANTIC_MATH ? 1e-5 : 2e-3,
                              i * size_a, i * size_b, i * size_c);
  }
  CHECKED(cublasDestroy(handle));
  return program::finish("cublas_batched");
}
