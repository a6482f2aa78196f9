// What one bulk or tensor copy moves: which rows of global memory, and where each lies in shared memory.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <tl/expected.hpp>
#include <vector>

#include "models/isa/box_table.h"
#include "traces/sass/tensor_descriptor.h"

namespace tilescope::sass {

// Where a tensor copy begins.
struct BoxPlace {
  std::array<std::int32_t, TensorDescriptor::kMostRank> at{};  // elements
  std::array<std::uint32_t, 3> offsets{};                      // im2col: added to W, H, D
};

inline constexpr std::uint32_t kCopyPart = 16;  // byte: what copies move at once

struct BoxRows {
  struct Row {
    std::uint64_t global = 0;  // address of the first byte inside the tensor
    std::uint32_t shared = 0;  // byte from the box's begin, of the row's first byte
    bool inside = false;       // any of it
    // A row outside the tensor is filled in, but asked for all the same (L2 reads of boxes that reach beyond it, H100);
    // where is not known: here at the same place of the tensor's first box.
    std::uint64_t instead = 0;
  };
  std::vector<Row> rows;
  std::uint32_t row_bytes = 0;     // in shared memory
  std::uint32_t pitch = 0;         // from row to row there: those of a swizzled box take the swizzle's span each
  std::uint32_t skipped = 0;       // byte of a row in front of the first one inside
  std::uint32_t inside_bytes = 0;  // of a row inside the tensor
  std::int64_t bytes() const { return static_cast<std::int64_t>(row_bytes) * static_cast<std::int64_t>(rows.size()); }
  std::int64_t extent() const { return static_cast<std::int64_t>(pitch) * static_cast<std::int64_t>(rows.size()); }
  std::uint64_t base() const;  // of the first row inside, or of what is asked for instead
  // What is asked for (`loads`), or stored.
  BoxPattern pattern(bool loads) const;
};

// One sentence why not: what the hardware stops at, or what is not modelled.
tl::expected<void, std::string> rows_of_box(const TensorDescriptor& map, const BoxPlace& place, BoxRows& to);
// `bytes` in a row. REQUIRES: bytes > 0.
BoxRows rows_of_line(std::uint64_t address, std::uint32_t bytes);

// Where byte `offset` of a box that begins at `shared` lies: the 16-byte parts of 8, 4 or 2 rows of 128 byte change
// places.
constexpr std::uint32_t swizzled(std::uint32_t place, std::uint32_t swizzle) {
  const std::uint32_t mask = swizzle == 128 ? 7U : swizzle == 64 ? 3U : swizzle == 32 ? 1U : 0U;
  return place ^ (place >> 7U & mask) << 4U;
}

}  // namespace tilescope::sass
