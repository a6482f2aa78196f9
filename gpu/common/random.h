// Fresh inputs on the device: the same for the same seed on any machine.
#pragma once

#include <cstddef>
#include <cstdint>

struct __half;  // cuda_fp16.h

namespace tilescope::gpu {

// Uniform in [-1, 1).
void fill_random(float* data, std::size_t count, std::uint32_t seed);

// The same, rounded.
void fill_random_halves(__half* data, std::size_t count, std::uint32_t seed);

// Any 32 bits.
void fill_random_bits(std::uint32_t* data, std::size_t count, std::uint32_t seed);

// 0 to 15, so that sums of a million of them are exact in FP32 whatever the order.
void fill_small_numbers(float* data, std::size_t count, std::uint32_t seed);

}  // namespace tilescope::gpu
