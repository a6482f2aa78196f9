// One operand of a SASS instruction, as the disassembler writes it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tilescope::sass {

// Registers of all kinds in one numbering, so that data flow needs one set.
using RegisterId = std::uint16_t;
inline constexpr RegisterId kRZ = 255;   // R0..R254, RZ
inline constexpr RegisterId kUR0 = 256;  // UR0..UR254
inline constexpr RegisterId kURZ = kUR0 + 255;
inline constexpr RegisterId kP0 = 512;  // P0..P6, PT
inline constexpr RegisterId kPT = kP0 + 7;
inline constexpr RegisterId kUP0 = 520;  // UP0..UP6, UPT
inline constexpr RegisterId kUPT = kUP0 + 7;
inline constexpr RegisterId kRegisterIds = 528;
inline constexpr bool is_zero(RegisterId id) { return id == kRZ || id == kURZ; }
inline constexpr bool is_predicate(RegisterId id) { return id >= kP0; }
inline constexpr bool is_true(RegisterId id) { return id == kPT || id == kUPT; }

// One addend of an address: R4.64, UR6, R2.X16.
struct AddressTerm {
  RegisterId reg = kRZ;
  std::string suffix;
};

struct Operand {
  enum class Kind : std::uint8_t {
    reg,        // R4, RZ, UR6, URZ
    predicate,  // P0, PT, UP1, UPT
    barrier,    // B0: convergence barrier
    immediate,  // 0x10, -1.5, +INF
    constant,   // c[0x0][0x160], c[0x3][R4+0x10]
    address,    // [R4.64+0x10], desc[UR4][R2.64]
    label,      // `(.L_x_0)
    word,       // SR_TID.X, SB0, gsb0, PR
    descriptor  // gdesc[UR8]
  };
  Kind kind = Kind::word;
  RegisterId reg = kRZ;            // reg, predicate, descriptor
  std::int64_t value = 0;          // immediate (if whole), barrier's number, constant's or address's offset
  int bank = 0;                    // of a constant
  bool negative = false;           // -R4
  bool absolute = false;           // |R4|
  bool inverted = false;           // ~R4, !P0
  bool whole = false;              // the immediate is a whole number
  bool reuse = false;              // .reuse: the operand stays in the reuse cache
  std::string suffix;              // H0_H0, 64, B1, ROW; .reuse is dropped
  std::string text;                // label's or word's name, the immediate as written
  bool named = false;              // an immediate that is half of a name's address: 32@lo(name)
  std::vector<AddressTerm> terms;  // of an address, or of a constant's index
};

// Nothing when the text is no operand.
std::optional<Operand> parse_operand(std::string_view text);

// "R4" -> 4, "URZ" -> kURZ, "!P0" is not accepted here.
std::optional<RegisterId> register_id(std::string_view text);

}  // namespace tilescope::sass
