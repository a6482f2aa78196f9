// A random sparse matrix by rows (CSR), the same every time: a few long rows among short ones.
#pragma once

#include <algorithm>

#include "program.h"

namespace program {

struct SparseMatrix {
  int rows, columns;
  std::vector<int> first, column;  // first: rows + 1 entries
  std::vector<float> value;
  int entries() const { return static_cast<int>(column.size()); }
  std::vector<int> row_of_entry() const {
    std::vector<int> result;
    for (int row = 0; row < rows; ++row) result.insert(result.end(), first[row + 1] - first[row], row);
    return result;
  }
};

inline SparseMatrix random_sparse(int rows, int columns, int usual_entries, uint64_t seed) {
  Random random(seed);
  SparseMatrix matrix{rows, columns, {0}, {}, {}};
  for (int row = 0; row < rows; ++row) {
    const int count =
        random.below(64) == 0 ? 12 * usual_entries : static_cast<int>(random.below(2 * usual_entries + 1));
    std::vector<int> here;
    for (int i = 0; i < count; ++i) here.push_back(static_cast<int>(random.below(columns)));
    std::sort(here.begin(), here.end());
    here.erase(std::unique(here.begin(), here.end()), here.end());
    matrix.column.insert(matrix.column.end(), here.begin(), here.end());
    matrix.first.push_back(matrix.entries());
  }
  for (int i = 0; i < matrix.entries(); ++i) matrix.value.push_back(static_cast<float>(random.below(17)) / 8 - 1);
  return matrix;
}

// matrix * dense, of which columns stand `pitch` apart (by_rows: rows do)
inline std::vector<double> sparse_product(const SparseMatrix& matrix, const std::vector<float>& dense, int width,
                                          int pitch, bool by_rows) {
  std::vector<double> result(static_cast<size_t>(matrix.rows) * width);  // result: columns of matrix.rows
  for (int row = 0; row < matrix.rows; ++row)
    for (int at = matrix.first[row]; at < matrix.first[row + 1]; ++at)
      for (int i = 0; i < width; ++i) {
        const size_t in_dense = by_rows ? static_cast<size_t>(matrix.column[at]) * pitch + i
                                        : matrix.column[at] + static_cast<size_t>(i) * pitch;
        result[row + static_cast<size_t>(i) * matrix.rows] += double(matrix.value[at]) * dense[in_dense];
      }
  return result;
}

}  // namespace program
