// The input is a file of measurements, of Nsight Compute or of this project.
#include <cstddef>
#include <cstdint>
#include <string>

#include "sim/studies/measured/measurement_reader.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto rows =
      tilescope::read_measurement_text(std::string(reinterpret_cast<const char*>(data), size), "input.csv");
  if (!rows) return 0;
  for (const auto& row : *rows) {
    (void)row.label();
    (void)row.sm_mhz();
  }
  return 0;
}
