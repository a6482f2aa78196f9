// Matrix products by cuBLASLt with an epilogue, the first algorithm of its heuristic: cublaslt_matmul fp16|fp32|tf32.
// Epilogues: none, bias, bias and ReLU, bias and GELU.
#include <cublasLt.h>
#include <cuda_fp16.h>

#include "program.h"

namespace {

struct Case {
  program::Product shape;
  cublasLtEpilogue_t epilogue;
};
const Case cases[] = {{{512, 512, 512, false, false}, CUBLASLT_EPILOGUE_DEFAULT},
                      {{768, 512, 768, true, false}, CUBLASLT_EPILOGUE_BIAS},
                      {{1024, 384, 256, true, false}, CUBLASLT_EPILOGUE_RELU_BIAS},
                      {{1536, 256, 384, true, false}, CUBLASLT_EPILOGUE_GELU_BIAS},
                      {{640, 96, 1280, false, false}, CUBLASLT_EPILOGUE_BIAS}};

double after(cublasLtEpilogue_t epilogue, double x) {
  if (epilogue == CUBLASLT_EPILOGUE_RELU_BIAS) return x > 0 ? x : 0;
  if (epilogue == CUBLASLT_EPILOGUE_GELU_BIAS)
    return 0.5 * x * (1 + std::tanh(0.7978845608 * (x + 0.044715 * x * x * x)));
  return x;
}

template <typename T>
void run(cublasLtHandle_t handle, cudaDataType_t type, cublasComputeType_t compute, double tolerance) {
  const size_t workspace_bytes = size_t{4} << 20;
  program::Device<char> workspace(workspace_bytes);
  for (const Case& one_case : cases) {
    const program::Product& shape = one_case.shape;
    const std::vector<float> float_a = program::random_floats(static_cast<size_t>(shape.m) * shape.k, 1, -0.3f, 0.3f),
                             float_b = program::random_floats(static_cast<size_t>(shape.k) * shape.n, 2),
                             float_bias = program::random_floats(shape.m, 3);
    const std::vector<T> a(float_a.begin(), float_a.end()), b(float_b.begin(), float_b.end()),
        bias(float_bias.begin(), float_bias.end());
    program::Device<T> device_a(a), device_b(b), device_bias(bias), device_c(static_cast<size_t>(shape.m) * shape.n);

    cublasLtMatmulDesc_t operation;
    CHECKED(cublasLtMatmulDescCreate(&operation, compute, CUDA_R_32F));
    const cublasOperation_t op_a = shape.transpose_a ? CUBLAS_OP_T : CUBLAS_OP_N,
                            op_b = shape.transpose_b ? CUBLAS_OP_T : CUBLAS_OP_N;
    CHECKED(cublasLtMatmulDescSetAttribute(operation, CUBLASLT_MATMUL_DESC_TRANSA, &op_a, sizeof op_a));
    CHECKED(cublasLtMatmulDescSetAttribute(operation, CUBLASLT_MATMUL_DESC_TRANSB, &op_b, sizeof op_b));
    CHECKED(cublasLtMatmulDescSetAttribute(operation, CUBLASLT_MATMUL_DESC_EPILOGUE, &one_case.epilogue,
                                           sizeof one_case.epilogue));
    const bool with_bias = one_case.epilogue != CUBLASLT_EPILOGUE_DEFAULT;
    if (with_bias) {
      const void* pointer = device_bias.get();
      CHECKED(cublasLtMatmulDescSetAttribute(operation, CUBLASLT_MATMUL_DESC_BIAS_POINTER, &pointer, sizeof pointer));
    }
    const int rows_a = shape.transpose_a ? shape.k : shape.m, rows_b = shape.transpose_b ? shape.n : shape.k;
    cublasLtMatrixLayout_t layout_a, layout_b, layout_c;
    CHECKED(cublasLtMatrixLayoutCreate(&layout_a, type, rows_a, shape.transpose_a ? shape.m : shape.k, rows_a));
    CHECKED(cublasLtMatrixLayoutCreate(&layout_b, type, rows_b, shape.transpose_b ? shape.k : shape.n, rows_b));
    CHECKED(cublasLtMatrixLayoutCreate(&layout_c, type, shape.m, shape.n, shape.m));
    cublasLtMatmulPreference_t preference;
    CHECKED(cublasLtMatmulPreferenceCreate(&preference));
    CHECKED(cublasLtMatmulPreferenceSetAttribute(preference, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, &workspace_bytes,
                                                 sizeof workspace_bytes));
    cublasLtMatmulHeuristicResult_t found;
    int found_count = 0;
    CHECKED(cublasLtMatmulAlgoGetHeuristic(handle, operation, layout_a, layout_b, layout_c, layout_c, preference, 1,
                                           &found, &found_count));
    if (found_count == 0) program::fail(__FILE__, __LINE__, "cublasLtMatmulAlgoGetHeuristic", "no algorithm");
    const float one = 1, zero = 0;
    CHECKED(cublasLtMatmul(handle, operation, &one, device_a, layout_a, device_b, layout_b, &zero, device_c, layout_c,
                           device_c, layout_c, &found.algo, workspace, workspace_bytes, nullptr));
    const std::vector<T> c = device_c.host();
    program::Random random(7);
    std::vector<double> got, wanted;
    for (int i = 0; i < 200; ++i) {
      const int row = static_cast<int>(random.below(shape.m)), column = static_cast<int>(random.below(shape.n));
      got.push_back(program::number(c[row + static_cast<size_t>(column) * shape.m]));
      const double sum = program::entry(shape, a, b, row, column) + (with_bias ? program::number(bias[row]) : 0);
      wanted.push_back(after(one_case.epilogue, sum));
    }
    program::expect_close("product with epilogue", got, wanted, tolerance);
    cublasLtMatmulPreferenceDestroy(preference);
    for (const cublasLtMatrixLayout_t layout : {layout_a, layout_b, layout_c}) cublasLtMatrixLayoutDestroy(layout);
    cublasLtMatmulDescDestroy(operation);
  }
}

}  // namespace

int main(int count, char** arguments) {
  const std::string type = count == 2 ? arguments[1] : "";
  program::take_turn();
  cublasLtHandle_t handle;
  CHECKED(cublasLtCreate(&handle));
  if (type == "fp16") {
    run<__half>(handle, CUDA_R_16F, CUBLAS_COMPUTE_32F, 2e-3);
  } else if (type == "fp32") {
    run<float>(handle, CUDA_R_32F, CUBLAS_COMPUTE_32F, 1e-5);
  } else if (type == "tf32") {
    run<float>(handle, CUDA_R_32F, CUBLAS_COMPUTE_32F_FAST_TF32, 2e-3);
  } else {
    std::fprintf(stderr, "usage: cublaslt_matmul fp16|fp32|tf32\n");
    return 2;
  }
  CHECKED(cublasLtDestroy(handle));
  return program::finish("cublaslt_matmul " + type);
}
