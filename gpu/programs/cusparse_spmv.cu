// Sparse matrix times a vector by cuSPARSE (CSR with two algorithms, COO), and a COO matrix times eight columns.
#include <cusparse.h>

#include "sparse_matrix.h"

int main() {
  program::take_turn();
  const program::SparseMatrix matrix = program::random_sparse(16384, 8192, 10, 5);
  const int width = 8;
  const std::vector<float> dense =
      program::repeated(program::random_floats(static_cast<size_t>(matrix.columns) * width, 6));
  program::Device<int> first(matrix.first), row(matrix.row_of_entry()), column(matrix.column);
  program::Device<float> value(matrix.value), in(dense), out(static_cast<size_t>(matrix.rows) * width);
  cusparseHandle_t handle;
  CHECKED(cusparseCreate(&handle));
  cusparseSpMatDescr_t by_rows, by_entries;
  CHECKED(cusparseCreateCsr(&by_rows, matrix.rows, matrix.columns, matrix.entries(), first, column, value,
                            CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO, CUDA_R_32F));
  CHECKED(cusparseCreateCoo(&by_entries, matrix.rows, matrix.columns, matrix.entries(), row, column, value,
                            CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO, CUDA_R_32F));
  cusparseDnVecDescr_t x, y;
  CHECKED(cusparseCreateDnVec(&x, matrix.columns, in, CUDA_R_32F));
  CHECKED(cusparseCreateDnVec(&y, matrix.rows, out, CUDA_R_32F));
  const float one = 1, zero = 0;
  const std::vector<double> wanted = program::sparse_product(matrix, dense, width, matrix.columns, false);
  const struct {
    cusparseSpMatDescr_t sparse;
    cusparseSpMVAlg_t algorithm;
  } cases[] = {
      {by_rows, CUSPARSE_SPMV_CSR_ALG1}, {by_rows, CUSPARSE_SPMV_CSR_ALG2}, {by_entries, CUSPARSE_SPMV_COO_ALG1}};
  for (const auto& [sparse, algorithm] : cases) {
    out.clear();
    size_t bytes = 0;
    CHECKED(cusparseSpMV_bufferSize(handle, CUSPARSE_OPERATION_NON_TRANSPOSE, &one, sparse, x, &zero, y, CUDA_R_32F,
                                    algorithm, &bytes));
    program::Device<char> scratch(bytes + 16);
    CHECKED(cusparseSpMV(handle, CUSPARSE_OPERATION_NON_TRANSPOSE, &one, sparse, x, &zero, y, CUDA_R_32F, algorithm,
                         scratch.get()));
    std::vector<float> got = out.host();
    got.resize(matrix.rows);
    program::expect_close("SpMV", got, std::vector<double>(wanted.begin(), wanted.begin() + matrix.rows), 1e-5);
  }
  out.clear();
  cusparseDnMatDescr_t from, to;
  CHECKED(cusparseCreateDnMat(&from, matrix.columns, width, matrix.columns, in, CUDA_R_32F, CUSPARSE_ORDER_COL));
  CHECKED(cusparseCreateDnMat(&to, matrix.rows, width, matrix.rows, out, CUDA_R_32F, CUSPARSE_ORDER_COL));
  size_t bytes = 0;
  CHECKED(cusparseSpMM_bufferSize(handle, CUSPARSE_OPERATION_NON_TRANSPOSE, CUSPARSE_OPERATION_NON_TRANSPOSE, &one,
                                  by_entries, from, &zero, to, CUDA_R_32F, CUSPARSE_SPMM_COO_ALG1, &bytes));
  program::Device<char> scratch(bytes + 16);
  CHECKED(cusparseSpMM(handle, CUSPARSE_OPERATION_NON_TRANSPOSE, CUSPARSE_OPERATION_NON_TRANSPOSE, &one, by_entries,
                       from, &zero, to, CUDA_R_32F, CUSPARSE_SPMM_COO_ALG1, scratch.get()));
  program::expect_close("SpMM", out.host(), wanted, 1e-5);
  return program::finish("cusparse_spmv");
}
