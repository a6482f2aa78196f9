// Sparse matrix times a dense one by cuSPARSE: CSR with three algorithms; the dense matrix by columns and by rows.
#include <cusparse.h>

#include "sparse_matrix.h"

int main() {
  program::take_turn();
  const program::SparseMatrix matrix = program::random_sparse(4096, 4096, 12, 1);
  const int width = 64;
  const std::vector<float> dense =
      program::repeated(program::random_floats(static_cast<size_t>(matrix.columns) * width, 2));
  program::Device<int> first(matrix.first), column(matrix.column);
  program::Device<float> value(matrix.value), in(dense), out(static_cast<size_t>(matrix.rows) * width);
  cusparseHandle_t handle;
  CHECKED(cusparseCreate(&handle));
  cusparseSpMatDescr_t sparse;
  CHECKED(cusparseCreateCsr(&sparse, matrix.rows, matrix.columns, matrix.entries(), first, column, value,
                            CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO, CUDA_R_32F));
  const struct {
    cusparseSpMMAlg_t algorithm;
    cusparseOrder_t order;
  } cases[] = {{CUSPARSE_SPMM_CSR_ALG1, CUSPARSE_ORDER_COL},
               {CUSPARSE_SPMM_CSR_ALG2, CUSPARSE_ORDER_ROW},
               {CUSPARSE_SPMM_CSR_ALG3, CUSPARSE_ORDER_ROW}};
  for (const auto& [algorithm, order] : cases) {
    const bool by_rows = order == CUSPARSE_ORDER_ROW;
    cusparseDnMatDescr_t from, to;
    CHECKED(cusparseCreateDnMat(&from, matrix.columns, width, by_rows ? width : matrix.columns, in, CUDA_R_32F, order));
    CHECKED(cusparseCreateDnMat(&to, matrix.rows, width, by_rows ? width : matrix.rows, out, CUDA_R_32F, order));
    out.clear();
    const float one = 1, zero = 0;
    size_t bytes = 0;
    CHECKED(cusparseSpMM_bufferSize(handle, CUSPARSE_OPERATION_NON_TRANSPOSE, CUSPARSE_OPERATION_NON_TRANSPOSE, &one,
                                    sparse, from, &zero, to, CUDA_R_32F, algorithm, &bytes));
    program::Device<char> scratch(bytes + 16);
    CHECKED(cusparseSpMM(handle, CUSPARSE_OPERATION_NON_TRANSPOSE, CUSPARSE_OPERATION_NON_TRANSPOSE, &one, sparse, from,
                         &zero, to, CUDA_R_32F, algorithm, scratch.get()));
    const std::vector<float> got = out.host();
    std::vector<float> by_columns(got.size());
    for (int row = 0; row < matrix.rows; ++row)
      for (int i = 0; i < width; ++i)
        by_columns[row + size_t(i) * matrix.rows] =
            got[by_rows ? size_t(row) * width + i : row + size_t(i) * matrix.rows];
    program::expect_close("SpMM", by_columns,
                          program::sparse_product(matrix, dense, width, by_rows ? width : matrix.columns, by_rows),
                          1e-5);
    CHECKED(cusparseDestroyDnMat(from));
    CHECKED(cusparseDestroyDnMat(to));
  }
  CHECKED(cusparseDestroySpMat(sparse));
  CHECKED(cusparseDestroy(handle));
  return program::finish("cusparse_spmm");
}
