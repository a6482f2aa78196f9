// The input is a mapping file; what is accepted maps a few rows.
#include <cstddef>
#include <cstdint>
#include <string>

#include "sim/studies/measured/kernel_mapping.h"
#include "sim/studies/measured/measurement_reader.h"

namespace {

const std::vector<tilescope::Measurement>& rows() {
  static const auto all = [] {
    std::string text = "kernel,parameters,m,n,k,group,block,grid,smsp__inst_executed.sum\n";
    for (const char* name : {"gemm_naive_col_32x8", "gemm_tiled_t32_a0_b0", "copy", "my_gemm_128", "aaaaaaaaaaaaaaaa"})
      text += std::string(name) + ",bytes=4096;vec=4,512,256,128,8,\"(32, 8, 1)\",\"(16, 64, 1)\",12345\n";
    return *tilescope::read_measurement_text(text, "rows.csv");
  }();
  return all;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto mapping =
      tilescope::KernelMapping::read_text(std::string(reinterpret_cast<const char*>(data), size), "input.yaml");
  if (!mapping) return 0;
  for (const auto& row : rows()) (void)mapping->map(row);
  return 0;
}
