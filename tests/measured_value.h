// Values of gpu/measured/GPU/BENCHMARK.csv, as the microbenchmark of that name wrote them.
#pragma once

#include <doctest/doctest.h>

#include <fstream>
#include <string>

namespace tilescope::test {

// `row`: case and metric, with a comma between them.
inline double measured_value(const std::string& gpu_name, const std::string& benchmark, const std::string& row) {
  std::ifstream file(TILESCOPE_SOURCE_DIR "/gpu/measured/" + gpu_name + "/" + benchmark + ".csv");
  const std::string begin = benchmark + "," + row + ",";
  for (std::string line; std::getline(file, line);)
    if (line.starts_with(begin)) return std::stod(line.substr(begin.size()));
  FAIL("no row: " << row);
  return 0;
}

}  // namespace tilescope::test
