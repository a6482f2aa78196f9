#include "traces/kernels/reshape.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <map>
#include <utility>
#include <vector>

namespace tilescope {
namespace {

struct Placed {
  Instruction instruction;
  std::array<Access, 2> accesses;  // of its memory operands; the first one tells its kind
};

constexpr int kProduct = -2, kArithmetic = -3, kFixed = -4;  // beside roles

int kind_of(const Placed& one) {
  const OpClass op = one.instruction.op;
  if (memory_operands(op) > 0) return one.accesses[0].role;
  if (op == OpClass::fma || op == OpClass::tensor) return kProduct;
  const bool arithmetic = op == OpClass::alu || op == OpClass::imad || op == OpClass::imad_wide ||
                          op == OpClass::uniform || op == OpClass::uniform_move || op == OpClass::half ||
                          op == OpClass::half_tensor;
  return arithmetic ? kArithmetic : kFixed;
}

std::vector<Placed> placed(const LoopSection& section) {
  std::vector<Placed> all;
  std::size_t operand = 0;
  for (const Instruction& instruction : section.code) {
    all.push_back({instruction, {}});
    for (int n = 0; n < memory_operands(instruction.op); ++n)
      all.back().accesses[static_cast<std::size_t>(n)] = section.accesses[operand++];
  }
  return all;
}

std::size_t count_of(const std::vector<Placed>& all, int kind) {
  return static_cast<std::size_t>(
      std::count_if(all.begin(), all.end(), [kind](const Placed& one) { return kind_of(one) == kind; }));
}

// Rounds of `products` each, from `from` per step to `to` per step. Those in front and at the end stay, with what leads
// to the first and follows the last. Loads stand in groups, not in every round: so the middle half of all rounds is
// gone through again as often as it takes, not one of them.
std::vector<Placed> deepened(const std::vector<Placed>& all, std::size_t products, int from, int to) {
  const std::size_t rounds = count_of(all, kProduct) / products, depth = static_cast<std::size_t>(from);
  if (rounds == 0 || rounds != depth) return all;
  std::vector<std::size_t> begin;  // of each round
  std::size_t seen = 0;
  for (std::size_t i = 0; i < all.size() && begin.size() < rounds; ++i)
    if (kind_of(all[i]) == kProduct && seen++ % products == 0) begin.push_back(i);
  std::size_t end = all.size();
  while (kind_of(all[end - 1]) != kProduct) --end;
  begin.push_back(end);
  std::vector<Placed> made(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(begin[0]));
  const auto wanted = static_cast<std::size_t>(to);
  const std::size_t half = (depth + 1) / 2;
  const std::size_t front = wanted > depth ? std::max<std::size_t>(1, depth * 3 / 4) : wanted / 2;
  for (std::size_t round = 0; round < wanted; ++round) {
    std::size_t source = round;
    if (round >= front) {
      const bool at_end = wanted <= depth || wanted - round <= depth - front;
      source = at_end ? depth - (wanted - round) : front - half + (round - front) % half;
    }
    made.insert(made.end(), all.begin() + static_cast<std::ptrdiff_t>(begin[source]),
                all.begin() + static_cast<std::ptrdiff_t>(begin[source + 1]));
  }
  made.insert(made.end(), all.begin() + static_cast<std::ptrdiff_t>(end), all.end());
  return made;
}

// The instructions of each kind, as many as `wanted` says, in the places of those that are there.
std::vector<Placed> resampled(const std::vector<Placed>& all, const std::map<int, std::size_t>& wanted,
                              const ShapeChange& change) {
  const StepAddresses& to = *change.to;
  std::map<int, std::vector<std::size_t>> places;
  for (std::size_t i = 0; i < all.size(); ++i) places[kind_of(all[i])].push_back(i);
  std::vector<std::vector<Placed>> at(all.size());
  for (const auto& [kind, there] : places) {
    const auto asked = wanted.find(kind);
    const std::size_t count = asked == wanted.end() ? there.size() : asked->second;
    const bool renamed =
        kind >= 0 && (change.depth_from != change.depth_to || change.from->count(kind) != to.count(kind));
    if (count == there.size() && !renamed) {
      for (const std::size_t place : there) at[place].push_back(all[place]);
      continue;
    }
    for (std::size_t i = 0; i < count; ++i) {
      // Of several that become one, the last: it sets the scoreboard for all of them.
      const std::size_t source = count < there.size() ? (i + 1) * there.size() / count - 1 : i * there.size() / count;
      Placed one = all[there[source]];
      if (renamed) {
        for (int n = 0; n < memory_operands(one.instruction.op); ++n) {
          Access& access = one.accesses[static_cast<std::size_t>(n)];
          const auto per_step = static_cast<std::size_t>(to.count(access.role));
          access.step = to.moves(access.role) ? static_cast<int>(i / per_step) : 0;
          access.part = static_cast<int>(i % per_step);
        }
      }
      at[there[source]].push_back(one);
    }
  }
  // What an instruction that is gone has waited for, the next one waits for.
  std::vector<Placed> made;
  std::uint8_t waits = 0;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (at[i].empty()) waits |= all[i].instruction.wait_mask;
    for (Placed& one : at[i]) {
      one.instruction.wait_mask |= waits;
      waits = 0;
      made.push_back(one);
    }
  }
  return made;
}

}  // namespace

LoopCode reshaped(LoopCode code, const ShapeChange& change) {
  const StepAddresses &from = *change.from, &to = *change.to;
  std::vector<LoopSection*> in_order;
  for (LoopSection& section : code.sections) in_order.push_back(&section);
  std::sort(in_order.begin(), in_order.end(), [](const auto* a, const auto* b) { return a->first < b->first; });
  std::size_t first_before = 0, end_before = 0, first = 0, end = 0;  // of the section before, as compiled and here
  for (LoopSection* next : in_order) {
    LoopSection& section = *next;
    if (section.first != first_before || end == 0) {
      first = section.first + end - end_before;
      first_before = section.first;
      end_before = section.first + section.code.size();
    }
    section.first = first;
    std::vector<Placed> all = placed(section);
    std::map<int, std::size_t> there, wanted;
    for (const Placed& one : all) ++there[kind_of(one)];
    std::size_t along_before = 0, along_after = 0;
    for (const auto& [kind, count] : there) {
      if (kind < 0) continue;
      wanted[kind] = count * static_cast<std::size_t>(to.count(kind)) / static_cast<std::size_t>(from.count(kind));
      if (!from.moves(kind) && kind != change.results) continue;
      along_before += count;
      along_after += wanted[kind];
    }
    wanted[kProduct] =
        there[kProduct] * static_cast<std::size_t>(to.products) / static_cast<std::size_t>(from.products);
    if (along_before > 0) wanted[kArithmetic] = there[kArithmetic] * along_after / along_before;
    if (change.depth_from != change.depth_to)
      all = deepened(all, static_cast<std::size_t>(from.products / change.depth_from), change.depth_from,
                     change.depth_to);
    all = resampled(all, wanted, change);
    section.code.clear();
    section.accesses.clear();
    for (const Placed& one : all) {
      section.code.push_back(one.instruction);
      for (int n = 0; n < memory_operands(one.instruction.op); ++n)
        section.accesses.push_back(one.accesses[static_cast<std::size_t>(n)]);
    }
    end = section.first + section.code.size();
  }
  return code;
}

}  // namespace tilescope
