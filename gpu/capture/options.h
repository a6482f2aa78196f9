// What the launcher asks of the recorder, through the environment of the program.
#pragma once

#include <cstdint>
#include <optional>
#include <regex>
#include <set>
#include <string>

namespace tilescope::capture {

enum class Memory { none, inputs, all };

struct Options {
  std::string directory;
  std::optional<std::regex> kernels;                  // occurs in the symbol or the C++ name; unset: every kernel
  std::uint64_t skip = 0, count = ~std::uint64_t{0};  // launches of those kernels, in launch order
  Memory memory = Memory::none;
  std::uint64_t memory_limit = std::uint64_t{256} << 20;  // byte per launch
  bool has_needs = false;                                 // memory of the launches below alone
  std::set<int> needed_ids;
  std::set<std::string> needed_kernels;
  bool whole_cubins = false;
  bool profiler_range = false;  // launches between cudaProfilerStart and cudaProfilerStop alone

  bool selects(const std::string& symbol) const;
  bool needs(int id, const std::string& symbol) const;
};

constexpr const char* kDirectoryVariable = "TILESCOPE_CAPTURE_DIR";
constexpr const char* kKernelsVariable = "TILESCOPE_CAPTURE_KERNELS";
constexpr const char* kSkipVariable = "TILESCOPE_CAPTURE_SKIP";
constexpr const char* kCountVariable = "TILESCOPE_CAPTURE_COUNT";
constexpr const char* kMemoryVariable = "TILESCOPE_CAPTURE_MEMORY";
constexpr const char* kMemoryLimitVariable = "TILESCOPE_CAPTURE_MEMORY_LIMIT";
constexpr const char* kNeedsVariable = "TILESCOPE_CAPTURE_NEEDS";
constexpr const char* kRangeVariable = "TILESCOPE_CAPTURE_RANGE";
constexpr const char* kCubinsVariable = "TILESCOPE_CAPTURE_CUBINS";

// An empty directory: nothing is to be recorded. The launcher has checked the values.
Options options_from_environment();

// What a needs file says: one launch per line, `ID KERNEL`, `ID` or `KERNEL`; '#' begins a remark. A line with a
// kernel's name means all launches of that kernel. False: it cannot be read.
bool read_needs(const std::string& path, Options& options);

const char* word_of(Memory memory);

// "4096", "64KiB", "16MiB", "2GiB".
std::optional<std::uint64_t> bytes_from(const std::string& text);

// The C++ name of a symbol, or the symbol.
std::string readable_name(const std::string& symbol);

}  // namespace tilescope::capture
