// The constants of a .tst file: docs/trace-format.md describes what they mean.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace tilescope::trace {

inline constexpr std::uint32_t kVersion = 1;

// The magics hold a byte above 127 and both line ends, so that a transfer as text is noticed.
inline constexpr std::string_view kMagic{"\x89TST\r\n\x1a\n", 8};
inline constexpr std::string_view kEndMagic{"\x89TSTEND\n", 8};
inline constexpr std::size_t kHeaderBytes = 16;  // magic, version (u32), zero (u32)
inline constexpr std::size_t kTrailerBytes =
    32;  // directory offset (u64), its length (u64), file length (u64), end magic

// Limits that a reader checks before it allocates, and a writer before it writes.
inline constexpr std::uint64_t kLargestFrame = 64ULL << 20;   // byte, a frame's content
inline constexpr std::uint64_t kLargestRecord = 16ULL << 20;  // byte, one warp
inline constexpr std::uint64_t kMostCode = 1ULL << 20;        // instructions
inline constexpr std::uint64_t kMostPatterns = 1ULL << 20;
inline constexpr std::uint64_t kMostShapes = 1ULL << 20;
inline constexpr std::uint64_t kMostSlots = 1ULL << 22;  // operands of all shapes together
inline constexpr std::uint64_t kMostWarps = 1ULL << 40;
inline constexpr std::uint64_t kMostSegments = 1ULL << 26;       // of one warp
inline constexpr std::uint64_t kMostTraceSegments = 1ULL << 32;  // of all warps
inline constexpr std::uint64_t kLargestTrace = 8ULL << 30;       // byte, the contents of all frames
inline constexpr std::uint64_t kMostThreads = 1024;              // of one CTA
inline constexpr std::uint64_t kMostText = 4096;                 // byte, one name or value
inline constexpr std::uint64_t kMostParameters = 1024;
inline constexpr std::uint64_t kMostBlockWarps = 65536;

// How many of the first segments of a block's first warp predict the others.
inline constexpr std::uint64_t kLeaderSegments = 4096;

}  // namespace tilescope::trace
