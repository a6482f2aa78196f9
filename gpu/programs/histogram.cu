// Histograms of bytes: one atomic on global memory per byte; a private histogram per CTA in shared memory, then merged;
// a private one per warp. Inputs: evenly spread, and half of them one value.
#include "program.h"

constexpr int bins = 256;

__global__ void histogram_global(const unsigned char* in, unsigned* result, int count) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x)
    atomicAdd(&result[in[i]], 1u);
}

__global__ void histogram_shared(const uchar4* in, unsigned* result, int count) {
  __shared__ unsigned mine[bins];
  for (int i = threadIdx.x; i < bins; i += blockDim.x) mine[i] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count / 4; i += gridDim.x * blockDim.x) {
    const uchar4 four = in[i];
    atomicAdd(&mine[four.x], 1u), atomicAdd(&mine[four.y], 1u), atomicAdd(&mine[four.z], 1u),
        atomicAdd(&mine[four.w], 1u);
  }
  __syncthreads();
  for (int i = threadIdx.x; i < bins; i += blockDim.x) atomicAdd(&result[i], mine[i]);
}

__global__ void histogram_warps(const uchar4* in, unsigned* result, int count) {
  __shared__ unsigned mine[8][bins];
  for (int i = threadIdx.x; i < 8 * bins; i += blockDim.x) mine[i / bins][i % bins] = 0;
  __syncthreads();
  unsigned* counts = mine[threadIdx.x / 32];
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count / 4; i += gridDim.x * blockDim.x) {
    const uchar4 four = in[i];
    atomicAdd(&counts[four.x], 1u), atomicAdd(&counts[four.y], 1u), atomicAdd(&counts[four.z], 1u),
        atomicAdd(&counts[four.w], 1u);
  }
  __syncthreads();
  for (int i = threadIdx.x; i < bins; i += blockDim.x) {
    unsigned sum = 0;
    for (int warp = 0; warp < 8; ++warp) sum += mine[warp][i];
    if (sum != 0) atomicAdd(&result[i], sum);
  }
}

int main() {
  program::take_turn();
  for (const int count : {1 << 17, 1 << 19}) {
    for (const bool skewed : {false, true}) {
      std::vector<unsigned char> values =
          program::repeated(program::random_integers<unsigned char>(count, count, skewed ? 32 : 256));
      if (skewed)
        for (size_t i = 0; i < values.size(); i += 2) values[i] = 7;
      std::vector<unsigned> wanted(bins);
      for (const unsigned char value : values) ++wanted[value];
      program::Device<unsigned char> in(values);
      const auto* fours = reinterpret_cast<const uchar4*>(in.get());
      program::Device<unsigned> first(bins), second(bins), third(bins);
      histogram_global<<<256, 256>>>(in, first, count);
      program::expect_equal("histogram_global", first.host(), wanted);
      histogram_shared<<<132, 256>>>(fours, second, count);
      program::expect_equal("histogram_shared", second.host(), wanted);
      histogram_warps<<<132, 256>>>(fours, third, count);
      program::expect_equal("histogram_warps", third.host(), wanted);
    }
  }
  return program::finish("histogram");
}
