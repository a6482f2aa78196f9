// Another layout of one array in shared memory, found by trying: rows further apart, or columns permuted by row, so
// that the accesses that occur have the fewest wavefronts in all.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sim/studies/explain/access_survey.h"
#include "sim/studies/explain/changed_kernel.h"

namespace tilescope::explain {

struct SharedLayout {
  enum class Kind : std::uint8_t { padding, xor_swizzle };
  Kind kind = Kind::padding;
  std::uint64_t from = 0, to = 0;  // of the array, byte
  std::int64_t pitch = 0;          // of a row, byte
  std::int64_t padding = 0;        // byte added to each row
  int unit = 4;                    // byte that stay together: the widest access
  int shift = 0;                   // swizzle: unit ^ ((row >> shift) % units of a row)
  std::uint64_t wavefronts = 0;    // of the accesses surveyed
  std::uint64_t before = 0, ideal = 0;

  // Byte of shared memory that a CTA needs more. What lies behind the array keeps its banks: a multiple of 128.
  std::int64_t more_bytes() const;
  std::uint64_t moved(std::uint64_t address) const;
  SharedMap map() const;
  // "pad rows of 128 B by 4 B", "XOR swizzle in rows of 128 B, units of 4 B"
  std::string sentence() const;
};

// Whether the array's accesses lie where shared memory can be.
bool can_be_laid_out(const SharedArray& array);

// The least padding and the simplest swizzle that bring the array's accesses down furthest, at most one of each;
// paddings first. Empty when no access has a conflict or nothing helps.
std::vector<SharedLayout> layouts(const SharedBanks& banks, const Survey& survey, const SharedArray& array);

}  // namespace tilescope::explain
