// cuBLAS on the same problem, where the program was built with it (cublas.cpp); otherwise no_cublas.cpp stands in.
#pragma once

#include "../kernels/instances.h"

namespace tilescope::gpu {

bool cublas_available();

// C = A * B on the default stream: cublasSgemm, or cublasGemmEx with FP16 inputs and FP32 sums where the problem has
// FP16 inputs. Throws std::runtime_error if cuBLAS fails or is not there.
void cublas_gemm(const Problem& problem);

}  // namespace tilescope::gpu
