// Compiled kernels for tests: launch files made on the spot, and what their streams count.
#pragma once

#include <doctest/doctest.h>
#include <unistd.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "traces/sass/launch_file.h"
#include "traces/sass/sass_kernel.h"

namespace tilescope::test {

inline const std::string sass_data = TILESCOPE_TEST_DATA "/sass/";
inline const std::string sass_samples = TILESCOPE_SOURCE_DIR "/traces/samples/sass/";

// A folder that is gone after the test.
struct SassScratch {
  std::filesystem::path path =
      std::filesystem::temp_directory_path() / ("tilescope_sass_test_" + std::to_string(getpid()));
  SassScratch() { std::filesystem::create_directories(path); }
  ~SassScratch() { std::filesystem::remove_all(path); }
  std::string write(const std::string& name, const std::string& contents) const {
    std::ofstream(path / name, std::ios::binary) << contents;
    return (path / name).string();
  }
};

inline std::unique_ptr<Kernel> sass_kernel(const std::string& launch_file) {
  auto kernel = sass::open_launch_file(launch_file);
  if (!kernel) FAIL(to_string(kernel.error()));
  return std::move(*kernel);
}

// Counts by the names of Nsight Compute: asynchronous copies make requests of loads, LDSM wavefronts of loads.
struct SassCounts {
  std::int64_t instructions = 0, load_requests = 0, load_sectors = 0, store_requests = 0, store_sectors = 0;
  std::int64_t load_wavefronts = 0, store_wavefronts = 0;
  std::map<OpClass, std::int64_t> executed;
};

inline SassCounts count_ctas(const Kernel& kernel, std::int64_t first, std::int64_t count) {
  SassCounts sum;
  const PatternTable& patterns = kernel.patterns();
  std::vector<std::unique_ptr<WarpStream>> streams;
  for (std::int64_t cta = first; cta < first + count; ++cta) {
    for (std::int64_t warp = 0; warp < kernel.launch().warps_per_cta(); ++warp) {
      if (static_cast<std::int64_t>(streams.size()) <= warp) streams.push_back(kernel.make_stream());
      WarpStream& stream = *streams[static_cast<std::size_t>(warp)];
      stream.start(cta, static_cast<int>(warp), Operands::all);
      for (Segment segment; stream.next(segment);) {
        const MemoryOperand* operand = segment.operands;
        for (std::uint32_t i = 0; i < segment.length; ++i) {
          const OpClass op = segment.code[i].op;
          ++sum.instructions;
          ++sum.executed[op];
          const auto footprint = [&] { return patterns.footprint(operand->pattern, operand->base).sectors; };
          if (memory_operands(op) != 0 && operand->pattern != 0) {
            if (op == OpClass::global_load || op == OpClass::async_copy)
              ++sum.load_requests, sum.load_sectors += footprint();
            if (op == OpClass::global_store) ++sum.store_requests, sum.store_sectors += footprint();
            if (op == OpClass::shared_load || op == OpClass::matrix_load)
              sum.load_wavefronts += patterns.shared_cost(operand->pattern, SharedOp::load).wavefronts;
            if (op == OpClass::shared_store)
              sum.store_wavefronts += patterns.shared_cost(operand->pattern, SharedOp::store).wavefronts;
          }
          operand += memory_operands(op);
        }
      }
    }
  }
  return sum;
}

// A table of tests/data/sass: rows of named cells.
inline std::vector<std::map<std::string, std::string>> sass_table(const std::string& file) {
  std::vector<std::map<std::string, std::string>> rows;
  std::vector<std::string> header;
  std::ifstream stream(sass_data + file);
  for (std::string line; std::getline(stream, line);) {
    if (line.starts_with("#")) continue;
    std::vector<std::string> cells;
    std::istringstream parts(line);
    for (std::string cell; std::getline(parts, cell, ',');) cells.push_back(cell);
    if (header.empty()) {
      header = cells;
      continue;
    }
    auto& row = rows.emplace_back();
    for (std::size_t i = 0; i < cells.size() && i < header.size(); ++i) row[header[i]] = cells[i];
  }
  return rows;
}

}  // namespace tilescope::test
