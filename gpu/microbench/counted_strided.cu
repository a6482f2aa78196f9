// What does DRAM deliver when only part of a line is wanted? Reads `bytes` of every `stride` bytes; for
// dram__bytes_read.
#include "benchmarks.h"
#include "device_probe.cuh"

namespace tilescope::gpu {
namespace {

constexpr int kBufferBytes = 256 << 20;

// Eight lanes read one 32 B sector.
__global__ void probe_strided(const float* data, int sectors_per_stride, int stride_bytes, unsigned* sink) {
  const unsigned piece = (blockIdx.x * blockDim.x + threadIdx.x) / 8;
  const unsigned long long offset = static_cast<unsigned long long>(piece / sectors_per_stride) * stride_bytes +
                                    piece % sectors_per_stride * 32 + threadIdx.x % 8 * 4;
  if (offset < kBufferBytes && __ldcg(data + offset / 4) != 0.0f) {
    *sink = piece;
  }
}

}  // namespace

void counted_strided(Report& report) {
  const Recorder<float> data(kBufferBytes / 4);
  const Recorder<unsigned> sink(1);
  for (const int stride : {32, 64, 128, 256, 512}) {
    for (const int sectors : {1, 2, 3, 4}) {
      if (sectors * 32 > stride || (sectors == 3 && stride == 64)) {
        continue;
      }
      const unsigned pieces = static_cast<unsigned>(kBufferBytes / stride * sectors);
      probe_strided<<<pieces * 8 / 256, 256>>>(data.device(), sectors, stride, sink.device());
      finish("probe_strided");
      report.launch("counted_strided", "bytes=" + std::to_string(sectors * 32) + ";stride=" + std::to_string(stride) +
                                           ";used_bytes=" + std::to_string(static_cast<long long>(pieces) * 32));
    }
  }
}

}  // namespace tilescope::gpu
