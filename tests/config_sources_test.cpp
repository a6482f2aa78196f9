// Every parameter of a shipped GPU names where its value comes from.
#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <regex>
#include <string>

#include "models/gpu_spec.h"
#include "models/support/spec_reader.h"

TEST_CASE("each value in configs/gpus says whether it was measured, published or assumed, and from what") {
  const std::regex value("^ +[a-z0-9_]+: .*$");
  const std::regex sourced("^ +[a-z0-9_]+: +[^#]+# [MPA]: .{4,}$");
  int files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(std::string(TILESCOPE_SOURCE_DIR) + "/configs/gpus")) {
    ++files;
    std::ifstream in(entry.path());
    int number = 0;
    for (std::string line; std::getline(in, line);) {
      ++number;
      if (!std::regex_match(line, value)) continue;
      INFO(entry.path().filename().string() << ":" << number << ": " << line);
      CHECK(std::regex_match(line, sourced));
    }
    CHECK(tilescope::read_spec<tilescope::GpuSpec>(entry.path().string()).has_value());
  }
  CHECK(files >= 3);
}
