#include "device_probe.cuh"

namespace tilescope::gpu {
namespace {

__global__ void read_all(const uint4* data, std::size_t count, unsigned* sink) {
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
  static const Recorder<uint4> data((256u << 20) / sizeof(uint4));
  static const Recorder<unsigned> sink(1);
  read_all<<<sm_count() * 2, 1024>>>(data.device(), (256u << 20) / sizeof(uint4), sink.device());
  finish("read_all");
}

}  // namespace tilescope::gpu
