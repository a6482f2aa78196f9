// Loads of floating-point numbers from memory that nobody has recorded (traces/sass/floating_loads.h).
#include <fmt/format.h>

#include <bit>
#include <set>

#include "sass_runs.h"
#include "sass_text.h"
#include "traces/sass/half_float.h"

using namespace tilescope;

namespace {

struct Executed {
  std::uint64_t instructions = 0;  // by one warp
  std::string sentence;            // about memory that is not recorded
  bool operator==(const Executed&) const = default;
};

// What a warp executes of `code` with one buffer as its argument, whose address is in R2:R3 and, four bytes for each
// lane, in R4:R5. The lane is in R0.
Executed executed(std::vector<std::string> code, const std::string& buffer) {
  code.insert(code.begin(), {"LDC.64 R2, c[0x0][0x210]", "S2R R0, SR_TID.X", "IMAD.WIDE R4, R0, 0x4, R2"});
  const test::SassScratch scratch;
  scratch.write("k.sass", test::sass_text(code));
  auto launch = sass::read_launch_file(scratch.write(
      "k.yaml",
      "kernel: {sass: k.sass, registers: 32, static_smem: 1024}\ngrid: [1]\nblock: [32]\nargs: [" + buffer + "]\n"));
  if (!launch) FAIL(to_string(launch.error()));
  PatternTable patterns;
  sass::Resident resident;
  sass::CtaExecutor executor(launch->program, patterns, launch->memory, launch->shared_bytes, false, resident);
  executor.start(0);
  executor.run_to_end();
  const auto& unrecorded = launch->program.launch.unrecorded;
  return {executor.executed(), unrecorded ? unrecorded->sentence() : ""};
}

const std::string kNothing = "{buffer: 4KiB}", kZero = "{buffer: 4KiB, init: zero}";

// Does P0, which holds behind `code` where a loaded word is not zero, hold in any lane?
bool is_made_up(std::vector<std::string> code) {
  code.insert(code.end(), {"@!P0 EXIT", "NOP", "NOP", "EXIT"});
  const Executed seen = executed(code, kNothing), zero = executed(code, kZero);
  CHECK(zero.instructions == code.size());
  CHECK(zero.sentence.empty());
  const bool other_way = seen.instructions != zero.instructions;
  CHECK(seen.sentence.empty() != other_way);
  return other_way;
}

}  // namespace

TEST_CASE("a word that a branch compares as a floating-point number is one, where nobody has recorded it") {
  const std::vector<std::string> code = {
      "LDG.E R6, [R4.64]", "FSETP.GT.AND P0, PT, R6, RZ, PT", "@!P0 EXIT", "NOP", "NOP", "EXIT"};
  const Executed seen = executed(code, kNothing);
  CHECK(seen.instructions == 9);
  CHECK(
      seen.sentence ==
      "memory whose contents are not recorded reads as floating-point numbers from 0.25 to 2 where branches depend on "
      "them (1 load of the code)");
  CHECK(executed(code, kNothing) == seen);
  for (const char* recorded : {"init: zero", "init: random, below: 1"}) {
    CAPTURE(recorded);
    CHECK(executed(code, fmt::format("{{buffer: 4KiB, {}}}", recorded)) == Executed{6, ""});
  }
}

TEST_CASE("lanes load different numbers, so a branch parts them") {
  // Both sides of the branch are executed, from 0x70 and from 0x90 on. 0x3f400000: 0.75
  CHECK(executed({"LDG.E R6, [R4.64]", "MOV R7, 0x3f400000", "FSETP.GT.AND P0, PT, R6, R7, PT", "@!P0 BRA 0x90", "NOP",
                  "EXIT", "EXIT"},
                 kNothing)
            .instructions == 10);
}

TEST_CASE("a loaded word is made up when floating-point arithmetic reads it, whatever else looks at its bits") {
  const struct {
    std::vector<std::string> code;
    bool made_up;
  } rows[] = {
      {{"LDG.E R6, [R4.64]", "FADD R6, R6, R6", "FSETP.GT.AND P0, PT, R6, RZ, PT"}, true},
      {{"LDG.E.64 R6, [R2.64]", "DSETP.GT.AND P0, PT, R6, RZ, PT"}, true},
      {{"LDG.E R6, [R4.64]", "HSETP2.GT.AND P0, PT, R6.H1_H1, RZ.H0_H0, PT"}, true},
      {{"LDG.E R6, [R4.64]", "MOV R7, R6", "SHFL.BFLY PT, R8, R7, 0x1, 0x1f", "FSETP.GT.AND P0, PT, R8, RZ, PT"}, true},
      {{"LDG.E R6, [R4.64]", "F2I.TRUNC.NTZ R6, R6", "ISETP.NE.AND P0, PT, R6, RZ, PT"}, true},
      {{"LDG.E.U16 R6, [R4.64]", "IMAD.U32 R6, R6, 0x10000, RZ", "FSETP.GT.AND P0, PT, R6, RZ, PT"}, true},
      {{"LDG.E.U16 R6, [R4.64]", "SHF.L.U32 R6, R6, 0x10, RZ", "FSETP.GT.AND P0, PT, R6, RZ, PT"}, true},
      {{"LDG.E R6, [R4.64]", "PRMT R6, R6, 0x7632, R6", "IMAD.U32 R6, R6, 0x10000, RZ",
        "FSETP.GT.AND P0, PT, R6, RZ, PT"},
       true},
      {{"LDG.E R6, [R4.64]", "LOP3.LUT R6, R6, 0xffff0000, RZ, 0xc0, !PT", "FSETP.GT.AND P0, PT, R6, RZ, PT"}, true},
      // The test of a square root's argument.
      {{"LDG.E R6, [R4.64]", "MUFU.RSQ R7, R6", "VIADD R8, R6, 0xf3000000",
        "ISETP.LE.U32.AND P0, PT, R8, 0x727fffff, PT"},
       true},
      {{"LDG.E R6, [R4.64]", "ISETP.NE.AND P0, PT, R6, RZ, PT"}, false},
      {{"LDG.E R6, [R4.64]", "I2FP.F32.S32 R6, R6", "FSETP.GT.AND P0, PT, R6, RZ, PT"}, false},
      {{"LDG.E R6, [R4.64]", "LOP3.LUT R6, R6, 0xff, RZ, 0xc0, !PT", "FSETP.GT.AND P0, PT, R6, RZ, PT"}, false},
      {{"LDG.E R6, [R4.64]", "PRMT R6, R6, 0x7770, RZ", "FSETP.GT.AND P0, PT, R6, RZ, PT"}, false},
      {{"LDG.E.U8 R6, [R4.64]", "FSETP.GT.AND P0, PT, R6, RZ, PT"}, false},
  };
  for (const auto& [code, made_up] : rows) {
    CAPTURE(code[1]);
    CAPTURE(code.size());
    CHECK(is_made_up(code) == made_up);
  }
}

TEST_CASE("a word that goes into an address stays zero") {
  for (const char* use : {"IMAD.WIDE R8, R6, 0x4, R2", "IADD3 R8, R6, R2, RZ"}) {
    CAPTURE(use);
    CHECK_FALSE(is_made_up({"LDG.E R6, [R4.64]", "MOV R9, R3", use, "LDG.E R10, [R8.64]",
                            "FSETP.GT.AND P0, PT, R6, RZ, PT", "ISETP.NE.AND P0, PT, R10, RZ, P0"}));
  }
  // As an index that is stored as a floating-point number.
  CHECK_FALSE(is_made_up({"LDG.E R6, [R4.64]", "F2I.TRUNC.NTZ R8, R6", "IMAD.WIDE R8, R8, 0x4, R2",
                          "LDG.E R10, [R8.64]", "ISETP.NE.AND P0, PT, R10, RZ, PT"}));
}

TEST_CASE("words pass through shared memory") {
  CHECK(is_made_up({"LDG.E R6, [R4.64]", "IMAD.SHL.U32 R7, R0, 0x4, RZ", "STS [R7+0x400], R6", "LDS R8, [R7+0x400]",
                    "FSETP.GT.AND P0, PT, R8, RZ, PT"}));
}

TEST_CASE("what the launch has stored is read, zeros too") {
  const std::vector<std::string> code = {
      "STG.E [R4.64], RZ", "LDG.E R6, [R4.64]", "FSETP.GT.AND P0, PT, R6, RZ, PT", "@!P0 EXIT", "NOP", "EXIT"};
  CHECK(executed(code, kNothing) == Executed{7, ""});
  // A neighbour, in the same page, is not stored.
  std::vector<std::string> next = code;
  next[1] = "LDG.E R6, [R4.64+0x80]";
  CHECK(executed(next, kNothing).instructions == 9);
  // Of a 32-bit word the upper half, and the lower one. 0x3e000000: 0.125
  const struct {
    std::string store;
    std::uint64_t instructions;
  } rows[] = {{"STG.E.U16 [R4.64+0x2], RZ", 8}, {"STG.E.U16 [R4.64], RZ", 10}};
  for (const auto& [store, instructions] : rows) {
    CAPTURE(store);
    CHECK(executed({store, "LDG.E R6, [R4.64]", "MOV R7, 0x3e000000", "FSETP.GT.AND P0, PT, R6, R7, PT", "@!P0 EXIT",
                    "NOP", "EXIT"},
                   kNothing)
              .instructions == instructions);
  }
}

TEST_CASE("what a called function leaves alone passes by the call") {
  // R6 is loaded, R8:R9 is an address in the one caller, R8 a number in the other.
  CHECK(executed({"LDG.E R6, [R4.64]",                // 0x30
                  "MOV R10, 0x70",                    // 0x40
                  "MOV R8, R6",                       // 0x50
                  "CALL.REL.NOINC 0xe0",              // 0x60
                  "FSETP.GT.AND P0, PT, R8, RZ, PT",  // 0x70
                  "@!P0 EXIT",                        // 0x80
                  "MOV R8, R2",                       // 0x90
                  "MOV R10, 0xc0",                    // 0xa0
                  "CALL.REL.NOINC 0xe0",              // 0xb0
                  "LDG.E R7, [R8.64]",                // 0xc0
                  "EXIT",                             // 0xd0
                  "FADD R7, R6, R6",                  // 0xe0
                  "MOV R11, RZ",                      // 0xf0
                  "RET.REL.NODEC R10 0x0"},           // 0x100
                 kNothing)
            .instructions == 20);
}

TEST_CASE("a value that both sides of a branch define is not computed before it") {
  const auto program = test::sass_program({"MOV R5, R7", "ISETP.EQ.AND P0, PT, R0, RZ, PT", "@!P0 MOV R5, 0x4",
                                           "@!P0 BRA 0x50", "MOV R5, 0x8", "LDS R6, [R5]", "EXIT"});
  REQUIRE(program.has_value());
  std::set<std::uint32_t> computed;
  for (const sass::Block& block : program->blocks)
    for (const sass::Step& step : block.steps) computed.insert(step.op->instruction);
  CHECK(computed == std::set<std::uint32_t>{1, 2, 4, 5});
}

TEST_CASE("halves that nobody has recorded are ordinary numbers in every format, and differ") {
  std::set<std::uint16_t> seen;
  for (std::uint64_t address = 0x7f0000000000; address < 0x7f0000000000 + 4096; address += 2) {
    const std::uint16_t half = sass::unrecorded_half(address);
    CHECK(half == sass::unrecorded_half(address));
    seen.insert(half);
    const double bfloat = sass::from_bfloat(half), single = std::bit_cast<float>(std::uint32_t{half} << 16U);
    CHECK(bfloat >= 0.25);
    CHECK(bfloat < 2);
    CHECK(single == bfloat);
    CHECK(sass::from_half(half) >= 1.625);
    CHECK(sass::from_half(half) < 2);
  }
  CHECK(seen.size() > 300);
}
