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

// What probe/run.cu and calls/run.cu fill the input with.
inline constexpr std::size_t kProbeWords = 16384;
inline std::string probe_input() {
  std::string bytes(kProbeWords * 4, '\0');
  std::uint32_t x = 12345;
  for (std::size_t i = 0; i < kProbeWords; ++i) {
    x = x * 1664525U + 1013904223U;
    for (unsigned b = 0; b < 4; ++b) bytes[4 * i + b] = static_cast<char>(x >> 1U >> (8 * b));
  }
  return bytes;
}

// FNV-1a, as they print it of the output.
inline std::uint64_t probe_hash(const std::vector<std::uint8_t>& bytes) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const std::uint8_t byte : bytes) hash = (hash ^ byte) * 0x100000001b3;
  return hash;
}

inline std::unique_ptr<Kernel> sass_kernel(const std::string& launch_file) {
  auto kernel = sass::open_launch_file(launch_file);
  if (!kernel) FAIL(to_string(kernel.error()));
  return std::move(*kernel);
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
