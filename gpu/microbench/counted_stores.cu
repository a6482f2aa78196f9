// What does L2 take in? The whole GPU stores to 16 MiB that stay in L2, in pieces of `bytes` that neighbouring lanes
// write together; for gpc__cycles_elapsed, lts__t_sectors_op_write and lts__t_requests. pitch: from one piece of a
// request to the next; what a pass leaves out, later passes fill in, as the stores of a transposition do. pitch=far:
// the pieces of a request are spread over the buffer.
#include "benchmarks.h"
#include "device_probe.cuh"

namespace tilescope::gpu {
namespace {

constexpr unsigned kBufferBytes = 16U << 20;
constexpr unsigned kStoredBytes = 8U << 20;  // in a launch, if every lane's word is new
constexpr unsigned kPerThread = 8;

__global__ void probe_stores(char* data, unsigned bytes, unsigned pitch) {
  const unsigned lanes = bytes / 4;
  const unsigned warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
  const unsigned lane = threadIdx.x % 32;
  for (unsigned i = 0; i < kPerThread; ++i) {
    const unsigned piece = (warp * kPerThread + i) * (32 / lanes) + lane / lanes;
    unsigned offset;
    if (pitch == 0) {  // an odd factor: every piece once
      offset = piece * 2654435761U % (kBufferBytes / bytes) * bytes;
    } else {
      const unsigned per_pass = kBufferBytes / pitch;
      offset = piece % per_pass * pitch + piece / per_pass * bytes;
    }
    *reinterpret_cast<unsigned*>(data + offset + lane % lanes * 4) = piece;
  }
}

}  // namespace

void counted_stores(Report& report) {
  const Recorder<char> data(kBufferBytes);
  const unsigned grid = kStoredBytes / 4 / kPerThread / 256;
  for (const unsigned bytes : {4U, 8U, 16U, 32U, 64U, 128U}) {
    for (const unsigned pitch : {32U, 64U, 128U, 1024U, 4096U, 0U}) {
      if (pitch != 0 && pitch < bytes) {
        continue;
      }
      probe_stores<<<grid, 256>>>(data.device(), bytes, pitch);
      finish("probe_stores");
      report.launch("counted_stores", "bytes=" + std::to_string(bytes) +
                                          ";pitch=" + (pitch == 0 ? std::string("far") : std::to_string(pitch)) +
                                          ";pieces=" + std::to_string(kStoredBytes / bytes));
    }
  }
}

}  // namespace tilescope::gpu
