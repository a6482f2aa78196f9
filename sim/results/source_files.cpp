#include "sim/results/source_files.h"

#include <filesystem>
#include <sstream>

#include "models/support/text_file.h"

namespace tilescope {
namespace {

constexpr std::size_t kMostBytes = std::size_t{16} << 20U;

std::string trimmed(const std::string& text) {
  const std::size_t from = text.find_first_not_of(" \t\r");
  return from == std::string::npos ? "" : text.substr(from, text.find_last_not_of(" \t\r") - from + 1);
}

}  // namespace

std::string SourceFiles::text_of(const std::string& file, int line) {
  if (file.empty() || line < 1) return "";
  auto known = known_.find(file);
  if (known == known_.end()) known = known_.emplace(file, read(file)).first;
  const auto index = static_cast<std::size_t>(line - 1);
  return index < known->second.size() ? known->second[index] : "";
}

std::vector<std::string> SourceFiles::read(const std::string& file) const {
  const std::filesystem::path path = file;
  std::vector<std::filesystem::path> places = {path};
  if (!folder_.empty()) {
    places.push_back(folder_ / path);
    places.push_back(folder_ / path.filename());
  }
  for (const std::filesystem::path& place : places) {
    const auto text = read_text_file(place.string(), kMostBytes);
    if (!text) continue;
    std::vector<std::string> lines;
    std::istringstream stream(*text);
    for (std::string line; std::getline(stream, line);) lines.push_back(trimmed(line));
    return lines;
  }
  return {};
}

}  // namespace tilescope
