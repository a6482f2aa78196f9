// Matrix-vector products and vector operations by cuBLAS: gemv straight and transposed, wide and tall, ger, dot, nrm2,
// axpy.
#include <cublas_v2.h>

#include "program.h"

int main() {
  program::take_turn();
  cublasHandle_t handle;
  CHECKED(cublasCreate(&handle));
  const struct { int rows, columns; } sizes[] = {{2048, 2048}, {512, 8192}, {16384, 300}};
  for (const auto& [rows, columns] : sizes) {
    const std::vector<float> a = program::random_floats(static_cast<size_t>(rows) * columns, 1);
    const std::vector<float> x = program::random_floats(columns, 2), y = program::random_floats(rows, 3);
    program::Device<float> device_a(a), device_x(x), device_y(y), product(rows), other(columns);
    const float one = 1, zero = 0, two = 2;
    CHECKED(cublasSgemv(handle, CUBLAS_OP_N, rows, columns, &one, device_a, rows, device_x, 1, &zero, product, 1));
    CHECKED(cublasSgemv(handle, CUBLAS_OP_T, rows, columns, &one, device_a, rows, device_y, 1, &zero, other, 1));
    std::vector<double> wanted(rows), wanted_other(columns);
    for (int column = 0; column < columns; ++column)
      for (int row = 0; row < rows; ++row) {
        const double entry = a[static_cast<size_t>(column) * rows + row];
        wanted[row] += entry * x[column];
        wanted_other[column] += entry * y[row];
      }
    program::expect_close("gemv", product.host(), wanted, 1e-5);
    program::expect_close("gemv transposed", other.host(), wanted_other, 1e-5);
    CHECKED(cublasSger(handle, rows, columns, &two, device_y, 1, device_x, 1, device_a, rows));
    std::vector<float> changed = device_a.host();
    std::vector<double> wanted_change(a.size());
    for (size_t i = 0; i < a.size(); ++i) wanted_change[i] = a[i] + 2.0 * y[i % rows] * x[i / rows];
    program::expect_close("ger", changed, wanted_change, 1e-6);
  }
  const int count = 1 << 20;
  const std::vector<float> x = program::random_floats(count, 4), y = program::random_floats(count, 5);
  program::Device<float> device_x(x), device_y(y);
  std::vector<float> results(2);
  const float half = 0.5f;
  CHECKED(cublasSdot(handle, count, device_x, 1, device_y, 1, &results[0]));
  CHECKED(cublasSnrm2(handle, count, device_x, 1, &results[1]));
  CHECKED(cublasSaxpy(handle, count, &half, device_x, 1, device_y, 1));
  double dot = 0, square = 0;
  std::vector<double> sum(count);
  for (int i = 0; i < count; ++i) dot += double(x[i]) * y[i], square += double(x[i]) * x[i], sum[i] = y[i] + 0.5 * x[i];
  program::expect_close("dot and nrm2", results, std::vector<double>{dot, std::sqrt(square)}, 1e-4);
  program::expect_close("axpy", device_y.host(), sum, 1e-6);
  CHECKED(cublasDestroy(handle));
  return program::finish("cublas_vector");
}
