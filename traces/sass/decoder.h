// Turns one parsed instruction into a Decoded. Each opcode has a function that consumes modifiers and operands in
// order; whatever it leaves over is refused, so that no modifier is ever passed over in silence.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "traces/sass/decoded.h"
#include "traces/sass/linked_code.h"
#include "traces/sass/parsed_instruction.h"

namespace tilescope::sass {

// Immediates and constants of one launch, as lane arrays; equal values share one.
class ConstantPool {
 public:
  explicit ConstantPool(LaunchState& launch) : launch_(launch) {}
  std::int32_t of(std::uint32_t value);  // ~index

 private:
  LaunchState& launch_;
  std::map<std::uint32_t, std::int32_t> known_;
};

enum class Type : std::uint8_t { integer, real, half, bfloat, wide_integer, wide_real };

class Decoder {
 public:
  // `parsed` is an instruction of `function`, one of those in `code`; its names are resolved.
  Decoder(const ParsedInstruction& parsed, const LinkedFunction& function, const LinkedCode& code,
          const LaunchState& launch, ConstantPool& pool)
      : parsed_(parsed), function_(function), code_(code), launch_(launch), pool_(pool) {}

  Decoded decoded;
  MicroOp& op() { return decoded.op; }
  int architecture() const { return function_.listed->architecture; }
  // Where the instruction's function begins, and the instruction itself: byte, from the kernel's first instruction.
  std::uint32_t function_start() const { return function_.first * kInstructionBytes; }
  std::uint32_t here() const { return function_start() + parsed_.listed->address; }
  std::int64_t block_threads() const { return launch_.block.count(); }
  const ParsedInstruction& parsed() const { return parsed_; }

  // Modifiers: each is to be taken once.
  bool take(std::string_view modifier);
  // The next modifier that is not taken, taken now; empty when there is none.
  std::string take_any();

  bool more() const { return next_ < parsed_.operands.size(); }
  std::size_t left() const { return parsed_.operands.size() - next_; }
  const Operand* peek() const { return more() ? &parsed_.operands[next_] : nullptr; }
  bool next_is(Operand::Kind kind) const { return more() && parsed_.operands[next_].kind == kind; }
  const Operand* pop();  // null and an error when there is none

  // The next operand as a result.
  void out();
  void out_wide();
  void predicate_out(std::size_t which);
  // A result of `words` registers from `first_out` on.
  void out_words(int words);
  // The next operand as a source.
  void in(std::size_t which, Type type = Type::integer);
  // A register of which one byte is meant (R0.B1), as a source. Returns which byte; 0 without a suffix.
  unsigned in_byte(std::size_t which);
  void in_constant(std::size_t which, std::uint32_t value) { op().in[which].low = pool_.of(value); }
  // A word of constant memory as a source; an error when its bank is not known.
  Source constant_source(int bank, std::int64_t offset);
  void check_constant_bank(int bank);
  void in_words(RegisterId& first, int words, std::vector<RegisterId>& uses);
  void predicate_in(std::size_t which);
  std::int64_t immediate();
  // A branch target: a label, a byte address in the function, or a function's name.
  void target();
  // [..] of `bytes` per lane; the registers become always_uses.
  void address(AddressRule& rule, Space space, int bytes, bool extended);

  void fail(const std::string& why) {
    if (error_.empty()) error_ = why;
  }
  // Empty when the instruction has been understood to the end.
  std::string finish();
  void use(RegisterId id);
  void define(RegisterId id);
  // The register `steps` behind `first`; an error when there is none of its kind.
  RegisterId after(RegisterId first, int steps);

 private:
  Source source_of(const Operand& operand, Type type);
  std::uint32_t immediate_bits(const Operand& operand, Type type) const;
  std::uint32_t constant_word(int bank, std::int64_t offset);

  const ParsedInstruction& parsed_;
  const LinkedFunction& function_;
  const LinkedCode& code_;
  const LaunchState& launch_;
  ConstantPool& pool_;
  std::size_t next_ = 0;
  std::vector<bool> taken_;
  std::string error_;
};

using DecodeFunction = void (*)(Decoder&);

// How an opcode is decoded, or null when nobody knows it.
DecodeFunction decode_function(std::string_view opcode);

}  // namespace tilescope::sass
