#include "models/copy_footprint.h"

#include <array>

namespace tilescope {
namespace {

constexpr std::int64_t kPiece = 16;  // byte of a lane, half a sector

// Which source sectors of one source line fill one sector of shared memory.
struct Filled {
  std::int64_t line = 0;    // of the source
  std::int64_t sector = 0;  // of shared memory
  std::array<std::int8_t, 2> half{-1, -1};
};

struct Fills {
  std::array<Filled, kLanes> all;
  std::size_t count = 0;
};

Fills fills_of(const CopyLanes& lanes) {
  Fills fills;
  const auto from_base = static_cast<std::int64_t>(lanes.from_base % static_cast<std::uint64_t>(kLineBytes));
  const auto to_base = static_cast<std::int64_t>(lanes.to_base);
  for (std::size_t lane = 0; lane < kLanes; ++lane) {
    if (!lanes.from.is_active(static_cast<int>(lane))) continue;
    const std::int64_t from = from_base + lanes.from.offset[lane], to = to_base + lanes.to.offset[lane];
    const std::int64_t line = from / kLineBytes, sector = to / kSectorBytes;
    std::size_t at = fills.count;
    while (at > 0 && (fills.all[at - 1].line != line || fills.all[at - 1].sector != sector)) --at;
    if (at == 0) fills.all[fills.count++] = {line, sector, {-1, -1}}, at = fills.count;
    fills.all[at - 1].half[static_cast<std::size_t>(to / kPiece % 2)] =
        static_cast<std::int8_t>(from % kLineBytes / kSectorBytes);
  }
  return fills;
}

}  // namespace

bool is_shifted(const CopyLanes& lanes) {
  if (lanes.from.bytes != kPiece || lanes.from.active != lanes.to.active) return false;
  std::uint64_t any = 0;
  for (std::size_t lane = 0; lane < kLanes; ++lane)
    if (lanes.from.is_active(static_cast<int>(lane)))
      any |= (lanes.from_base + static_cast<std::uint64_t>(lanes.from.offset[lane])) ^
             (lanes.to_base + static_cast<std::uint64_t>(lanes.to.offset[lane]));
  if ((any & kPiece) == 0) return false;
  const Fills fills = fills_of(lanes);
  for (std::size_t i = 0; i < fills.count; ++i)
    if (fills.all[i].half[0] != fills.all[i].half[1]) return true;
  return false;
}

Footprint shifted_footprint(const CopyLanes& lanes) {
  struct Request {
    std::int64_t line = 0;
    std::int64_t to_line = 0;  // of shared memory
    int half = 0;
    SectorMask sectors;
  };
  std::array<Request, 2 * kLanes> requests;
  std::size_t count = 0;
  const Fills fills = fills_of(lanes);
  const auto ask = [&](const Filled& filled, int half) {
    const std::int64_t to_line = filled.sector / static_cast<std::int64_t>(kSectorsPerLine);
    std::size_t at = 0;
    while (at < count &&
           (requests[at].line != filled.line || requests[at].to_line != to_line || requests[at].half != half))
      ++at;
    if (at == count) requests[count++] = {filled.line, to_line, half, {}};
    requests[at].sectors |= SectorMask::of(static_cast<std::size_t>(filled.half[static_cast<std::size_t>(half)]));
  };
  for (std::size_t i = 0; i < fills.count; ++i) {
    const Filled& filled = fills.all[i];
    if (filled.half[1] >= 0) ask(filled, 1);
    if (filled.half[0] >= 0 && filled.half[0] != filled.half[1]) ask(filled, 0);
  }
  Footprint result;
  result.sectors = static_cast<std::int32_t>(fills.count);
  for (std::size_t i = 0; i < count; ++i)
    result.lines.push_back({requests[i].line, requests[i].sectors, requests[i].sectors});
  return result;
}

}  // namespace tilescope
