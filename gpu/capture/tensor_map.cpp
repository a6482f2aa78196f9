#include "tensor_map.h"

namespace tilescope::capture {
namespace {

template <class Number>
std::string list(const Number* numbers, unsigned count) {
  std::string text = "[";
  for (unsigned i = 0; numbers != nullptr && i < count; ++i) text += (i == 0 ? "" : ", ") + std::to_string(numbers[i]);
  return text + "]";
}

// The word of a value of an enumeration that counts from 0; its number where it is newer than this text.
template <std::size_t count>
std::string word(const char* const (&words)[count], int value) {
  return value >= 0 && static_cast<std::size_t>(value) < count ? words[value] : std::to_string(value);
}

constexpr const char* kTypes[] = {"u8",  "u16", "u32",  "i32",     "u64",  "i64",     "f16",
                                  "f32", "f64", "bf16", "f32_ftz", "tf32", "tf32_ftz"};
constexpr const char* kInterleaves[] = {"none", "16", "32"};
constexpr const char* kSwizzles[] = {"none", "32", "64", "128"};
constexpr const char* kPromotions[] = {"none", "64", "128", "256"};
constexpr const char* kFills[] = {"none", "nan"};

}  // namespace

TensorMap describe(const TensorMapArguments& map) {
  TensorMap result;
  result.address = map.address;
  result.words = "type: " + word(kTypes, map.type) + ", dims: " + list(map.dims, map.rank) +
                 ", strides: " + list(map.strides, map.rank == 0 ? 0 : map.rank - 1) +
                 ", box: " + list(map.box, map.rank) + ", element_strides: " + list(map.element_strides, map.rank) +
                 ", swizzle: " + word(kSwizzles, map.swizzle) + ", interleave: " + word(kInterleaves, map.interleave) +
                 ", l2_promotion: " + word(kPromotions, map.l2_promotion) + ", oob_fill: " + word(kFills, map.oob_fill);
  return result;
}

}  // namespace tilescope::capture
