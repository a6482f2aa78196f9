#include <cstring>

#include "../common/device.h"
#include "memory.h"
#include "pointer_chase.cuh"

namespace tilescope::gpu {

// Element i of the chain lies at i * stride and points to the next; the last one points to the first.
MemoryLaunch plan_pointer_chase(const ParameterValues& values) {
  const auto bytes = static_cast<std::size_t>(values.number("bytes"));
  const auto stride = static_cast<std::size_t>(values.number("stride"));
  const int steps = static_cast<int>(values.number("steps"));
  require(stride % 8 == 0, "stride", std::to_string(stride), "a multiple of 8, the size of a pointer");
  require(bytes >= stride, "bytes", std::to_string(bytes), "at least stride=" + std::to_string(stride));
  const std::size_t elements = bytes / stride;
  const auto kernel = values.number("cached") == 1 ? &pointer_chase<true> : &pointer_chase<false>;

  MemoryLaunch result;
  result.symbol = reinterpret_cast<const void*>(kernel);
  result.grid = dim3(1);
  result.block = dim3(1);
  result.input_bytes = bytes;
  result.output_bytes = sizeof(std::uint64_t);
  result.moved_bytes = 8.0 * steps;
  result.prepare = [bytes, stride, elements](void* input, std::uint32_t) {
    std::vector<char> chain(bytes);
    const auto base = reinterpret_cast<std::uint64_t>(input);
    for (std::size_t i = 0; i < elements; ++i) {
      const std::uint64_t next = base + (i + 1) % elements * stride;
      std::memcpy(&chain[i * stride], &next, sizeof next);
    }
    check(cudaMemcpy(input, chain.data(), bytes, cudaMemcpyHostToDevice), "cudaMemcpy");
  };
  result.launch = [kernel, steps](const void* input, void* output, bool) {
    kernel<<<1, 1>>>(static_cast<const char*>(input), static_cast<const char**>(output), steps);
  };
  result.expected = [stride, elements, steps](const std::vector<char>&, const void* input_address) {
    const std::uint64_t last =
        reinterpret_cast<std::uint64_t>(input_address) + static_cast<std::size_t>(steps) % elements * stride;
    std::vector<char> output(sizeof last);
    std::memcpy(output.data(), &last, sizeof last);
    return output;
  };
  return result;
}

}  // namespace tilescope::gpu
