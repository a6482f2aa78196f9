#include <algorithm>
#include <limits>
#include <utility>

#include "../common/random.h"
#include "memory.h"
#include "reread.cuh"

namespace tilescope::gpu {
namespace {

using Kernel = void (*)(const char*, double*, RereadShape, float);

constexpr int kUnroll = 8;

// The instances with 1 to 2 * kUnroll loads in flight.
template <class T, bool kCached, std::size_t... kIndex>
Kernel unrolled(int unroll, std::index_sequence<kIndex...>) {
  static constexpr Kernel kTable[] = {&reread<T, kCached, kIndex + 1>...};
  return kTable[unroll - 1];
}

template <class T>
Kernel kernel(bool cached, int unroll) {
  constexpr std::make_index_sequence<2 * kUnroll> kAll{};
  return cached ? unrolled<T, true>(unroll, kAll) : unrolled<T, false>(unroll, kAll);
}

// What the threads of the whole grid read in all, summed on the host.
double total(const std::vector<char>& input, const RereadShape& shape, std::int64_t ctas, bool cyclic) {
  const auto* const words = reinterpret_cast<const float*>(input.data());
  const auto sum_of = [&](std::int64_t begin, std::int64_t bytes) {
    double sum = 0;
    for (std::int64_t i = begin / 4; i < (begin + bytes) / 4; ++i) {
      sum += words[i];
    }
    return sum;
  };
  if (cyclic) {
    return shape.passes * sum_of(0, shape.reach);
  }
  double sum = 0;
  for (std::int64_t begin = 0; begin < shape.begins; ++begin) {
    const std::int64_t readers = ctas / shape.begins + (begin < ctas % shape.begins ? 1 : 0);
    sum += static_cast<double>(readers) * sum_of(begin * shape.begin_pitch, shape.reach);
  }
  return shape.passes * sum;
}

}  // namespace

// Unrolls as the simulator's generator does: eight loads in flight, or all rows where there are at most sixteen.
MemoryLaunch plan_reread(const ParameterValues& values) {
  const std::string& form = values.word("form");
  const std::int64_t bytes = values.number("bytes");
  const std::int64_t chunk = values.number("chunk");
  const std::int64_t ctas = values.number("ctas");
  const std::int64_t threads = values.number("threads");
  const std::int64_t width = values.number("width");
  const bool cyclic = form == "cyclic";
  const bool shared_set = form == "shared_set";
  require(bytes % width == 0, "bytes", std::to_string(bytes), "a multiple of width=" + std::to_string(width));
  if (shared_set) {
    require(chunk % width == 0, "chunk", std::to_string(chunk), "a multiple of width=" + std::to_string(width));
    require(bytes <= chunk || bytes % chunk == 0, "bytes", std::to_string(bytes),
            "a multiple of chunk=" + std::to_string(chunk));
  }
  const std::int64_t region = shared_set ? std::min(chunk, bytes) : bytes;
  const std::int64_t row_bytes = threads * width;
  const std::int64_t row_stride = row_bytes * (cyclic ? ctas : 1);
  const std::int64_t rows = region / row_stride;
  const int unroll = rows >= 1 && rows <= 2 * kUnroll ? static_cast<int>(rows) : kUnroll;
  const bool cached = values.number("cached") == 1;
  const Kernel chosen = width == 4   ? kernel<float>(cached, unroll)
                        : width == 8 ? kernel<float2>(cached, unroll)
                                     : kernel<float4>(cached, unroll);

  RereadShape shape{};
  shape.begins = static_cast<int>(cyclic ? ctas : std::max<std::int64_t>(1, bytes / region));
  shape.begin_pitch = cyclic ? row_bytes : region;
  shape.reach_from_begin = !cyclic;
  shape.reach = region;
  shape.row_stride = row_stride;
  shape.blocks = static_cast<int>(rows / unroll);
  shape.passes = static_cast<int>(values.number("passes"));

  MemoryLaunch result;
  result.symbol = reinterpret_cast<const void*>(chosen);
  result.grid = dim3(static_cast<unsigned>(ctas));
  result.block = dim3(static_cast<unsigned>(threads));
  result.input_bytes = static_cast<std::size_t>(bytes);
  result.output_bytes = sizeof(double);
  result.moved_bytes = static_cast<double>(region) * (cyclic ? 1 : static_cast<double>(ctas)) * shape.passes;
  result.only_reads = true;
  result.prepare = [bytes](void* input, std::uint32_t seed) {
    fill_small_numbers(static_cast<float*>(input), static_cast<std::size_t>(bytes) / sizeof(float), seed);
  };
  result.launch = [grid = result.grid, block = result.block, chosen, shape](const void* input, void* output,
                                                                            bool keep) {
    constexpr float kInfinity = std::numeric_limits<float>::infinity();
    chosen<<<grid, block>>>(static_cast<const char*>(input), static_cast<double*>(output), shape,
                            keep ? -kInfinity : kInfinity);
  };
  result.expected = [shape, ctas, cyclic](const std::vector<char>& input, const void*) {
    return bytes_of(total(input, shape, ctas, cyclic));
  };
  return result;
}

}  // namespace tilescope::gpu
