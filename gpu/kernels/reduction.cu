#include "../common/random.h"
#include "instances.h"
#include "memory.h"
#include "plain.h"
#include "reduction.cuh"

namespace tilescope::gpu {
namespace {

using Kernel = void (*)(const float*, float*, int);

template <int VALUES>
Kernel kernel(const std::string& form) {
  return form == "interleaved"  ? &reduction<ReductionForm::kInterleaved, VALUES>
         : form == "strided"    ? &reduction<ReductionForm::kStrided, VALUES>
         : form == "sequential" ? &reduction<ReductionForm::kSequential, VALUES>
                                : &reduction<ReductionForm::kWarp, VALUES>;
}

}  // namespace

MemoryLaunch plan_reduction(const ParameterValues& values) {
  const int count = static_cast<int>(values.number("count"));
  const int threads = static_cast<int>(values.number("threads"));
  const int span = threads * static_cast<int>(values.number("values"));
  const Kernel chosen = values.number("values") == 4 ? kernel<4>(values.word("form")) : kernel<1>(values.word("form"));

  MemoryLaunch result;
  result.symbol = reinterpret_cast<const void*>(chosen);
  result.grid = dim3(divide_up(count, span));
  result.block = dim3(threads);
  result.input_bytes = static_cast<std::size_t>(count) * sizeof(float);
  result.output_bytes = result.grid.x * sizeof(float);
  result.moved_bytes = static_cast<double>(result.input_bytes + result.output_bytes);
  result.prepare = [count](void* input, std::uint32_t seed) { fill_random(static_cast<float*>(input), count, seed); };
  result.launch = [grid = result.grid, block = result.block, chosen, count](const void* input, void* output, bool) {
    chosen<<<grid, block, block.x * sizeof(float)>>>(static_cast<const float*>(input), static_cast<float*>(output),
                                                     count);
  };
  result.plain = PlainAnswer{result.grid.x, false, 1e-5, [count, span](const void* input, double* answer) {
                               plain_reduction(static_cast<const float*>(input), answer, count, span);
                             }};
  return result;
}

}  // namespace tilescope::gpu
