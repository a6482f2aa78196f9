#include "traces/sass/box_copy.h"

#include <fmt/format.h>

#include <algorithm>

namespace tilescope::sass {
namespace {

constexpr std::uint64_t kMostBoxBytes = std::uint64_t{228} << 10U;  // no shared memory holds more

// Which part of a row along the innermost dimension lies inside the tensor.
void clip_row(const TensorDescriptor& map, std::int64_t first, std::uint32_t elements, BoxRows& to) {
  const auto bytes = map.element_bytes();
  const std::int64_t begin = std::clamp<std::int64_t>(-first, 0, elements);
  const std::int64_t end = std::clamp<std::int64_t>(static_cast<std::int64_t>(map.dims[0]) - first, begin, elements);
  to.row_bytes = elements * bytes;
  to.pitch = map.swizzle != 0 ? map.swizzle : to.row_bytes;
  to.skipped = static_cast<std::uint32_t>(begin) * bytes;
  to.inside_bytes = static_cast<std::uint32_t>(end - begin) * bytes;
}

tl::expected<void, std::string> check(const TensorDescriptor& map, std::int64_t first, std::uint64_t rows,
                                      std::uint32_t elements) {
  const std::uint64_t row_bytes = std::uint64_t{elements} * map.element_bytes();
  if (row_bytes % kCopyPart != 0)
    return tl::unexpected(fmt::format("a row of the box has {} byte; must be a multiple of {}", row_bytes, kCopyPart));
  if ((first * static_cast<std::int64_t>(map.element_bytes())) % kCopyPart != 0)
    return tl::unexpected(
        fmt::format("the box begins at element {} of its rows, no multiple of {} byte", first, kCopyPart));
  if (map.swizzle != 0 && row_bytes > map.swizzle)
    return tl::unexpected(
        fmt::format("a row of the box has {} byte, more than the swizzle's {}", row_bytes, map.swizzle));
  const std::uint64_t bytes = rows * std::max<std::uint64_t>(row_bytes, map.swizzle);
  if (bytes > kMostBoxBytes)
    return tl::unexpected(fmt::format("a box of {} byte; shared memory holds {}", bytes, kMostBoxBytes));
  return {};
}

tl::expected<void, std::string> tiled(const TensorDescriptor& map, const BoxPlace& place, BoxRows& to) {
  std::array<std::uint32_t, TensorDescriptor::kMostRank> counts{1, 1, 1, 1, 1};
  std::uint64_t rows = 1;
  for (std::size_t d = 1; d < static_cast<std::size_t>(map.rank); ++d) {
    counts[d] = (map.box[d] + map.steps[d] - 1) / map.steps[d];
    rows *= counts[d];
  }
  if (auto checked = check(map, place.at[0], rows, map.box[0]); !checked) return checked;
  clip_row(map, place.at[0], map.box[0], to);
  to.rows.reserve(rows);
  std::array<std::uint32_t, TensorDescriptor::kMostRank> index{};
  for (std::uint64_t row = 0; row < rows; ++row) {
    BoxRows::Row one;
    one.shared = static_cast<std::uint32_t>(row) * to.pitch;
    one.inside = to.inside_bytes != 0;
    one.global = map.address + static_cast<std::uint64_t>(
                                   (place.at[0] + static_cast<std::int64_t>(to.skipped / map.element_bytes())) *
                                   static_cast<std::int64_t>(map.element_bytes()));
    one.instead = map.address;
    for (std::size_t d = 1; d < static_cast<std::size_t>(map.rank); ++d) {
      one.instead += std::min<std::uint64_t>(index[d] * map.steps[d], map.dims[d] - 1) * map.strides[d];
      const std::int64_t at = std::int64_t{place.at[d]} + std::int64_t{index[d]} * map.steps[d];
      one.inside = one.inside && at >= 0 && static_cast<std::uint64_t>(at) < map.dims[d];
      one.global += static_cast<std::uint64_t>(at) * map.strides[d];
    }
    to.rows.push_back(one);
    for (std::size_t d = 1; d < static_cast<std::size_t>(map.rank) && ++index[d] == counts[d]; ++d) index[d] = 0;
  }
  return {};
}

// Pixels of a convolution's input: along W within the bounding box, then H, D, and the next image.
tl::expected<void, std::string> im2col(const TensorDescriptor& map, const BoxPlace& place, BoxRows& to) {
  if (auto checked = check(map, place.at[0], map.pixels, map.channels); !checked) return checked;
  clip_row(map, place.at[0], map.channels, to);
  const auto spatial = static_cast<std::size_t>(map.rank - 2);
  std::array<std::int64_t, 4> at{};
  for (std::size_t d = 0; d <= spatial; ++d) at[d] = place.at[d + 1];
  to.rows.reserve(map.pixels);
  for (std::uint32_t pixel = 0; pixel < map.pixels; ++pixel) {
    BoxRows::Row one;
    one.shared = pixel * to.pitch;
    one.inside = to.inside_bytes != 0;
    one.global =
        map.address + static_cast<std::uint64_t>(
                          std::int64_t{place.at[0]} * static_cast<std::int64_t>(map.element_bytes()) + to.skipped);
    one.instead = map.address + std::min<std::uint64_t>(pixel, map.dims[1] - 1) * map.strides[1];
    for (std::size_t d = 0; d <= spatial; ++d) {
      const std::int64_t where = at[d] + (d < spatial ? std::int64_t{place.offsets[d]} : 0);
      one.inside = one.inside && where >= 0 && static_cast<std::uint64_t>(where) < map.dims[d + 1];
      one.global += static_cast<std::uint64_t>(where) * map.strides[d + 1];
    }
    to.rows.push_back(one);
    for (std::size_t d = 0; d <= spatial; ++d) {
      if (d == spatial) {
        ++at[d];
        break;
      }
      at[d] += map.steps[d + 1];
      const std::int64_t last = static_cast<std::int64_t>(map.dims[d + 1]) - 1 + map.upper[d];
      if (at[d] <= last) break;
      at[d] = map.lower[d];
    }
  }
  return {};
}

}  // namespace

std::uint64_t BoxRows::base() const {
  const auto first = std::find_if(rows.begin(), rows.end(), [](const Row& row) { return row.inside; });
  return first != rows.end() ? first->global : rows.empty() ? 0 : rows.front().instead;
}

BoxPattern BoxRows::pattern(bool loads) const {
  BoxPattern pattern;
  pattern.bytes = bytes();
  pattern.row_bytes = loads ? row_bytes : inside_bytes;
  const std::uint64_t first = base();
  for (const Row& row : rows)
    if (row.inside || loads)
      pattern.rows.push_back(static_cast<std::int64_t>((row.inside ? row.global : row.instead) - first));
  return pattern;
}

tl::expected<void, std::string> rows_of_box(const TensorDescriptor& map, const BoxPlace& place, BoxRows& to) {
  to = {};
  return map.im2col ? im2col(map, place, to) : tiled(map, place, to);
}

BoxRows rows_of_line(std::uint64_t address, std::uint32_t bytes) {
  BoxRows line;
  line.row_bytes = line.pitch = line.inside_bytes = bytes;
  line.rows.push_back({address, 0, true, 0});
  return line;
}

}  // namespace tilescope::sass
