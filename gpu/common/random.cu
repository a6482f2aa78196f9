#include <cuda_fp16.h>

#include "device.h"
#include "random.h"

namespace tilescope::gpu {
namespace {

__device__ std::uint32_t mix(std::uint32_t x) {  // Wellons' lowbias32
  x ^= x >> 16;
  x *= 0x7feb352dU;
  x ^= x >> 15;
  x *= 0x846ca68bU;
  return x ^ (x >> 16);
}

struct Uniform {
  __device__ float operator()(std::uint32_t bits) const { return static_cast<float>(bits >> 8) * 0x1p-23f - 1.0f; }
};
struct UniformHalf {
  __device__ __half operator()(std::uint32_t bits) const { return __float2half_rn(Uniform{}(bits)); }
};
struct Bits {
  __device__ std::uint32_t operator()(std::uint32_t bits) const { return bits; }
};
struct SmallNumber {
  __device__ float operator()(std::uint32_t bits) const { return static_cast<float>(bits >> 28); }
};

template <class T, class Make>
__global__ void fill(T* data, std::size_t count, std::uint32_t seed, Make make) {
  const std::size_t i = blockIdx.x * static_cast<std::size_t>(blockDim.x) + threadIdx.x;
  if (i < count) {
    data[i] = make(mix(static_cast<std::uint32_t>(i) ^ mix(seed)));
  }
}

template <class T, class Make>
void launch(T* data, std::size_t count, std::uint32_t seed, Make make) {
  fill<<<static_cast<unsigned>((count + 255) / 256), 256>>>(data, count, seed, make);
  check(cudaGetLastError(), "fill");
}

}  // namespace

void fill_random(float* data, std::size_t count, std::uint32_t seed) { launch(data, count, seed, Uniform{}); }

void fill_random_halves(__half* data, std::size_t count, std::uint32_t seed) {
  launch(data, count, seed, UniformHalf{});
}

void fill_random_bits(std::uint32_t* data, std::size_t count, std::uint32_t seed) { launch(data, count, seed, Bits{}); }

void fill_small_numbers(float* data, std::size_t count, std::uint32_t seed) {
  launch(data, count, seed, SmallNumber{});
}

}  // namespace tilescope::gpu
