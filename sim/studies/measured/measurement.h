// One kernel launch that a GPU ran, as a file of measurements reports it.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "models/isa/kernel.h"

namespace tilescope {

struct Measurement {
  std::string file;
  int line = 0;        // of the row, 1-based
  std::string kernel;  // as the file names it: an instance's name, or a C++ function, mangled or not

  // What the row says about the launch besides: m, n, k, group (files of this project), and each key of the column
  // `parameters`. Empty cells are absent.
  std::map<std::string, std::string> columns;
  std::map<std::string, std::string> parameters;  // the column `parameters` alone
  std::optional<Dim3> grid, block;

  // Counter -> value in base units: cycle, ns, byte, sector, %, hz, ... Empty cells are absent, never zero.
  std::map<std::string, double, std::less<>> metrics;

  // nullopt where it was not measured. Hit rates of L1 are worked out from hits and sectors where the file has only
  // those.
  std::optional<double> metric(std::string_view name) const;

  // The SM clock while the kernel ran, MHz: from *__cycles_elapsed.avg.per_second, or cycles over time. nullopt where
  // neither was measured.
  std::optional<double> sm_mhz() const;

  // "gemm_tiled_t32_a0_b0 512x512x512": the kernel and what its row says about the launch.
  std::string label() const;
};

}  // namespace tilescope
