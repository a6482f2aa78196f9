// cuBLAS on the same problem, where the program was built with it (cublas.cpp); otherwise no_cublas.cpp stands in.
#pragma once

#include "../kernels/instances.h"

namespace tilescope::gpu {

bool cublas_available();

// C = A * B on the default stream: cublasSgemm, or cublasGemmEx with FP16 inputs and FP32 sums where the problem has
// FP16 inputs. Throws std::runtime_error if cuBLAS fails or is not there.
void cublas_gemm(const Problem& problem);

// cuBLAS as kernels of the table, so that its own choice is timed as the others are: cublas_f32, cublas_f16,
// cublas_bf16, cublas_tf32, for any sizes; packed inputs lie as gemm_pipelined takes them. Adds nothing without cuBLAS.
void add_cublas(std::vector<Instance>& table);

}  // namespace tilescope::gpu
