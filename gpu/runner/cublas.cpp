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

}  // namespace

bool cublas_available() { return true; }

// cuBLAS stores by columns: what it sees is the transpose, C^T = B^T * A^T.
void cublas_gemm(const Problem& p) {
  static const Handle handle;
  const float one = 1.0f;
  const float zero = 0.0f;
  if (p.half_a != nullptr) {
    check(cublasGemmEx(handle.get(), CUBLAS_OP_N, CUBLAS_OP_N, p.n, p.m, p.k, &one, p.half_b, CUDA_R_16F, p.n, p.half_a,
                       CUDA_R_16F, p.k, &zero, p.c, CUDA_R_32F, p.n, CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT),
          "cublasGemmEx");
  } else {
    check(cublasSgemm(handle.get(), CUBLAS_OP_N, CUBLAS_OP_N, p.n, p.m, p.k, &one, p.b, p.n, p.a, p.k, &zero, p.c, p.n),
          "cublasSgemm");
  }
}

}  // namespace tilescope::gpu
