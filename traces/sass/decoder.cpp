#include "traces/sass/decoder.h"

#include <algorithm>
#include <bit>

namespace tilescope::sass {
namespace {

RegisterId guard_id(std::uint8_t index) { return static_cast<RegisterId>(index < 8 ? kP0 + index : kUP0 + index - 8); }

std::uint8_t predicate_index(RegisterId id) { return static_cast<std::uint8_t>(id >= kUP0 ? id - kUP0 + 8 : id - kP0); }

}  // namespace

std::int32_t ConstantPool::of(std::uint32_t value) {
  const auto [place, fresh] = known_.try_emplace(value, 0);
  if (fresh) {
    place->second = ~static_cast<std::int32_t>(launch_.pool.size());
    launch_.pool.emplace_back().fill(value);
  }
  return place->second;
}

bool Decoder::take(std::string_view modifier) {
  taken_.resize(parsed_.modifiers.size());
  for (std::size_t i = 0; i < taken_.size(); ++i) {
    if (taken_[i] || parsed_.modifiers[i] != modifier) continue;
    taken_[i] = true;
    return true;
  }
  return false;
}

std::string Decoder::take_any() {
  taken_.resize(parsed_.modifiers.size());
  for (std::size_t i = 0; i < taken_.size(); ++i) {
    if (taken_[i]) continue;
    taken_[i] = true;
    return parsed_.modifiers[i];
  }
  return {};
}

const Operand* Decoder::pop() {
  if (!more()) {
    fail("an operand is missing");
    return nullptr;
  }
  return &parsed_.operands[next_++];
}

RegisterId Decoder::after(RegisterId first, int steps) {
  if (is_zero(first) || steps == 0) return first;
  const int last = first < kUR0 ? kRZ - 1 : kURZ - 1;
  if (first + steps <= last) return static_cast<RegisterId>(first + steps);
  fail("the registers behind " + std::string(first < kUR0 ? "R" : "UR") +
       std::to_string(first < kUR0 ? first : first - kUR0) + " do not suffice");
  return first;
}

void Decoder::use(RegisterId id) {
  if (!is_zero(id) && !is_true(id)) decoded.uses.push_back(id);
}
void Decoder::define(RegisterId id) {
  if (!is_zero(id) && !is_true(id)) decoded.defines.push_back(id);
}

void Decoder::out() {
  const Operand* operand = pop();
  if (operand == nullptr) return;
  if (operand->kind != Operand::Kind::reg) return fail("operand '" + operand->text + "' should be a register");
  op().out = op().first_out = operand->reg;
  op().whole_warp = operand->reg >= kUR0;
  define(operand->reg);
}

void Decoder::out_wide() {
  out();
  op().out_high = after(op().first_out, 1);
  define(after(op().first_out, 1));
}

void Decoder::out_words(int words) {
  out();
  for (int i = 1; i < words; ++i) define(after(op().first_out, i));
}

void Decoder::predicate_out(std::size_t which) {
  const Operand* operand = pop();
  if (operand == nullptr) return;
  if (operand->kind != Operand::Kind::predicate) return fail("operand '" + operand->text + "' should be a predicate");
  op().predicate_out[which] = predicate_index(operand->reg);
  if (operand->reg >= kUP0 && !is_true(operand->reg)) op().whole_warp = true;
  define(operand->reg);
}

void Decoder::predicate_in(std::size_t which) {
  const Operand* operand = pop();
  if (operand == nullptr) return;
  if (operand->kind != Operand::Kind::predicate) return fail("operand '" + operand->text + "' should be a predicate");
  op().predicate_in[which] = {predicate_index(operand->reg), operand->inverted};
  use(operand->reg);
}

Source Decoder::constant_source(int bank, std::int64_t offset) {
  Source source;
  source.low = pool_.of(constant_word(bank, offset));
  return source;
}

void Decoder::check_constant_bank(int bank) { constant_word(bank, 0); }

std::uint32_t Decoder::constant_word(int bank, std::int64_t offset) {
  const auto contents = launch_.constants.find(bank);
  if (contents == launch_.constants.end()) {
    fail("constant bank " + std::to_string(bank) + " is not known; give the ELF text (kernel: {elf: ...})");
    return 0;
  }
  std::uint32_t word = 0;
  for (std::int64_t byte = 0; byte < 4; ++byte)
    if (offset + byte >= 0 && offset + byte < static_cast<std::int64_t>(contents->second.size()))
      word |= std::uint32_t{contents->second[static_cast<std::size_t>(offset + byte)]} << (8 * byte);
  return word;
}

std::uint32_t Decoder::immediate_bits(const Operand& operand, Type type) const {
  if (type == Type::integer || type == Type::wide_integer) return static_cast<std::uint32_t>(operand.value);
  return static_cast<std::uint32_t>(parsed_.listed->low >> 32U);  // as encoded: no rounding of printed digits
}

Source Decoder::source_of(const Operand& operand, Type type) {
  Source source;
  const bool wide = type == Type::wide_integer || type == Type::wide_real;
  const bool whole = type == Type::integer || type == Type::wide_integer;
  const bool half = type == Type::half || type == Type::bfloat;
  const auto modify = [&source](std::uint8_t modifier) { source.modifiers |= modifier; };
  if (operand.negative) modify(whole ? Source::negate_int : half ? Source::negate_half : Source::negate_float);
  if (operand.absolute) {
    if (whole) fail("'" + operand.text + "': absolute value of an integer");
    modify(half ? Source::absolute_half : Source::absolute_float);
  }
  if (operand.inverted) modify(Source::invert);
  std::string suffix = operand.suffix;
  if (half && (suffix == "H0_H0" || suffix == "H1_H1")) {
    modify(suffix == "H0_H0" ? Source::low_half : Source::high_half);
    suffix.clear();
  }
  if (suffix == "64" && wide) suffix.clear();
  if (!suffix.empty()) fail("operand '" + operand.text + "': suffix ." + suffix);
  switch (operand.kind) {
    case Operand::Kind::reg:
      source.low = operand.reg;
      use(operand.reg);
      if (wide) {
        source.high = after(operand.reg, 1);
        use(after(operand.reg, 1));
      }
      break;
    case Operand::Kind::immediate: {
      const std::uint32_t bits = immediate_bits(operand, type);
      source.modifiers = 0;  // the sign is part of the number
      source.low = type == Type::wide_real ? pool_.of(0) : pool_.of(bits);
      if (type == Type::wide_real) source.high = pool_.of(bits);
      if (type == Type::wide_integer)
        source.high = pool_.of(static_cast<std::uint32_t>(static_cast<std::uint64_t>(operand.value) >> 32U));
      break;
    }
    case Operand::Kind::constant:
      if (!operand.terms.empty()) fail("'" + operand.text + "': an indexed constant as an operand");
      source.low = pool_.of(constant_word(operand.bank, operand.value));
      if (wide) source.high = pool_.of(constant_word(operand.bank, operand.value + 4));
      break;
    default:
      fail("operand '" + operand.text + "' should be a register, a number or a constant");
  }
  return source;
}

void Decoder::in(std::size_t which, Type type) {
  const Operand* operand = pop();
  if (operand == nullptr) return;
  // Two numbers in a row are the high and the low half of one packed operand.
  if ((type == Type::half || type == Type::bfloat) && operand->kind == Operand::Kind::immediate) {
    if (!next_is(Operand::Kind::immediate)) return fail("a packed number needs two halves");
    pop();
  }
  op().in[which] = source_of(*operand, type);
}

unsigned Decoder::in_byte(std::size_t which) {
  const Operand* operand = pop();
  if (operand == nullptr) return 0;
  Operand whole = *operand;
  unsigned byte = 0;
  if (whole.suffix.size() == 2 && whole.suffix[0] == 'B' && whole.suffix[1] >= '0' && whole.suffix[1] <= '3') {
    byte = static_cast<unsigned>(whole.suffix[1] - '0');
    whole.suffix.clear();
  }
  op().in[which] = source_of(whole, Type::integer);
  return byte;
}

void Decoder::in_words(RegisterId& first, int words, std::vector<RegisterId>& uses) {
  const Operand* operand = pop();
  if (operand == nullptr) return;
  if (operand->kind != Operand::Kind::reg) return fail("operand '" + operand->text + "' should be a register");
  first = operand->reg;
  for (int i = 0; i < words; ++i)
    if (!is_zero(first)) uses.push_back(after(first, i));
}

std::int64_t Decoder::immediate() {
  const Operand* operand = pop();
  if (operand == nullptr) return 0;
  if (operand->kind != Operand::Kind::immediate || !operand->whole) {
    fail("operand '" + operand->text + "' should be a whole number");
    return 0;
  }
  return operand->value;
}

void Decoder::target() {
  const Operand* operand = pop();
  if (operand == nullptr) return;
  if (operand->kind == Operand::Kind::immediate && operand->whole) {
    decoded.target = function_start() + static_cast<std::uint32_t>(operand->value);
  } else if (operand->kind == Operand::Kind::label) {
    const auto& labels = function_.listed->labels;
    if (const auto label = labels.find(operand->text); label != labels.end()) {
      decoded.target = function_start() + label->second;
    } else if (const auto named = code_.addresses.find(operand->text); named != code_.addresses.end()) {
      decoded.target = static_cast<std::uint32_t>(named->second - kCodeAddress);
      decoded.elsewhere = true;
    } else {
      return fail("target '" + operand->text + "' is not in this function");
    }
  } else {
    return fail("operand '" + operand->text + "' should be a place in the code");
  }
  decoded.has_target = true;
}

void Decoder::address(AddressRule& rule, Space space, int bytes, bool extended) {
  const Operand* operand = pop();
  if (operand == nullptr) return;
  if (operand->kind != Operand::Kind::address) return fail("operand '" + operand->text + "' should be an address");
  rule.space = space;
  rule.bytes = static_cast<std::uint8_t>(bytes);
  rule.offset = operand->value;
  const bool far = space == Space::global || space == Space::generic;
  bool vector = false, uniform = false;
  for (const AddressTerm& term : operand->terms) {
    if (is_zero(term.reg)) continue;
    if (term.reg >= kUR0 ? uniform : vector) return fail("address '" + operand->text + "' has too many registers");
    const bool narrow = term.suffix == "U32";
    const bool wide = far && !narrow && (extended || term.suffix == "64");
    std::uint8_t shift = 0;
    if (term.suffix == "X4" || term.suffix == "X8" || term.suffix == "X16")
      shift = term.suffix == "X4" ? 2 : term.suffix == "X8" ? 3 : 4;
    else if (!term.suffix.empty() && term.suffix != "64" && !narrow)
      return fail("address '" + operand->text + "': suffix ." + term.suffix);
    decoded.always_uses.push_back(term.reg);
    if (wide) decoded.always_uses.push_back(after(term.reg, 1));
    if (term.reg >= kUR0) {
      uniform = true;
      rule.uniform_low = term.reg;
      rule.uniform_high = wide ? after(term.reg, 1) : kRZ;
      rule.uniform_wide = wide;
    } else {
      vector = true;
      rule.low = term.reg;
      rule.high = wide ? after(term.reg, 1) : kRZ;
      rule.wide = wide;
      rule.shift = shift;
    }
  }
}

std::string Decoder::finish() {
  taken_.resize(parsed_.modifiers.size());
  for (std::size_t i = 0; i < taken_.size(); ++i)
    if (!taken_[i]) fail("modifier ." + parsed_.modifiers[i]);
  if (more()) fail("operand '" + peek()->text + "'");
  MicroOp& micro = op();
  micro.guard = predicate_index(parsed_.guard);
  micro.guard_inverted = parsed_.guard_inverted;
  // A guard decides which lanes are written, branch or take part in an access.
  if (!is_true(parsed_.guard)) {
    const bool matters = decoded.flow != Flow::next || decoded.is_memory;
    (matters ? decoded.always_uses : decoded.uses).push_back(guard_id(micro.guard));
  }
  return error_;
}

}  // namespace tilescope::sass
