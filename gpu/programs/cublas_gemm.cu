// Matrix products by cuBLAS: cublas_gemm fp32|tf32|fp16|bf16. Five shapes: square, long, all transpositions, sizes that
// no tile divides.
#include <cublas_v2.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "program.h"

namespace {

const program::Product shapes[] = {{512, 512, 512, false, false},  {768, 1024, 384, false, true},
                                   {1024, 256, 512, true, false},  {300, 200, 700, true, true},
                                   {2048, 64, 1024, false, false}, {128, 128, 4096, true, false}};

template <typename T>
std::vector<T> converted(const std::vector<float>& values) {
  return std::vector<T>(values.begin(), values.end());
}

template <typename T>
void run(cublasHandle_t handle, cudaDataType_t type, cublasComputeType_t compute, double tolerance) {
  for (const program::Product& shape : shapes) {
    const auto a = converted<T>(program::random_floats(static_cast<size_t>(shape.m) * shape.k, 1));
    const auto b = converted<T>(program::random_floats(static_cast<size_t>(shape.k) * shape.n, 2));
    program::Device<T> device_a(a), device_b(b), device_c(static_cast<size_t>(shape.m) * shape.n);
    const float one = 1, zero = 0;
    CHECKED(cublasGemmEx(handle, shape.transpose_a ? CUBLAS_OP_T : CUBLAS_OP_N,
                         shape.transpose_b ? CUBLAS_OP_T : CUBLAS_OP_N, shape.m, shape.n, shape.k, &one, device_a, type,
                         shape.transpose_a ? shape.k : shape.m, device_b, type, shape.transpose_b ? shape.n : shape.k,
                         &zero, device_c, type, shape.m, compute, CUBLAS_GEMM_DEFAULT));
    program::expect_product("product", shape, a, b, device_c.host(), tolerance);
  }
}

}  // namespace

int main(int count, char** arguments) {
  const std::string type = count == 2 ? arguments[1] : "";
  program::take_turn();
  cublasHandle_t handle;
  CHECKED(cublasCreate(&handle));
  if (type == "fp32") {
    CHECKED(cublasSetMathMode(handle, CUBLAS_PEDANTIC_MATH));
    run<float>(handle, CUDA_R_32F, CUBLAS_COMPUTE_32F_PEDANTIC, 1e-5);
  } else if (type == "tf32") {
    run<float>(handle, CUDA_R_32F, CUBLAS_COMPUTE_32F_FAST_TF32, 2e-3);
  } else if (type == "fp16") {
    run<__half>(handle, CUDA_R_16F, CUBLAS_COMPUTE_32F, 2e-3);
  } else if (type == "bf16") {
    run<__nv_bfloat16>(handle, CUDA_R_16BF, CUBLAS_COMPUTE_32F, 1e-2);
  } else {
    std::fprintf(stderr, "usage: cublas_gemm fp32|tf32|fp16|bf16\n");
    return 2;
  }
  CHECKED(cublasDestroy(handle));
  return program::finish("cublas_gemm " + type);
}
