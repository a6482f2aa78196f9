#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include "traces/file/trace_reader.h"

namespace tilescope::test {
namespace {

const std::string kSource = TILESCOPE_SOURCE_DIR;

std::string content_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream content;
  content << file.rdbuf();
  return content.str();
}

// A line of xxd: "00000210: aa1d a3ce ...  text" -> the bytes; empty for any other line.
std::string bytes_of(const std::string& line) {
  constexpr std::size_t first = 10, longest = 40;
  std::string bytes;
  if (line.size() < first || line.find_first_not_of("0123456789abcdef") != 8 || line[8] != ':') return bytes;
  std::string digits;
  for (const char c : line.substr(first, longest).substr(0, line.find("  ", first) - first))
    if (c != ' ') digits += c;
  for (std::size_t i = 0; i + 1 < digits.size(); i += 2)
    bytes += static_cast<char>(std::stoi(digits.substr(i, 2), nullptr, 16));
  return bytes;
}

}  // namespace

TEST_CASE("the samples in traces/samples are whole and small") {
  int samples = 0;
  for (const auto& entry : std::filesystem::directory_iterator(kSource + "/traces/samples")) {
    if (entry.path().extension() != ".tst") continue;
    CAPTURE(entry.path().string());
    CHECK_NOTHROW(validate_trace(entry.path().string()));
    CHECK(entry.file_size() < 64 * 1024);
    ++samples;
  }
  CHECK(samples == 5);
}

TEST_CASE("the worked example of docs/trace-format.md shows the bytes of its sample") {
  const std::string sample = content_of(kSource + "/traces/samples/tiny.tst");
  std::istringstream doc(content_of(kSource + "/docs/trace-format.md"));
  int lines = 0;
  for (std::string line; lines < 9 && std::getline(doc, line);) {  // five of the beginning, four of the end
    const std::string bytes = bytes_of(line);
    if (bytes.empty()) continue;
    CAPTURE(line);
    CHECK(sample.substr(std::stoul(line, nullptr, 16), bytes.size()) == bytes);
    ++lines;
  }
  CHECK(lines == 9);
}

}  // namespace tilescope::test
