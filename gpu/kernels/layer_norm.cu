#include "../common/random.h"
#include "layer_norm.cuh"
#include "memory.h"
#include "plain.h"
#include "row_plan.h"

namespace tilescope::gpu {
namespace {

using Kernel = void (*)(const float*, const float*, float*, int, float);

template <int WIDTH>
Kernel kernel(const std::string& form, int held) {
  return form == "one_pass"   ? &layer_norm<LayerNormForm::kOnePass, WIDTH, 1>
         : form == "two_pass" ? &layer_norm<LayerNormForm::kTwoPass, WIDTH, 1>
         : held == 1          ? &layer_norm<LayerNormForm::kRegisters, WIDTH, 1>
         : held == 2          ? &layer_norm<LayerNormForm::kRegisters, WIDTH, 2>
         : held == 4          ? &layer_norm<LayerNormForm::kRegisters, WIDTH, 4>
                              : &layer_norm<LayerNormForm::kRegisters, WIDTH, 8>;
}

}  // namespace

// The input holds the rows, then a weight and then a bias per column.
MemoryLaunch plan_layer_norm(const ParameterValues& values) {
  const RowPlan plan = plan_rows(values);
  const Kernel chosen = plan.width == 4 ? kernel<4>(plan.form, plan.held) : kernel<1>(plan.form, plan.held);

  MemoryLaunch result;
  result.symbol = reinterpret_cast<const void*>(chosen);
  result.grid = dim3(static_cast<unsigned>(plan.rows));
  result.block = dim3(plan.threads);
  const std::size_t count = plan.rows * plan.columns;
  const std::size_t read = count + 2 * static_cast<std::size_t>(plan.columns);
  result.input_bytes = read * sizeof(float);
  result.output_bytes = count * sizeof(float);
  result.moved_bytes = static_cast<double>(result.input_bytes + result.output_bytes);
  result.prepare = [read](void* input, std::uint32_t seed) { fill_random(static_cast<float*>(input), read, seed); };
  result.launch = [grid = result.grid, block = result.block, chosen, count, plan](const void* input, void* output,
                                                                                  bool) {
    const auto* const in = static_cast<const float*>(input);
    chosen<<<grid, block>>>(in, in + count, static_cast<float*>(output), plan.columns, 1.0f / plan.columns);
  };
  result.plain = PlainAnswer{count, false, 1e-5, [plan, count](const void* input, double* answer) {
                               const auto* const in = static_cast<const float*>(input);
                               plain_layer_norm(in, in + count, answer, plan.rows, plan.columns, kEpsilon);
                             }};
  return result;
}

}  // namespace tilescope::gpu
