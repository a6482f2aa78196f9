#include "traces/sass/value_use.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>

namespace tilescope::sass {
namespace {

constexpr std::array<std::string_view, 23> kFloatingOpcodes = {
    "FADD",  "FMUL",  "FFMA",  "FMNMX",  "FSETP",  "FSET",  "FCHK", "MUFU", "DADD", "DMUL", "DFMA", "DSETP",
    "HADD2", "HMUL2", "HFMA2", "HMNMX2", "HSETP2", "HSET2", "F2F",  "F2I",  "FRND", "HMMA", "DMMA"};

// In[0], in[1] and in[2] of a MicroOp.
constexpr std::uint8_t kFirst = 1, kSecond = 2, kThird = 4;

// The place of the first source among the operands; those before are results.
std::size_t first_source(const ParsedInstruction& one) {
  std::size_t at = 0;
  while (at < one.operands.size() && one.operands[at].kind == Operand::Kind::predicate) ++at;
  return at + 1;
}

const Operand* source(const ParsedInstruction& one, std::size_t which) {
  const std::size_t at = first_source(one) + which;
  return at < one.operands.size() ? &one.operands[at] : nullptr;
}

std::optional<std::uint32_t> immediate(const ParsedInstruction& one, std::size_t which) {
  const Operand* operand = source(one, which);
  if (operand == nullptr || operand->kind != Operand::Kind::immediate || !operand->whole) return std::nullopt;
  return static_cast<std::uint32_t>(operand->value);
}

bool names_zero(const ParsedInstruction& one, std::size_t which) {
  const Operand* operand = source(one, which);
  return operand != nullptr && operand->kind == Operand::Kind::reg && is_zero(operand->reg);
}

// PRMT whose result consists of whole halves: 0x5410, 0x7632.
bool permutes_halves(std::uint32_t selector) {
  const auto half = [](std::uint32_t pair) { return pair % 2 == 0 && pair >> 4U == (pair & 15U) + 1; };
  return half(selector & 0xffU) && half(selector >> 8U & 0xffU);
}

// LOP3 that takes one half of a word, its size or its sign.
bool is_half_or_sign(std::uint32_t mask) {
  constexpr std::uint32_t masks[] = {0xffff0000U, 0xffffU,     0x7fffffffU, 0x80000000U,
                                     0x7fff7fffU, 0x80008000U, 0x7fffU,     0x8000U};
  return std::find(std::begin(masks), std::end(masks), mask) != std::end(masks);
}

// IMAD that adds zero, shifts by half a word, or multiplies with zero.
std::uint8_t passed_by_multiplication(const ParsedInstruction& one) {
  for (const std::string_view other : {"WIDE", "HI", "X"})
    if (one.has(other)) return 0;
  if (names_zero(one, 0) || names_zero(one, 1)) return kThird;
  if (!names_zero(one, 2)) return 0;
  if (immediate(one, 1) == 0x10000U) return kFirst;
  return immediate(one, 0) == 0x10000U ? kSecond : std::uint8_t{0};
}

// SHF by half a word into a word of zeros.
std::uint8_t passed_by_shift(const ParsedInstruction& one) {
  if (immediate(one, 1) != 16U || one.has("S32") || one.has("S64") || one.has("U64")) return 0;
  if (one.has("L")) return names_zero(one, 2) ? kFirst : std::uint8_t{0};
  return names_zero(one, 0) ? kThird : std::uint8_t{0};
}

std::uint8_t passed(const ParsedInstruction& one) {
  const std::string_view name = one.opcode;
  const std::string_view opcode = name.starts_with('U') ? name.substr(1) : name;
  if (opcode == "MOV" || one.opcode == "R2UR" || opcode == "SHFL") return kFirst;
  if (opcode == "SEL" || opcode == "FSEL") return kFirst | kSecond;
  if (opcode == "IMAD") return passed_by_multiplication(one);
  if (opcode == "SHF") return passed_by_shift(one);
  if (opcode == "PRMT") {
    const auto selector = immediate(one, 1);
    return selector && permutes_halves(*selector) ? kFirst | kThird : std::uint8_t{0};
  }
  if (opcode != "LOP3" || first_source(one) != 1) return 0;
  for (std::size_t which = 0; which < 3; ++which)
    if (const auto mask = immediate(one, which); mask && is_half_or_sign(*mask)) return kFirst | kSecond | kThird;
  return 0;
}

}  // namespace

void find_value_use(const ParsedInstruction& parsed, Decoded& decoded) {
  const std::string_view opcode = parsed.opcode;
  const bool of_bytes = parsed.has("E4M3") || parsed.has("E5M2");  // numbers of 8 bits
  if (!of_bytes && (opcode == "F2FP" ||
                    std::find(kFloatingOpcodes.begin(), kFloatingOpcodes.end(), opcode) != kFloatingOpcodes.end()))
    decoded.takes = {.floating = true, .passed = 0};
  else
    decoded.takes = {.floating = false, .passed = passed(parsed)};
}

}  // namespace tilescope::sass
