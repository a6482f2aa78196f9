#include "../common/random.h"
#include "memory.h"
#include "plain.h"
#include "row_plan.h"
#include "softmax.cuh"

namespace tilescope::gpu {
namespace {

using Kernel = void (*)(const float*, float*, int);

template <int WIDTH>
Kernel kernel(const std::string& form, int held) {
  return form == "shared"     ? &softmax<SoftmaxForm::kShared, WIDTH, 1>
         : form == "online"   ? &softmax<SoftmaxForm::kOnline, WIDTH, 1>
         : form == "two_pass" ? &softmax<SoftmaxForm::kTwoPass, WIDTH, 1>
         : held == 1          ? &softmax<SoftmaxForm::kRegisters, WIDTH, 1>
         : held == 2          ? &softmax<SoftmaxForm::kRegisters, WIDTH, 2>
         : held == 4          ? &softmax<SoftmaxForm::kRegisters, WIDTH, 4>
                              : &softmax<SoftmaxForm::kRegisters, WIDTH, 8>;
}

}  // namespace

MemoryLaunch plan_softmax(const ParameterValues& values) {
  const RowPlan plan = plan_rows(values);
  const Kernel chosen = plan.width == 4 ? kernel<4>(plan.form, plan.held) : kernel<1>(plan.form, plan.held);
  const std::size_t shared = plan.form == "shared" ? plan.columns * sizeof(float) : 0;
  require(shared <= 48 * 1024, "columns", std::to_string(plan.columns), "at most 12288 with form=shared");

  MemoryLaunch result;
  result.symbol = reinterpret_cast<const void*>(chosen);
  result.grid = dim3(static_cast<unsigned>(plan.rows));
  result.block = dim3(plan.threads);
  const std::size_t count = plan.rows * plan.columns;
  result.input_bytes = result.output_bytes = count * sizeof(float);
  result.moved_bytes = 2.0 * static_cast<double>(result.input_bytes);
  result.prepare = [count](void* input, std::uint32_t seed) { fill_random(static_cast<float*>(input), count, seed); };
  result.launch = [grid = result.grid, block = result.block, chosen, shared, plan](const void* input, void* output,
                                                                                   bool) {
    chosen<<<grid, block, shared>>>(static_cast<const float*>(input), static_cast<float*>(output), plan.columns);
  };
  result.plain = PlainAnswer{count, false, 1e-5, [plan](const void* input, double* answer) {
                               plain_softmax(static_cast<const float*>(input), answer, plan.rows, plan.columns);
                             }};
  return result;
}

}  // namespace tilescope::gpu
