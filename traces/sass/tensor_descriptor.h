// A tensor map as it lies in memory: the bits that the driver's encoder writes and the TMA unit reads.
//
// The places of the fields follow from what cuTensorMapEncodeTiled and cuTensorMapEncodeIm2col write (driver 580,
// H100), field by field; the first 64 bytes say all. Maps that cuBLAS builds itself have these alone.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <tl/expected.hpp>

#include "traces/sass/tensor_map.h"

namespace tilescope::sass {

struct TensorDescriptor {
  static constexpr std::size_t kMostRank = 5;
  static constexpr std::size_t kBytes = 64;  // that say all
  enum class Type : std::uint8_t { u8, u16, u32, i32, u64, i64, f16, f32, f32_ftz, f64, bf16 };

  std::uint64_t address = 0;
  Type type = Type::u8;
  bool tf32 = false;  // numbers are rounded to 10 bits of mantissa
  int rank = 1;
  std::array<std::uint64_t, kMostRank> dims{1, 1, 1, 1, 1};  // elements, the innermost first
  std::array<std::uint64_t, kMostRank> strides{};            // byte; of the innermost: an element
  std::array<std::uint32_t, kMostRank> steps{1, 1, 1, 1, 1};
  bool im2col = false;
  std::array<std::uint32_t, kMostRank> box{1, 1, 1, 1, 1};  // tiled: elements
  std::uint32_t channels = 1, pixels = 1;                   // im2col
  std::array<int, 3> lower{}, upper{};                      // im2col: corners of the bounding box, from W on
  std::uint32_t swizzle = 0;                                // byte: 0, 32, 64, 128
  bool nan_fill = false;

  std::uint32_t element_bytes() const;
  std::uint64_t key = 0;  // a hash of the bits
  bool operator==(const TensorDescriptor&) const = default;
};

// One sentence why, when the bits are no tensor map that is modelled. REQUIRES: kBytes bytes.
tl::expected<TensorDescriptor, std::string> decode_descriptor(std::span<const std::uint8_t> bits);

// What the driver's encoder makes of a launch file's words, for a tensor at `address`; 128 bytes. Nothing when a word
// is a number that has no place here.
tl::expected<std::array<std::uint8_t, kTensorMapBytes>, std::string> encode_descriptor(const TensorMap& map,
                                                                                       std::uint64_t address);

}  // namespace tilescope::sass
