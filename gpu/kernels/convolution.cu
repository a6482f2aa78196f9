#include "../common/random.h"
#include "convolution.cuh"
#include "instances.h"
#include "memory.h"
#include "plain.h"

namespace tilescope::gpu {
namespace {

using Kernel = void (*)(const float*, float*, int, int);

template <int F>
Kernel kernel(bool shared, int block_rows) {
  if (shared) {
    return block_rows == 8 ? &convolution_shared<F, 8> : &convolution_shared<F, 32>;
  }
  return block_rows == 8 ? &convolution_direct<F, 8> : &convolution_direct<F, 32>;
}

}  // namespace

MemoryLaunch plan_convolution(const ParameterValues& values) {
  const int rows = static_cast<int>(values.number("rows"));
  const int columns = static_cast<int>(values.number("columns"));
  const int filter = static_cast<int>(values.number("filter"));
  const int block_rows = static_cast<int>(values.number("block_rows"));
  const bool shared = values.word("form") == "shared";
  const Kernel chosen = filter == 3 ? kernel<3>(shared, block_rows) : kernel<7>(shared, block_rows);

  MemoryLaunch result;
  result.symbol = reinterpret_cast<const void*>(chosen);
  result.grid = dim3(divide_up(columns, kConvolutionTile), divide_up(rows, shared ? kConvolutionTile : block_rows));
  result.block = dim3(kConvolutionTile, block_rows);
  const std::size_t count = static_cast<std::size_t>(rows) * columns;
  result.input_bytes = result.output_bytes = count * sizeof(float);
  result.moved_bytes = 2.0 * static_cast<double>(result.input_bytes);
  result.prepare = [count](void* input, std::uint32_t seed) { fill_random(static_cast<float*>(input), count, seed); };
  result.launch = [grid = result.grid, block = result.block, chosen, rows, columns](const void* input, void* output,
                                                                                    bool) {
    chosen<<<grid, block>>>(static_cast<const float*>(input), static_cast<float*>(output), rows, columns);
  };
  result.plain = PlainAnswer{count, false, 1e-5, [rows, columns, filter](const void* input, double* answer) {
                               plain_convolution(static_cast<const float*>(input), answer, rows, columns, filter);
                             }};
  return result;
}

}  // namespace tilescope::gpu
