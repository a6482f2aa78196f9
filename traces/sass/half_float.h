// FP16 and BF16 as 16 bits, to and from single precision.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

namespace tilescope::sass {

inline float from_bfloat(std::uint32_t bits) { return std::bit_cast<float>(bits << 16U); }

inline float from_half(std::uint32_t bits) {
  const std::uint32_t sign = (bits & 0x8000U) << 16U, exponent = bits >> 10U & 31U, fraction = bits & 0x3ffU;
  if (exponent == 31) return std::bit_cast<float>(sign | 0x7f800000U | fraction << 13U);
  if (exponent != 0) return std::bit_cast<float>(sign | (exponent + 112) << 23U | fraction << 13U);
  const float small = static_cast<float>(fraction) * 0x1p-24F;
  return sign != 0 ? -small : small;
}

// Nearest, ties to even; overflow becomes infinity. Every NaN becomes the one that the hardware makes.
inline std::uint32_t to_half(double value) {
  if (std::isnan(value)) return 0x7fff;
  const std::uint32_t sign = std::signbit(value) ? 0x8000U : 0U;
  const double magnitude = std::fabs(value);
  if (magnitude >= 65520.0) return sign | 0x7c00U;
  if (magnitude < 0x1p-14) return sign | static_cast<std::uint32_t>(std::nearbyint(magnitude * 0x1p24));
  int exponent = 0;
  const double fraction = std::frexp(magnitude, &exponent);                         // [0.5, 1)
  const auto scaled = static_cast<std::uint32_t>(std::nearbyint(fraction * 2048));  // 1024 .. 2048
  return sign | ((static_cast<std::uint32_t>(exponent + 13) << 10U) + scaled);
}

inline std::uint32_t to_bfloat(double value) {
  if (std::isnan(value)) return 0x7fff;
  const auto single = static_cast<float>(value);
  std::uint32_t bits = std::bit_cast<std::uint32_t>(single);
  // Round once: the single may itself have been rounded.
  const std::uint32_t cut = bits & 0xffffU;
  bits >>= 16U;
  if (cut > 0x8000U ||
      (cut == 0x8000U && (std::fabs(value) > std::fabs(static_cast<double>(single)) || (bits & 1U) != 0)))
    ++bits;
  return bits;
}

}  // namespace tilescope::sass
