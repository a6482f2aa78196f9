#include "traces/file/shape_finder.h"

#include <functional>
#include <string>

#include "traces/file/bytes.h"
#include "traces/file/trace_format.h"

namespace tilescope::trace {

std::uint32_t ShapeFinder::find(std::span<const Instruction> code, const Segment& segment, std::uint32_t likely) {
  const Instruction* const end = code.data() + code.size();
  const std::less<> before;  // also orders pointers into different arrays
  if (before(segment.code, code.data()) || !before(segment.code, end))
    throw Malformed{"a segment lies outside the code"};
  const auto offset = static_cast<std::uint32_t>(segment.code - code.data());
  if (segment.length == 0 || segment.length > code.size() - offset)
    throw Malformed{"a segment has " + std::to_string(segment.length) + " instructions; must be 1 to " +
                    std::to_string(code.size() - offset)};
  const Id id{offset, segment.length, segment.key};
  std::uint32_t shape = likely;
  if (likely == 0 || id != ids_[likely]) {
    const auto [entry, is_new] = known_.try_emplace(id, static_cast<std::uint32_t>(tables_.shapes.size()));
    if (is_new) {
      if (tables_.shapes.size() > kMostShapes) throw Malformed{"has too many distinct segments"};
      tables_.add_shape(id.offset, id.length, renumbered(id.key));
      ids_.push_back(id);
      if (tables_.slots() > kMostSlots) throw Malformed{"has too many operands in distinct segments"};
    }
    shape = entry->second;
  }
  if (tables_.shapes[shape].operands > 0 && segment.operands == nullptr)
    throw Malformed{"a segment lacks its operands"};
  return shape;
}

std::uint32_t ShapeFinder::renumbered(std::uint32_t key) {
  return keys_.try_emplace(key, static_cast<std::uint32_t>(keys_.size())).first->second;
}

}  // namespace tilescope::trace
