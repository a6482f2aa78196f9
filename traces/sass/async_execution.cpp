#include "traces/sass/async_execution.h"

#include <fmt/format.h>

#include <bit>
#include <cstring>
#include <stdexcept>

#include "traces/sass/address_windows.h"
#include "traces/sass/half_float.h"
#include "traces/sass/lanes.h"
#include "traces/sass/mbarrier_word.h"

namespace tilescope::sass {
namespace {

std::uint32_t uniform(const WarpState& warp, RegisterId first, int step) {
  return is_zero(first) ? 0 : read_register(warp, following(first, step))[0];
}
std::uint64_t uniform_wide(const WarpState& warp, RegisterId first) {
  return uniform(warp, first, 0) | std::uint64_t{uniform(warp, first, 1)} << 32U;
}

// A place as CtaMemory takes it.
std::uint32_t memory_address(std::uint32_t place) { return place_of(rank_of(place) + 1, offset_of(place)); }

// A part of a row in the mantissa of TF32, rounded to nearest.
void round_tf32(std::uint8_t* bytes, std::size_t count) {
  for (std::size_t i = 0; i + 4 <= count; i += 4) {
    std::uint32_t word = 0;
    std::memcpy(&word, bytes + i, 4);
    if ((word & 0x7f800000U) != 0x7f800000U) word = (word + 0x1000U) & ~0x1fffU;
    std::memcpy(bytes + i, &word, 4);
  }
}

template <class Number>
void add_as(std::uint8_t* to, const std::uint8_t* from) {
  Number a, b;
  std::memcpy(&a, to, sizeof a);
  std::memcpy(&b, from, sizeof b);
  a = static_cast<Number>(a + b);
  std::memcpy(to, &a, sizeof a);
}

void add_element(TensorDescriptor::Type type, std::uint8_t* to, const std::uint8_t* from) {
  using Type = TensorDescriptor::Type;
  switch (type) {
    case Type::u32:
    case Type::i32:
      return add_as<std::uint32_t>(to, from);
    case Type::u64:
    case Type::i64:
      return add_as<std::uint64_t>(to, from);
    case Type::f32:
    case Type::f32_ftz:
      return add_as<float>(to, from);
    case Type::f64:
      return add_as<double>(to, from);
    default:
      throw std::runtime_error("sums of these elements are not computed here, and memory needs them");
  }
}

}  // namespace

std::uint32_t AsyncExecution::place_in_cluster(const WarpState& warp, std::uint64_t address, bool anywhere) const {
  const auto place = static_cast<std::uint32_t>(address);
  const std::uint32_t rank = anywhere ? rank_of(place) : warp.rank;
  if (rank >= warp.memory->ctas())
    throw std::runtime_error(
        fmt::format("the address {:#x} names CTA {} of a cluster of {}", address, rank, warp.memory->ctas()));
  return place_of(rank, offset_of(place));
}

std::uint8_t* AsyncExecution::barrier_at(WarpState& warp, std::uint32_t place) const {
  std::uint8_t* bytes = warp.memory->shared_to_write(memory_address(place), 8);
  if (offset_of(place) % 8 != 0) throw std::runtime_error("misaligned address: not a multiple of 8 byte");
  if (bytes == nullptr) throw std::runtime_error("the mbarrier lies outside the shared memory of its CTA");
  return bytes;
}

void AsyncExecution::execute(WarpState& warp, const Decoded& decoded, std::uint32_t lanes, bool values,
                             std::vector<AsyncOperand>& operands) {
  const std::size_t first = operands.size();
  switch (decoded.async.kind) {
    case AsyncKind::none:
      return;
    case AsyncKind::barrier_set:
    case AsyncKind::barrier_invalidate:
    case AsyncKind::barrier_arrive:
    case AsyncKind::barrier_test:
    case AsyncKind::copies_arrive:
      execute_barrier(warp, decoded, lanes, operands);
      break;
    case AsyncKind::store:
    case AsyncKind::add:
      store(warp, decoded, lanes, values, operands);
      break;
    default:
      if (lanes != 0) copy(warp, decoded, values, operands);
      break;
  }
  if (operands.size() == first) operands.emplace_back();
  operands[first].more = static_cast<std::uint8_t>(operands.size() - first - 1);
}

void AsyncExecution::execute_barrier(WarpState& warp, const Decoded& decoded, std::uint32_t lanes,
                                     std::vector<AsyncOperand>& operands) {
  const AsyncInstruction& async = decoded.async;
  const LaneArray* rest = is_zero(async.rest) ? nullptr : &read_register(warp, async.rest);
  if (decoded.op.whole_warp && lanes != 0) lanes = 1;
  std::uint32_t found_complete = 0, tested = lanes;
  LaneArray state{};
  for (std::uint32_t left = lanes; left != 0;) {
    // Lanes at the same mbarrier, with the same numbers.
    const auto first = static_cast<std::size_t>(std::countr_zero(left));
    const std::uint32_t word = rest != nullptr ? (*rest)[first] : 0;
    std::uint32_t same = 0;
    for (std::uint32_t mask = left; mask != 0; mask &= mask - 1) {
      const auto l = static_cast<std::size_t>(std::countr_zero(mask));
      if (warp.address[l] == warp.address[first] && (rest == nullptr || (*rest)[l] == word)) same |= 1U << l;
    }
    left &= ~same;
    const std::uint32_t place = place_in_cluster(warp, warp.address[first], async.anywhere);
    std::uint8_t* bytes = barrier_at(warp, place);
    AsyncOperand operand{.barrier = place};
    if (async.kind == AsyncKind::barrier_set) {
      const std::uint64_t value = word | std::uint64_t{uniform(warp, async.rest, 1)} << 32U;
      std::memcpy(bytes, &value, sizeof value);
      const MbarrierWord barrier = MbarrierWord::read(bytes);
      if (barrier.expected != barrier.pending || barrier.bytes != 0)
        throw std::runtime_error("an mbarrier begins in the middle of a phase");
      operand.arrivals = barrier.expected;
      operand.parity = barrier.parity ? 1 : 0;
    } else if (async.kind == AsyncKind::barrier_test) {
      operand.parity = static_cast<std::uint8_t>(word >> 31U);
      operand.arrivals = static_cast<std::uint32_t>(std::popcount(same));
      operand.complete = MbarrierWord::read(bytes).parity != (operand.parity != 0);
      if (operand.complete) found_complete |= same;
    } else if (async.kind != AsyncKind::barrier_invalidate) {
      state[first] = 0;
      std::uint64_t before = 0;
      std::memcpy(&before, bytes, sizeof before);
      for (std::uint32_t mask = same; mask != 0; mask &= mask - 1)
        state[static_cast<std::size_t>(std::countr_zero(mask))] = static_cast<std::uint32_t>(before >> 32U);
      arrive(warp, decoded, place, same, operand);
    }
    operands.push_back(operand);
  }
  if (async.kind == AsyncKind::barrier_test)
    set_predicate(warp, decoded.op.predicate_out[0], found_complete, tested);
  else if (async.kind == AsyncKind::barrier_arrive)
    merge(output(warp, decoded.op.out_high), state, lanes);
}

void AsyncExecution::arrive(WarpState& warp, const Decoded& decoded, std::uint32_t place, std::uint32_t lanes,
                            AsyncOperand& operand) {
  const AsyncInstruction& async = decoded.async;
  const std::uint32_t word =
      is_zero(async.rest) ? 0 : read_register(warp, async.rest)[static_cast<std::size_t>(std::countr_zero(lanes))];
  const auto count = static_cast<std::int64_t>(std::popcount(lanes));
  const std::int64_t arrivals = count * async.arrivals * (async.count_in_register ? std::int64_t{word} : 1);
  const std::int64_t more =
      count * async.bytes * (async.bytes_in_register ? std::int64_t{static_cast<std::int32_t>(word)} : 1);
  std::uint8_t* bytes = barrier_at(warp, place);
  MbarrierWord barrier = MbarrierWord::read(bytes);
  if (!barrier.expect(more)) throw std::runtime_error("the mbarrier can not count so many bytes");
  if (arrivals > MbarrierWord::kMostCount || !barrier.arrive(static_cast<std::uint32_t>(arrivals), async.drops))
    throw std::runtime_error(fmt::format("{} arrive at an mbarrier that waits for {} more", arrivals, barrier.pending));
  if (arrivals != 0 || more != 0) barrier.settle();
  barrier.write(bytes);
  ++warp.memory->barrier_changes;
  operand.arrivals = static_cast<std::uint32_t>(arrivals);
  operand.transactions = static_cast<std::int32_t>(more);
  operand.drops = async.drops ? 1 : 0;
}

bool AsyncExecution::waits(WarpState& warp, const Decoded& decoded, std::uint32_t lanes) const {
  const LaneArray* rest = is_zero(decoded.async.rest) ? nullptr : &read_register(warp, decoded.async.rest);
  for (; lanes != 0; lanes &= lanes - 1) {
    const auto l = static_cast<std::size_t>(std::countr_zero(lanes));
    const std::uint8_t* bytes = barrier_at(warp, place_in_cluster(warp, warp.address[l], false));
    if (MbarrierWord::read(bytes).parity == (rest != nullptr && (*rest)[l] >> 31U != 0)) return true;
  }
  return false;
}

// Lane by lane: each stores at a place of its own and completes its bytes on the mbarrier beside it.
void AsyncExecution::store(WarpState& warp, const Decoded& decoded, std::uint32_t lanes, bool values,
                           std::vector<AsyncOperand>& operands) {
  const AsyncInstruction& async = decoded.async;
  const LaneArray &places = read_register(warp, async.first),
                  &barriers = read_register(warp, following(async.first, 1));
  const std::uint32_t bytes = 4U * async.words;
  for (; lanes != 0; lanes &= lanes - 1) {
    const auto l = static_cast<std::size_t>(std::countr_zero(lanes));
    const std::uint32_t place = place_in_cluster(warp, places[l] + static_cast<std::uint32_t>(async.offset), true);
    const std::uint32_t barrier = place_in_cluster(warp, barriers[l], true);
    if (offset_of(place) % bytes != 0) throw std::runtime_error("misaligned address");
    std::uint8_t* to = warp.memory->shared_to_write(memory_address(place), bytes);
    if (to == nullptr) throw std::runtime_error("the place lies outside the shared memory of its CTA");
    for (int w = 0; values && w < async.words; ++w) {
      const std::uint32_t word = read_register(warp, following(decoded.op.first_in, w))[l];
      if (async.kind == AsyncKind::add)
        add_as<std::uint32_t>(to + 4 * w, reinterpret_cast<const std::uint8_t*>(&word));
      else
        std::memcpy(to + 4 * w, &word, 4);
    }
    if (values) warp.memory->set_known(memory_address(place), bytes, true);
    std::uint8_t* at = barrier_at(warp, barrier);
    MbarrierWord word = MbarrierWord::read(at);
    word.expect(-static_cast<std::int64_t>(bytes));
    word.settle();
    word.write(at);
    ++warp.memory->barrier_changes;
    AsyncOperand* known = operands.empty() || operands.back().barrier != barrier || operands.back().arrivals == 0
                              ? nullptr
                              : &operands.back();
    if (known != nullptr && lanes != 0 && rank_of(known->shared) == rank_of(place)) {
      known->transactions -= static_cast<std::int32_t>(bytes);
      ++known->arrivals;
    } else {
      operands.push_back(
          {.shared = place, .barrier = barrier, .arrivals = 1, .transactions = -static_cast<std::int32_t>(bytes)});
    }
  }
}

const TensorDescriptor& AsyncExecution::descriptor_at(WarpState& warp, std::uint64_t address) {
  if (address % TensorDescriptor::kBytes != 0)
    throw std::runtime_error(fmt::format("the tensor map's address {:#x} is no multiple of 64", address));
  std::array<std::uint8_t, TensorDescriptor::kBytes> bits{};
  if (in_window(address, kParameterWindow)) {
    const std::vector<std::uint8_t>& bank = launch_.constants.at(0);
    if (address - kParameterWindow + bits.size() > bank.size())
      throw std::runtime_error("the tensor map lies behind the parameters");
    std::memcpy(bits.data(), bank.data() + (address - kParameterWindow), bits.size());
  } else {
    for (std::size_t at = 0; at < bits.size(); at += kCopyPart)
      std::memcpy(bits.data() + at, warp.memory->global(address + at, kCopyPart), kCopyPart);
  }
  if (bits != bits_ || map_.address == 0) {
    auto map = decode_descriptor(bits);
    if (!map) throw std::runtime_error(map.error());
    map_ = *map;
    bits_ = bits;
  }
  return map_;
}

void AsyncExecution::find_box(WarpState& warp, const Decoded& decoded) {
  const AsyncInstruction& async = decoded.async;
  const TensorDescriptor& map = descriptor_at(warp, uniform_wide(warp, async.address));
  if (map.rank != async.rank || map.im2col != async.im2col) {
    // A store walks through an im2col map's pixels as a load does, without offsets.
    throw std::runtime_error(fmt::format("the tensor map has {} dimensions{}; the instruction asks for {}{}", map.rank,
                                         map.im2col ? " (im2col)" : "", async.rank, async.im2col ? " (im2col)" : ""));
  }
  const int ahead = async.kind == AsyncKind::load_box ? 2 : async.kind == AsyncKind::prefetch_box ? 0 : 1;
  BoxPlace place;
  for (int d = 0; d < async.rank; ++d)
    place.at[static_cast<std::size_t>(d)] = static_cast<std::int32_t>(uniform(warp, async.first, ahead + d));
  if (async.im2col) {
    const unsigned bits = async.rank == 3 ? 16 : async.rank == 4 ? 8 : 5;
    for (unsigned d = 0; d + 2 < async.rank; ++d)
      place.offsets[d] = uniform(warp, async.rest, 0) >> (bits * d) & ((1U << bits) - 1);
  }
  if (auto found = rows_of_box(map, place, rows_); !found) throw std::runtime_error(found.error());
}

void AsyncExecution::find_line(WarpState& warp, const Decoded& decoded) {
  const std::uint32_t bytes = (uniform(warp, decoded.async.rest, 0) & 0xffffU) * kCopyPart;
  const std::uint64_t address = uniform_wide(warp, decoded.async.address);
  if (bytes == 0) throw std::runtime_error("a bulk copy of no byte");
  if (address % kCopyPart != 0) throw std::runtime_error("misaligned address: not a multiple of 16 byte");
  map_.address = 0;  // no tensor map
  rows_ = rows_of_line(address, bytes);
}

BoxId AsyncExecution::id_of_rows(bool loads) {
  BoxPattern pattern = rows_.pattern(loads);
  if (last_id_ == 0 || pattern != pattern_) {
    last_id_ = patterns_.boxes.intern(pattern);
    pattern_ = std::move(pattern);
  }
  return last_id_;
}

void AsyncExecution::copy(WarpState& warp, const Decoded& decoded, bool values, std::vector<AsyncOperand>& operands) {
  const AsyncInstruction& async = decoded.async;
  const bool box = async.kind == AsyncKind::load_box || async.kind == AsyncKind::store_box ||
                   async.kind == AsyncKind::reduce_box || async.kind == AsyncKind::prefetch_box;
  if (box)
    find_box(warp, decoded);
  else
    find_line(warp, decoded);
  AsyncOperand operand{.address = rows_.base(), .box = id_of_rows(!decoded.stores_box())};
  const bool prefetches = async.kind == AsyncKind::prefetch_box || async.kind == AsyncKind::prefetch_line;
  if (!prefetches) {
    const std::uint64_t first = uniform(warp, async.first, 0);
    operand.shared = place_in_cluster(warp, first, decoded.loads_box());
    if (operand.shared % kCopyPart != 0)
      throw std::runtime_error("misaligned place in shared memory: not a multiple of 16");
    if (offset_of(operand.shared) + static_cast<std::uint64_t>(rows_.extent()) > warp.memory->shared_bytes())
      throw std::runtime_error("the copy reaches beyond the shared memory of its CTA");
  }
  if (decoded.loads_box()) {
    operand.ctas = 1U << rank_of(operand.shared);
    if (async.multicast) operand.ctas = uniform(warp, async.rest, 0) >> 16U;
    if (operand.ctas == 0) {  // to nobody: nothing is asked for
      operands.emplace_back();
      return;
    }
    if (operand.ctas >> warp.memory->ctas() != 0)
      throw std::runtime_error(
          fmt::format("the copy goes to CTAs {:#x} of a cluster of {}", operand.ctas, warp.memory->ctas()));
    operand.barrier = place_in_cluster(warp, uniform(warp, async.first, 1), true);
    operand.transactions = -static_cast<std::int32_t>(rows_.bytes());
    for (std::uint32_t left = operand.ctas; left != 0; left &= left - 1) {
      const auto rank = static_cast<std::uint32_t>(std::countr_zero(left));
      std::uint8_t* at =
          barrier_at(warp, async.multicast ? place_of(rank, offset_of(operand.barrier)) : operand.barrier);
      MbarrierWord barrier = MbarrierWord::read(at);
      if (!barrier.expect(operand.transactions)) throw std::runtime_error("the mbarrier can not count so many bytes");
      barrier.settle();
      barrier.write(at);
      ++warp.memory->barrier_changes;
    }
    if (values) load(warp, operand);
  } else if (decoded.stores_box() && values) {
    write_back(warp, decoded, operand.shared);
  }
  operands.push_back(operand);
}

void AsyncExecution::load(WarpState& warp, const AsyncOperand& operand) {
  const bool box = map_.address != 0;
  for (std::uint32_t left = operand.ctas; left != 0; left &= left - 1) {
    const std::uint32_t to =
        memory_address(place_of(static_cast<std::uint32_t>(std::countr_zero(left)), offset_of(operand.shared)));
    for (const BoxRows::Row& row : rows_.rows) {
      for (std::uint32_t at = 0; at < rows_.row_bytes; at += kCopyPart) {
        const std::uint32_t place = to + row.shared + at;
        std::uint8_t* bytes = warp.memory->shared_to_write(
            place_of(rank_of(place), swizzled(offset_of(place), box ? map_.swizzle : 0)), kCopyPart);
        const std::uint32_t begin = std::max(at, rows_.skipped);
        const std::uint32_t end = std::min(at + kCopyPart, rows_.skipped + rows_.inside_bytes);
        const bool any = row.inside && begin < end;
        if (!any || end - begin < kCopyPart) {
          std::memset(bytes, 0, kCopyPart);
          if (box && map_.nan_fill) {
            const bool wide = map_.element_bytes() == 4;
            for (std::uint32_t i = 0; i < kCopyPart; ++i)
              bytes[i] = (i % (wide ? 4U : 2U)) == (wide ? 3U : 1U) ? 0x7f : 0xff;
          }
        }
        if (!any) continue;
        const std::uint64_t from = row.global + (begin - rows_.skipped);
        if (!warp.memory->is_known_global(from, end - begin)) {
          warp.memory->set_known(place_of(rank_of(place), offset_of(place)), kCopyPart, false);
          continue;
        }
        std::memcpy(bytes + (begin - at), warp.memory->global(from, end - begin), end - begin);
        if (box && map_.tf32) round_tf32(bytes, kCopyPart);
      }
    }
    if (!warp.memory->knows_all()) warp.memory->set_known(to, static_cast<std::size_t>(rows_.extent()), true);
  }
}

void AsyncExecution::write_back(WarpState& warp, const Decoded& decoded, std::uint32_t shared) {
  const bool box = map_.address != 0,
             adds = decoded.async.kind == AsyncKind::reduce_box || decoded.async.kind == AsyncKind::reduce_line;
  const TensorDescriptor::Type type = box ? map_.type : static_cast<TensorDescriptor::Type>(decoded.op.flags);
  TensorDescriptor element;
  element.type = type;
  const std::uint32_t size = element.element_bytes(), from = memory_address(shared);
  for (const BoxRows::Row& row : rows_.rows) {
    if (!row.inside) continue;
    for (std::uint32_t at = rows_.skipped; at < rows_.skipped + rows_.inside_bytes;) {
      const std::uint32_t end = std::min(at / kCopyPart * kCopyPart + kCopyPart, rows_.skipped + rows_.inside_bytes);
      const std::uint32_t place = from + row.shared + at / kCopyPart * kCopyPart;
      const std::uint32_t swapped = place_of(rank_of(place), swizzled(offset_of(place), box ? map_.swizzle : 0));
      const std::uint64_t to = row.global + (at - rows_.skipped);
      const bool known = warp.memory->is_known(swapped, kCopyPart);
      warp.memory->set_known_global(to, end - at, known);
      const std::uint8_t* bytes = warp.memory->shared(swapped, kCopyPart) + at % kCopyPart;
      std::uint8_t* target = known ? warp.memory->global_to_write(to, end - at) : nullptr;
      if (target != nullptr && !adds) std::memcpy(target, bytes, end - at);
      for (std::uint32_t i = 0; target != nullptr && adds && i < end - at; i += size)
        add_element(type, target + i, bytes + i);
      at = end;
    }
  }
}

}  // namespace tilescope::sass
