#include "traces/sass/memory_access.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "traces/sass/decoded.h"
#include "traces/sass/lanes.h"

namespace tilescope::sass {
namespace {

template <class Visit>
void each_lane(std::uint32_t mask, Visit visit) {
  if (mask == kAllLanes) {
    for (std::size_t l = 0; l < kLanes; ++l) visit(l);
    return;
  }
  for (; mask != 0; mask &= mask - 1) visit(static_cast<std::size_t>(std::countr_zero(mask)));
}

template <std::size_t Bytes>
constexpr std::size_t kWords = Bytes > 4 ? Bytes / 4 : 1;

Word sign_extended(Word value, std::size_t bytes) {
  const auto unused = static_cast<unsigned>(32 - 8 * bytes);
  return static_cast<Word>(static_cast<std::int32_t>(value << unused) >> unused);
}

// `place(lane)`: where the lane's bytes lie.
template <std::size_t Bytes, class Place>
void load_from(WarpState& warp, const MicroOp& op, std::uint32_t mask, Place place) {
  std::array<Word*, kWords<Bytes>> to{};
  for (std::size_t w = 0; w < to.size(); ++w)
    to[w] = written_register(warp, following(op.first_out, static_cast<int>(w))).data();
  const bool is_signed = (op.flags & 256U) != 0;
  each_lane(mask, [&](std::size_t l) {
    std::array<Word, kWords<Bytes>> data{};
    std::memcpy(data.data(), place(l), Bytes);
    if (Bytes < 4 && is_signed) data[0] = sign_extended(data[0], Bytes);
    for (std::size_t w = 0; w < data.size(); ++w) to[w][l] = data[w];
  });
}

template <std::size_t Bytes, class Place>
void store_to(WarpState& warp, const MicroOp& op, std::uint32_t mask, Place place) {
  std::array<const Word*, kWords<Bytes>> from{};
  for (std::size_t w = 0; w < from.size(); ++w)
    from[w] = read_register(warp, following(op.first_in, static_cast<int>(w))).data();
  each_lane(mask, [&](std::size_t l) {
    std::array<Word, kWords<Bytes>> data{};
    for (std::size_t w = 0; w < data.size(); ++w) data[w] = from[w][l];
    if (std::uint8_t* to = place(l)) std::memcpy(to, data.data(), Bytes);
  });
}

template <std::size_t Bytes>
void load_sized(WarpState& warp, const MicroOp& op, std::uint32_t mask) {
  CtaMemory& memory = *warp.memory;
  if (static_cast<Space>(warp.space) == Space::shared)
    load_from<Bytes>(warp, op, mask,
                     [&](std::size_t l) { return memory.shared(static_cast<std::uint32_t>(warp.address[l]), Bytes); });
  else
    load_from<Bytes>(warp, op, mask, [&](std::size_t l) { return memory.global(warp.address[l], Bytes); });
}

template <std::size_t Bytes>
void load_floating_sized(WarpState& warp, const MicroOp& op, std::uint32_t mask) {
  bool made_up = false;
  load_from<Bytes>(warp, op, mask,
                   [&](std::size_t l) { return warp.memory->floating(warp.address[l], Bytes, made_up); });
  if (made_up) warp.launch->unrecorded->note(op.instruction);
}

template <std::size_t Bytes>
void store_sized(WarpState& warp, const MicroOp& op, std::uint32_t mask) {
  CtaMemory& memory = *warp.memory;
  if (static_cast<Space>(warp.space) == Space::shared)
    store_to<Bytes>(warp, op, mask, [&](std::size_t l) {
      return memory.shared_to_write(static_cast<std::uint32_t>(warp.address[l]), Bytes);
    });
  else
    store_to<Bytes>(warp, op, mask, [&](std::size_t l) { return memory.global_to_write(warp.address[l], Bytes); });
}

// Do all lanes have the address of the first?
bool same_address(const WarpState& warp) {
  std::uint64_t differs = 0;
  for (const std::uint64_t address : warp.address) differs |= address ^ warp.address[0];
  return differs == 0;
}

void load_local(WarpState& warp, const MicroOp& op, std::uint32_t mask) {
  const std::size_t bytes = op.flags & 255U, words = std::max<std::size_t>(1, bytes / 4);
  const bool together = bytes >= 4 && mask == kAllLanes && same_address(warp);
  for (std::size_t w = 0; w < words; ++w) {
    LaneArray& to = written_register(warp, following(op.first_out, static_cast<int>(w)));
    if (together) {
      const LaneArray* row = warp.local->row(warp.address[0] + 4 * w);
      if (row != nullptr) to = *row;
      continue;
    }
    each_lane(mask, [&](std::size_t l) {
      const LaneArray* row = warp.local->row(warp.address[l] + 4 * w);
      Word value = row != nullptr ? (*row)[l] : 0;
      if (bytes < 4) {
        value = value >> (8 * (warp.address[l] & 3U)) & ((1U << (8 * bytes)) - 1U);
        if ((op.flags & 256U) != 0) value = sign_extended(value, bytes);
      }
      to[l] = value;
    });
  }
}

void store_local(WarpState& warp, const MicroOp& op, std::uint32_t mask) {
  const std::size_t bytes = op.flags & 255U, words = std::max<std::size_t>(1, bytes / 4);
  for (std::size_t w = 0; w < words; ++w) {
    const LaneArray& from = read_register(warp, following(op.first_in, static_cast<int>(w)));
    each_lane(mask, [&](std::size_t l) {
      LaneArray* row = warp.local->row(warp.address[l] + 4 * w);
      if (row == nullptr) return;
      const auto shift = bytes < 4 ? static_cast<unsigned>(8 * (warp.address[l] & 3U)) : 0U;
      const Word kept = bytes < 4 ? ~(((1U << (8 * bytes)) - 1U) << shift) : 0U;
      (*row)[l] = ((*row)[l] & kept) | (from[l] << shift & ~kept);
    });
  }
}

}  // namespace

void load_lanes(WarpState& warp, const MicroOp& op, std::uint32_t mask) {
  const bool local = static_cast<Space>(warp.space) == Space::local;
  if (local ? warp.local == nullptr : warp.memory == nullptr) return;
  if (local) return load_local(warp, op, mask);
  switch (op.flags & 255U) {
    case 1:
      return load_sized<1>(warp, op, mask);
    case 2:
      return load_sized<2>(warp, op, mask);
    case 8:
      return load_sized<8>(warp, op, mask);
    case 16:
      return load_sized<16>(warp, op, mask);
    default:
      return load_sized<4>(warp, op, mask);
  }
}

void load_floating_lanes(WarpState& warp, const MicroOp& op, std::uint32_t mask) {
  if (static_cast<Space>(warp.space) != Space::global || warp.memory == nullptr) return load_lanes(warp, op, mask);
  switch (op.flags & 255U) {
    case 2:
      return load_floating_sized<2>(warp, op, mask);
    case 8:
      return load_floating_sized<8>(warp, op, mask);
    case 16:
      return load_floating_sized<16>(warp, op, mask);
    default:
      return load_floating_sized<4>(warp, op, mask);
  }
}

void store_lanes(WarpState& warp, const MicroOp& op, std::uint32_t mask) {
  const bool local = static_cast<Space>(warp.space) == Space::local;
  if (local ? warp.local == nullptr : warp.memory == nullptr) return;
  if (local) return store_local(warp, op, mask);
  switch (op.flags & 255U) {
    case 1:
      return store_sized<1>(warp, op, mask);
    case 2:
      return store_sized<2>(warp, op, mask);
    case 8:
      return store_sized<8>(warp, op, mask);
    case 16:
      return store_sized<16>(warp, op, mask);
    default:
      return store_sized<4>(warp, op, mask);
  }
}

const std::uint8_t* place_to_read(WarpState& warp, int lane, std::size_t bytes) {
  const std::uint64_t at = warp.address[static_cast<std::size_t>(lane)];
  return static_cast<Space>(warp.space) == Space::shared ? warp.memory->shared(static_cast<std::uint32_t>(at), bytes)
                                                         : warp.memory->global(at, bytes);
}

std::uint8_t* place_to_write(WarpState& warp, int lane, std::size_t bytes) {
  const std::uint64_t at = warp.address[static_cast<std::size_t>(lane)];
  return static_cast<Space>(warp.space) == Space::shared
             ? warp.memory->shared_to_write(static_cast<std::uint32_t>(at), bytes)
             : warp.memory->global_to_write(at, bytes);
}

}  // namespace tilescope::sass
