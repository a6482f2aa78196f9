#include "row.h"

#include <cstdio>

namespace tilescope::gpu {
namespace {

std::string triple(const dim3& d) {
  return "\"(" + std::to_string(d.x) + ", " + std::to_string(d.y) + ", " + std::to_string(d.z) + ")\"";
}

const char* word(Verdict verdict) {
  switch (verdict) {
    case Verdict::kOk:
      return "ok";
    case Verdict::kWrong:
      return "WRONG";
    default:
      return "unchecked";
  }
}

}  // namespace

std::string number(double value, int digits) {
  char text[64];
  std::snprintf(text, sizeof text, "%.*g", digits, value);
  return text;
}

void print_header() {
  std::printf(
      "kernel,m,n,k,group,parameters,block,grid,median_ms,min_ms,sm_mhz,tflops,gbs,result,relative_error,cublas_tflops,"
      "pct_of_cublas\n");
}

void print(const Row& r) {
  std::printf("%s,%s,%s,%s,%s,%s,%s,%s,%.6f,%.6f,%s,%s,%s,%s,%s,%s,%s\n", r.kernel.c_str(), r.m.c_str(), r.n.c_str(),
              r.k.c_str(), r.group.c_str(), r.parameters.c_str(), triple(r.block).c_str(), triple(r.grid).c_str(),
              r.timing.median_ms, r.timing.min_ms, r.timing.sm_mhz > 0 ? number(r.timing.sm_mhz, 5).c_str() : "",
              r.tflops.c_str(), r.gbs.c_str(), word(r.verdict), r.relative_error.c_str(), r.cublas_tflops.c_str(),
              r.pct_of_cublas.c_str());
  std::fflush(stdout);
}

}  // namespace tilescope::gpu
