#include "device.h"
#include "flush.h"

namespace tilescope::gpu {
namespace {

constexpr std::size_t kBytes = 256U << 20U;

__global__ void flush_read(const uint4* data, std::size_t count, unsigned* sink) {
  unsigned sum = 0;
  for (std::size_t i = blockIdx.x * static_cast<std::size_t>(blockDim.x) + threadIdx.x; i < count;
       i += static_cast<std::size_t>(gridDim.x) * blockDim.x) {
    const uint4 v = __ldcg(&data[i]);
    sum ^= v.x ^ v.y ^ v.z ^ v.w;
  }
  if (sum == 0x12345678U) {
    *sink = sum;
  }
}

}  // namespace

void flush_l2() {
  static const DeviceBuffer<uint4> data(kBytes / sizeof(uint4));
  static const DeviceBuffer<unsigned> sink(1);
  flush_read<<<256, 1024>>>(data.data(), data.count(), sink.data());
  check(cudaGetLastError(), "flush_read");
}

}  // namespace tilescope::gpu
