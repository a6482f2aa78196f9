#include <limits>

#include "../common/random.h"
#include "copy.cuh"
#include "memory.h"

namespace tilescope::gpu {
namespace {

// Element numbers are 32-bit integers in the kernels.
void require_small(const char* what, std::int64_t value, std::int64_t elements) {
  require(elements <= std::numeric_limits<int>::max(), what, std::to_string(value),
          "so small that element numbers fit 31 bits");
}

unsigned ctas(std::int64_t elements, std::int64_t threads) {
  const std::int64_t per_cta = threads * kCopyUnroll;
  return static_cast<unsigned>((elements + per_cta - 1) / per_cta);
}

template <class T>
MemoryLaunch copy_of(std::int64_t bytes, std::int64_t threads) {
  const auto width = static_cast<std::int64_t>(sizeof(T));
  const std::int64_t elements = bytes / width;
  require_small("bytes", bytes, elements + threads * kCopyUnroll);
  MemoryLaunch result;
  result.symbol = reinterpret_cast<const void*>(&copy<T>);
  result.grid = dim3(ctas(elements, threads));
  result.block = dim3(static_cast<unsigned>(threads));
  result.input_bytes = result.output_bytes = static_cast<std::size_t>(bytes);
  result.moved_bytes = 2.0 * static_cast<double>(bytes);
  result.prepare = [bytes](void* input, std::uint32_t seed) {
    fill_random_bits(static_cast<std::uint32_t*>(input), static_cast<std::size_t>(bytes) / 4, seed);
  };
  result.launch = [grid = result.grid, block = result.block, elements](const void* input, void* output, bool) {
    copy<T><<<grid, block>>>(static_cast<const T*>(input), static_cast<T*>(output), static_cast<int>(elements));
  };
  result.expected = [](const std::vector<char>& input, const void*) { return input; };
  return result;
}

template <class T>
MemoryLaunch strided_of(std::int64_t elements, std::int64_t stride, std::int64_t threads) {
  const auto width = static_cast<std::int64_t>(sizeof(T));
  require_small("elements", elements, (elements + threads * kCopyUnroll) * stride);
  MemoryLaunch result;
  result.symbol = reinterpret_cast<const void*>(&strided<T>);
  result.grid = dim3(ctas(elements, threads));
  result.block = dim3(static_cast<unsigned>(threads));
  result.input_bytes = static_cast<std::size_t>(elements * stride * width);
  result.output_bytes = sizeof(double);
  result.moved_bytes = static_cast<double>(elements * width);
  result.only_reads = true;
  result.prepare = [bytes = result.input_bytes](void* input, std::uint32_t seed) {
    fill_small_numbers(static_cast<float*>(input), bytes / sizeof(float), seed);
  };
  result.launch = [grid = result.grid, block = result.block, elements, stride](const void* input, void* output,
                                                                               bool keep) {
    constexpr float kInfinity = std::numeric_limits<float>::infinity();
    strided<T><<<grid, block>>>(static_cast<const T*>(input), static_cast<double*>(output), static_cast<int>(elements),
                                static_cast<int>(stride), keep ? -kInfinity : kInfinity);
  };
  result.expected = [elements, stride](const std::vector<char>& input, const void*) {
    const auto* const words = reinterpret_cast<const float*>(input.data());
    double sum = 0;
    for (std::int64_t i = 0; i < elements; ++i) {
      sum += words[i * stride * static_cast<std::int64_t>(sizeof(T) / sizeof(float))];
    }
    return bytes_of(sum);
  };
  return result;
}

}  // namespace

MemoryLaunch plan_copy(const ParameterValues& values) {
  const std::int64_t bytes = values.number("bytes");
  const std::int64_t width = values.number("width");
  const std::int64_t threads = values.number("threads");
  require(bytes % width == 0, "bytes", std::to_string(bytes), "a multiple of width=" + std::to_string(width));
  return width == 4   ? copy_of<float>(bytes, threads)
         : width == 8 ? copy_of<float2>(bytes, threads)
                      : copy_of<float4>(bytes, threads);
}

MemoryLaunch plan_strided(const ParameterValues& values) {
  const std::int64_t elements = values.number("elements");
  const std::int64_t stride = values.number("stride");
  const std::int64_t width = values.number("width");
  const std::int64_t threads = values.number("threads");
  return width == 4   ? strided_of<float>(elements, stride, threads)
         : width == 8 ? strided_of<float2>(elements, stride, threads)
                      : strided_of<float4>(elements, stride, threads);
}

}  // namespace tilescope::gpu
