// What do stores cost device memory when only part of a line is written? Two million places `stride` bytes apart get
// `bytes` each: a whole sector, half of it or a word of it. For gpc__cycles_elapsed, dram__bytes_read and
// dram__bytes_write.
#include <string>

#include "benchmarks.h"
#include "device_probe.cuh"

namespace tilescope::gpu {
namespace {

constexpr unsigned kPlaces = 2U << 20U;

// A thread stores a word or 16 bytes; two of them store a sector.
__global__ void probe_strided_stores(char* data, unsigned stride, unsigned bytes) {
  const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned threads = bytes == 32 ? 2 : 1;
  char* const place = data + static_cast<std::size_t>(thread / threads) * stride + thread % threads * 16;
  if (bytes == 4) {
    *reinterpret_cast<unsigned*>(place) = thread;
  } else {
    *reinterpret_cast<uint4*>(place) = {thread, thread, thread, thread};
  }
}

}  // namespace

void counted_strided_stores(Report& report) {
  const Recorder<char> data(static_cast<std::size_t>(kPlaces) * 512);
  for (const unsigned stride : {32U, 64U, 128U, 256U, 512U}) {
    for (const unsigned bytes : {32U, 16U, 4U}) {
      probe_strided_stores<<<kPlaces*(bytes == 32 ? 2 : 1) / 256, 256>>>(data.device(), stride, bytes);
      finish("probe_strided_stores");
      report.launch("counted_strided_stores", "bytes=" + std::to_string(bytes) + ";stride=" + std::to_string(stride));
    }
  }
}

}  // namespace tilescope::gpu
