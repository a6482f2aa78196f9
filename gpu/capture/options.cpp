#include "options.h"

#include <cxxabi.h>

#include <charconv>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <sstream>

namespace tilescope::capture {
namespace {

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::string() : value;
}

std::optional<std::uint64_t> number(const std::string& text) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

}  // namespace

bool Options::selects(const std::string& symbol) const {
  return !kernels || std::regex_search(symbol, *kernels) || std::regex_search(readable_name(symbol), *kernels);
}

bool Options::needs(int id, const std::string& symbol) const {
  return !has_needs || memory == Memory::all || needed_ids.count(id) != 0 || needed_kernels.count(symbol) != 0;
}

std::optional<std::uint64_t> bytes_from(const std::string& text) {
  const std::size_t end = std::min(text.find_first_not_of("0123456789"), text.size());
  const auto value = number(text.substr(0, end));
  const std::string unit = text.substr(end);
  const int shift = unit.empty() || unit == "B" ? 0 : unit == "KiB" ? 10 : unit == "MiB" ? 20 : unit == "GiB" ? 30 : -1;
  if (!value || shift < 0 || *value >= (std::uint64_t{1} << (63 - shift))) return std::nullopt;
  return *value << shift;
}

const char* word_of(Memory memory) {
  return memory == Memory::none ? "none" : memory == Memory::inputs ? "inputs" : "all";
}

bool read_needs(const std::string& path, Options& options) {
  std::ifstream file(path);
  if (!file) return false;
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line.substr(0, line.find('#')));
    std::string first, second;
    if (!(words >> first)) continue;
    const auto id = number(first);
    if (words >> second)
      options.needed_kernels.insert(second);
    else if (id)
      options.needed_ids.insert(static_cast<int>(*id));
    else
      options.needed_kernels.insert(first);
  }
  options.has_needs = true;
  return true;
}

Options options_from_environment() {
  Options options;
  options.directory = variable(kDirectoryVariable);
  if (const std::string text = variable(kKernelsVariable); !text.empty()) options.kernels.emplace(text);
  options.skip = number(variable(kSkipVariable)).value_or(options.skip);
  options.count = number(variable(kCountVariable)).value_or(options.count);
  const std::string memory = variable(kMemoryVariable);
  options.memory = memory == "inputs" ? Memory::inputs : memory == "all" ? Memory::all : Memory::none;
  options.memory_limit = number(variable(kMemoryLimitVariable)).value_or(options.memory_limit);
  if (const std::string path = variable(kNeedsVariable); !path.empty()) read_needs(path, options);
  options.whole_cubins = !variable(kCubinsVariable).empty();
  options.profiler_range = !variable(kRangeVariable).empty();
  return options;
}

std::string readable_name(const std::string& symbol) {
  int status = 0;
  const std::unique_ptr<char, void (*)(void*)> text(abi::__cxa_demangle(symbol.c_str(), nullptr, nullptr, &status),
                                                    std::free);
  return status == 0 && text ? text.get() : symbol;
}

}  // namespace tilescope::capture
