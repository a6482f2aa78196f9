#include <cstdio>

#include "hopper.cuh"

namespace tilescope::gpu {
namespace {

__global__ void say_whether_compiled(int* compiled) {
#ifdef TILESCOPE_SM90A
  *compiled = 1;
#else
  *compiled = 0;
#endif
}

bool runs_sm_90a() {
  int major = 0;
  check(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, 0), "cudaDeviceGetAttribute");
  cudaFuncAttributes attributes{};
  if (major != 9 || cudaFuncGetAttributes(&attributes, say_whether_compiled) != cudaSuccess) {
    cudaGetLastError();  // no code for this GPU is no error
    return false;
  }
  const Recorder<int> compiled(1);
  say_whether_compiled<<<1, 1>>>(compiled.device());
  finish("say_whether_compiled");
  return compiled.host()[0] == 1;
}

}  // namespace

bool has_hopper(const char* benchmark) {
  static const bool has = runs_sm_90a();
  if (!has) {
    std::fprintf(stderr, "%s: not on this GPU: needs sm_90a, and a build for it\n", benchmark);
  }
  return has;
}

}  // namespace tilescope::gpu
