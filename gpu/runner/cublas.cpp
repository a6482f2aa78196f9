#include "cublas.h"

#include <cublas_v2.h>

#include <stdexcept>
#include <string>

namespace tilescope::gpu {
namespace {

void check(cublasStatus_t status, const char* what) {
  if (status != CUBLAS_STATUS_SUCCESS) {
    throw std::runtime_error(std::string(what) + ": " + cublasGetStatusString(status));
  }
}

class Handle {
 public:
  Handle() { check(cublasCreate(&handle_), "cublasCreate"); }
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;
  ~Handle() { cublasDestroy(handle_); }
  cublasHandle_t get() const { return handle_; }

 private:
  cublasHandle_t handle_{};
};

const Handle& handle() {
  static const Handle result;
  return result;
}

dim3 no_grid(const Instance&, int, int) { return 1; }

void launch_plain(const Instance&, const Problem& p, const LaunchOptions&) { cublas_gemm(p); }

// Columns: B lies there k x n with n its rows' count apart, transposed; A as it is.
template <TensorType TYPE>
void launch_packed(const Instance&, const Problem& p, const LaunchOptions&) {
  constexpr cudaDataType kType = TYPE == TensorType::kF16    ? CUDA_R_16F
                                 : TYPE == TensorType::kBf16 ? CUDA_R_16BF
                                                             : CUDA_R_32F;
  constexpr cublasComputeType_t kCompute =
      TYPE == TensorType::kTf32 ? CUBLAS_COMPUTE_32F_FAST_TF32 : CUBLAS_COMPUTE_32F;
  const float one = 1.0f;
  const float zero = 0.0f;
  check(cublasGemmEx(handle().get(), CUBLAS_OP_T, CUBLAS_OP_N, p.n, p.m, p.k, &one, p.packed_b, kType, p.k, p.packed_a,
                     kType, p.k, &zero, p.c, CUDA_R_32F, p.n, kCompute, CUBLAS_GEMM_DEFAULT),
        "cublasGemmEx");
}

Instance library(const std::string& name) {
  Instance result;
  result.name = name;
  result.block = dim3(1);
  result.grid = &no_grid;
  result.launch = &launch_plain;
  return result;
}

template <TensorType TYPE>
Instance packed_library() {
  Instance result = library(std::string("cublas_") + name_of(TYPE));
  result.packed = TYPE;
  result.launch = &launch_packed<TYPE>;
  return result;
}

}  // namespace

bool cublas_available() { return true; }

// cuBLAS stores by columns: what it sees is the transpose, C^T = B^T * A^T.
void cublas_gemm(const Problem& p) {
  const float one = 1.0f;
  const float zero = 0.0f;
  if (p.half_a != nullptr) {
    check(cublasGemmEx(handle().get(), CUBLAS_OP_N, CUBLAS_OP_N, p.n, p.m, p.k, &one, p.half_b, CUDA_R_16F, p.n,
                       p.half_a, CUDA_R_16F, p.k, &zero, p.c, CUDA_R_32F, p.n, CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT),
          "cublasGemmEx");
  } else {
    check(
        cublasSgemm(handle().get(), CUBLAS_OP_N, CUBLAS_OP_N, p.n, p.m, p.k, &one, p.b, p.n, p.a, p.k, &zero, p.c, p.n),
        "cublasSgemm");
  }
}

void add_cublas(std::vector<Instance>& table) {
  table.push_back(library("cublas_f32"));
  table.push_back(packed_library<TensorType::kF16>());
  table.push_back(packed_library<TensorType::kBf16>());
  table.push_back(packed_library<TensorType::kTf32>());
}

}  // namespace tilescope::gpu
