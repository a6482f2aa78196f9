// How much a compiled kernel may ask for before it is refused: what a file claims and what code does are not trusted.
//
// docs/limits.md explains each. `tilescope run --limit NAME=VALUE` changes one.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <tl/expected.hpp>

namespace tilescope::sass {

struct Limits {
  std::uint64_t listing_bytes = std::uint64_t{1} << 29U;          // of a listing, and of an ELF text
  std::uint64_t function_instructions = std::uint64_t{1} << 18U;  // of the function that is launched
  std::uint64_t grid_ctas = std::uint64_t{1} << 24U;
  std::uint64_t warp_instructions = std::uint64_t{1} << 26U;  // that one warp executes
  // Of CTAs whose warps exchange values: instructions that one executes, and straight runs kept of all that are
  // resident at once (about 64 byte each).
  std::uint64_t cta_instructions = std::uint64_t{1} << 27U;
  std::uint64_t kept_runs = std::uint64_t{1} << 26U;
  std::uint64_t buffer_bytes = std::uint64_t{1} << 30U;   // contents of all buffers of a launch, as filled
  std::uint64_t written_bytes = std::uint64_t{1} << 32U;  // memory that CTAs resident at once write over
  // Of a grid whose CTAs pass values to each other and are executed one after the other before anything is timed:
  // instructions of all, and memory that they write over with what they have read of it. Beyond them, CTAs run alone.
  std::uint64_t grid_instructions = std::uint64_t{1} << 28U;
  std::uint64_t passed_bytes = std::uint64_t{1} << 30U;
};

struct LimitName {
  std::string_view name;
  std::uint64_t Limits::*value;
  std::string_view meaning;
};
std::span<const LimitName> limit_names();

// "warp_instructions=1000000". Or one sentence why not.
tl::expected<void, std::string> set_limit(Limits& limits, const std::string& assignment);

// "the limit is warp_instructions=67108864; --limit warp_instructions=N changes it"
std::string limit_met(std::string_view name, std::uint64_t value);

// What hardware or its driver fixes, for every GPU from sm_80 to sm_90.
inline constexpr std::int64_t kMostGridX = (std::int64_t{1} << 31U) - 1, kMostGridYZ = 65535;
inline constexpr std::int64_t kMostBlock = 1024, kMostShared = std::int64_t{228} << 10U, kMostRegisters = 255;
inline constexpr std::int64_t kMostCluster = 16;  // CTAs, where the launch may be more than portable
inline constexpr std::uint64_t kConstantBankBytes = std::uint64_t{64} << 10U;
inline constexpr std::uint64_t kMostArgumentBytes = 32764;                      // of all parameters, CUDA 12.1
inline constexpr std::uint64_t kMostBufferAddresses = std::uint64_t{1} << 40U;  // byte, of all buffers of a launch
inline constexpr std::uint64_t kMostVariableBytes = std::uint64_t{1} << 32U;    // of a module's global variables
inline constexpr std::uint64_t kMostVariableContents = std::uint64_t{1} << 28U;
// An error in every line of a long file is said so often.
inline constexpr std::size_t kMostErrors = 1000;

}  // namespace tilescope::sass
