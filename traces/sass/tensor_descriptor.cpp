#include "traces/sass/tensor_descriptor.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

namespace tilescope::sass {
namespace {

template <class Number>
Number number_at(std::span<const std::uint8_t> bits, std::size_t at) {
  Number value{};
  std::memcpy(&value, bits.data() + at, sizeof value);
  return value;
}

std::int32_t signed_field(std::uint32_t value, unsigned first, unsigned bits) {
  return static_cast<std::int32_t>(value << (32 - first - bits)) >> (32 - bits);
}

// The corners of an im2col map: of `dimensions` numbers each 16, 8 or 5 bits.
void read_corners(TensorDescriptor& map, std::uint32_t word) {
  const auto dimensions = static_cast<unsigned>(map.rank - 2);
  const unsigned width = dimensions == 1 ? 16 : dimensions == 2 ? 8 : 5;
  for (unsigned d = 0; d < dimensions; ++d) {
    map.lower[d] = signed_field(word & 0xffffU, d * width, width);
    map.upper[d] = signed_field(word >> 16U, d * width, width);
  }
}

std::uint64_t hash_of(std::span<const std::uint8_t> bits) {
  std::uint64_t hash = 0x9E3779B97F4A7C15ULL;
  for (std::size_t i = 0; i < TensorDescriptor::kBytes; i += 8)
    hash = (hash ^ number_at<std::uint64_t>(bits, i)) * 0xD6E8FEB86659FD93ULL, hash ^= hash >> 32U;
  return hash;
}

}  // namespace

std::uint32_t TensorDescriptor::element_bytes() const {
  static constexpr std::uint32_t bytes[] = {1, 2, 4, 4, 8, 8, 2, 4, 4, 8, 2};
  return bytes[static_cast<std::size_t>(type)];
}

tl::expected<TensorDescriptor, std::string> decode_descriptor(std::span<const std::uint8_t> bits) {
  TensorDescriptor map;
  map.address = number_at<std::uint64_t>(bits, 0);
  const auto flags = number_at<std::uint32_t>(bits, 8);
  map.im2col = (flags & 1U) != 0;
  map.rank = static_cast<int>(flags >> 4U & 7U) + 1;
  const std::uint32_t type = flags >> 7U & 15U, interleave = flags >> 11U & 3U, swizzle = flags >> 13U & 3U;
  map.nan_fill = (flags >> 15U & 1U) != 0;
  map.tf32 = (flags >> 16U & 1U) != 0;
  if (map.address == 0) return tl::unexpected(std::string("the tensor map holds no address"));
  if (map.rank > static_cast<int>(TensorDescriptor::kMostRank) || (map.im2col && map.rank < 3))
    return tl::unexpected(fmt::format("the tensor map has {} dimensions", map.rank));
  if (type > static_cast<std::uint32_t>(TensorDescriptor::Type::bf16))
    return tl::unexpected(fmt::format("the tensor map has elements of kind {}, which is not known", type));
  if (interleave != 0) return tl::unexpected(std::string("interleaved tensors are not modelled"));
  map.type = static_cast<TensorDescriptor::Type>(type);
  map.swizzle = swizzle == 0 ? 0 : 16U << swizzle;
  map.strides[0] = map.element_bytes();
  const auto rank = static_cast<std::size_t>(map.rank);
  const auto high = number_at<std::uint32_t>(bits, 28);
  for (std::size_t d = 0; d < rank; ++d) {
    map.dims[d] = std::uint64_t{number_at<std::uint32_t>(bits, 32 + 4 * d)} + 1;
    if (d + 1 < rank)
      map.strides[d + 1] = (number_at<std::uint32_t>(bits, 12 + 4 * d) | std::uint64_t{high >> (4 * d) & 15U} << 32U)
                           << 4U;
    map.steps[d] = (number_at<std::uint16_t>(bits, 52) >> (3 * d) & 7U) + 1;
    if (!map.im2col) map.box[d] = std::uint32_t{bits[55 + d]} + 1;
  }
  map.steps[0] = 1;  // the innermost dimension is walked through without steps
  if (map.im2col) {
    map.channels = std::uint32_t{bits[55]} + 1;
    map.pixels = std::uint32_t{number_at<std::uint16_t>(bits, 60)} + 1;
    if (map.pixels > 1024) return tl::unexpected(fmt::format("the tensor map takes {} pixels", map.pixels));
    read_corners(map, number_at<std::uint32_t>(bits, 56));
  }
  map.key = hash_of(bits);
  return map;
}

tl::expected<std::array<std::uint8_t, kTensorMapBytes>, std::string> encode_descriptor(const TensorMap& map,
                                                                                       std::uint64_t address) {
  static constexpr std::pair<const char*, std::uint32_t> types[] = {{"u8", 0},
                                                                    {"u16", 1},
                                                                    {"u32", 2},
                                                                    {"i32", 3},
                                                                    {"u64", 4},
                                                                    {"i64", 5},
                                                                    {"f16", 6},
                                                                    {"f32", 7},
                                                                    {"f64", 9},
                                                                    {"f32_ftz", 8},
                                                                    {"bf16", 10},
                                                                    {"tf32", 7U | 1U << 9U},
                                                                    {"tf32_ftz", 8U | 1U << 9U}};
  std::array<std::uint8_t, kTensorMapBytes> bits{};
  const auto put = [&bits](std::size_t at, auto value) { std::memcpy(bits.data() + at, &value, sizeof value); };
  const auto* type =
      std::find_if(std::begin(types), std::end(types), [&](const auto& one) { return map.type == one.first; });
  if (type == std::end(types)) return tl::unexpected("type: got '" + map.type + "', which is not modelled");
  const auto one_of = [](const std::string& word, std::initializer_list<const char*> words) -> std::uint32_t {
    std::uint32_t place = 0;
    for (const char* each : words) {
      if (word == each) return place;
      ++place;
    }
    return ~0U;
  };
  const std::uint32_t swizzle = one_of(map.swizzle, {"none", "32", "64", "128"});
  const std::uint32_t interleave = one_of(map.interleave, {"none", "16", "32"});
  const std::uint32_t promotion = one_of(map.l2_promotion, {"none", "64", "128", "256"});
  const std::uint32_t fill = one_of(map.oob_fill, {"none", "nan"});
  if ((swizzle | interleave | promotion | fill) == ~0U)
    return tl::unexpected(
        std::string("swizzle, interleave, l2_promotion or oob_fill is a number that is not modelled"));
  const std::size_t rank = map.dims.size();
  if (rank == 0 || rank > TensorDescriptor::kMostRank)
    return tl::unexpected("dims: got " + std::to_string(rank) + " dimensions; must be 1 to 5");
  put(0, address);
  put(8, static_cast<std::uint32_t>((rank - 1) << 4U) | type->second << 7U | interleave << 11U | swizzle << 13U |
             fill << 15U | promotion << 17U);
  std::uint32_t high = 0;
  std::uint16_t steps = 0;
  for (std::size_t d = 0; d < rank; ++d) {
    put(32 + 4 * d, static_cast<std::uint32_t>(map.dims[d] - 1));
    if (d < map.strides.size()) {
      put(12 + 4 * d, static_cast<std::uint32_t>(map.strides[d] >> 4U));
      high |= static_cast<std::uint32_t>(map.strides[d] >> 36U & 15U) << (4 * d);
    }
    if (d < map.element_strides.size())
      steps = static_cast<std::uint16_t>(steps | (map.element_strides[d] - 1) << (3 * d));
    bits[55 + d] = static_cast<std::uint8_t>(map.box[d] - 1);
  }
  put(28, high);
  put(52, steps);
  return bits;
}

}  // namespace tilescope::sass
