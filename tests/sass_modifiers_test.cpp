// Modifiers of instructions that order, hint or multiply matrices: those that are known are taken, all others refused.
#include <doctest/doctest.h>

#include "sass_text.h"
#include "traces/sass/warp_executor.h"

using namespace tilescope;
using test::sass_refusal;

TEST_CASE("instructions that order or hint take the modifiers that compilers write") {
  for (const char* text : {"NOP",
                           "DEPBAR.LE SB0, 0x1",
                           "DEPBAR.LE SB5, 0x0, {4,3}",
                           "DEPBAR {3,2}",
                           "LDGDEPBAR",
                           "MEMBAR.SC.GPU",
                           "MEMBAR.ALL.CTA",
                           "MEMBAR.SC.SYS",
                           "MEMBAR.SC.VC",
                           "ERRBAR",
                           "CGAERRBAR",
                           "CCTL.IVALL",
                           "CCTL.E.PF2 [R2.64]",
                           "CCTLL.IVALL",
                           "FENCE.VIEW.ASYNC.S",
                           "WARPGROUP.ARRIVE",
                           "WARPGROUP.DEPBAR.LE gsb0, 0x1",
                           "UCGABAR_ARV",
                           "UCGABAR_WAIT",
                           "USETMAXREG.DEALLOC.CTAPOOL 0x28",
                           "USETMAXREG.TRY_ALLOC.CTAPOOL UP0, 0xe8",
                           "BPT.TRAP 0x1",
                           "ACQBULK",
                           "PREEXIT"}) {
    CAPTURE(text);
    CHECK(sass_refusal(text) == "");
  }
}

TEST_CASE("a modifier that is not known is refused with its place") {
  for (const char* opcode : {"NOP", "DEPBAR.LE", "LDGDEPBAR", "MEMBAR.SC", "ERRBAR", "CCTL.IVALL", "FENCE.VIEW",
                             "WARPGROUP.ARRIVE", "USETMAXREG.DEALLOC", "BPT.TRAP", "KILL", "YIELD", "ENDCOLLECTIVE"}) {
    CAPTURE(opcode);
    const std::string operands = std::string(opcode) == "DEPBAR.LE" ? " SB0, 0x0" : "";
    const std::string text = std::string(opcode) + ".SURPRISE" + operands;
    CHECK(sass_refusal(text) == "k.sass:3:19: error: not executed: got '" + text + "': modifier .SURPRISE\n");
  }
  CHECK(sass_refusal("BPT.DRAIN").find("neither TRAP nor INT") != std::string::npos);
}

TEST_CASE("what DEPBAR names is what the warp waits for") {
  struct {
    const char* text;
    int scoreboard, left;
    unsigned mask;
  } const rows[] = {{"DEPBAR.LE SB3, 0x2", 3, 2, 0},
                    {"DEPBAR.LE SB5, 0x0, {4,3}", 5, 0, 0b11000},
                    {"DEPBAR {1}", kNoScoreboard, 0, 0b10},
                    {"DEPBAR.LE SB0, 0x3f", 0, 63, 0}};
  for (const auto& row : rows) {
    CAPTURE(row.text);
    const auto program = test::sass_program({row.text, "EXIT"});
    REQUIRE(program.has_value());
    const Instruction& instruction = program->instructions[0];
    CHECK(int{instruction.counted_by()} == row.scoreboard);
    CHECK(instruction.left_out() == row.left);
    CHECK((instruction.wait_mask & 0b11111U) == row.mask);
  }
  CHECK(sass_refusal("DEPBAR.LE SB6, 0x0").find("SB0 to SB5") != std::string::npos);
  CHECK(sass_refusal("DEPBAR.LE SB0, 0x40").find("counts to 63") != std::string::npos);
}

TEST_CASE("a warpgroup's multiply-add has one of the shapes of its elements") {
  const struct {
    const char* text;
    int work;  // of one warp, in units of 256 multiply-adds of 16 bits
  } known[] = {{"HGMMA.64x128x16.F32 R24, gdesc[UR8].tnspB, R24, gsb0", 128},
               {"HGMMA.64x256x16.F32.BF16 R24, gdesc[UR8].tnspA.tnspB, R24, !UPT", 256},
               {"HGMMA.64x8x16.F16 R24, R4, gdesc[UR8], R24", 8},
               {"HGMMA.64x64x8.F32.TF32 R24, gdesc[UR8], R24, gsb0", 64},
               {"IGMMA.64x64x32.S8.U8.SAT R24, gdesc[UR8], R24", 64},
               {"QGMMA.64x128x32.F32.E4M3.E5M2 R24, gdesc[UR8], R24", 128}};
  for (const auto& [text, work] : known) {
    CAPTURE(text);
    const auto program = test::sass_program({text, "EXIT"});
    REQUIRE(program.has_value());
    CHECK(int{program->instructions[0].work} == work);
  }
  for (const char* shape : {"64x200000000x16", "64x2048x16", "64x12x16", "64x0x16", "64x-8x16", "128x128x16",
                            "64x128x8", "64x128x16x16", "64x128", "64", "64x128x99999999999"}) {
    CAPTURE(shape);
    const std::string text = "HGMMA." + std::string(shape) + ".F32 R24, gdesc[UR8], R24";
    CHECK(sass_refusal(text) == "k.sass:3:19: error: not executed: got '" + text + "': shape " + shape +
                                    "; must be 64xNx16, N a multiple of 8 up to 256\n");
  }
  CHECK(sass_refusal("HGMMA.64x64x16.F32.SURPRISE R24, gdesc[UR8], R24").find("modifier .SURPRISE") !=
        std::string::npos);
  CHECK(sass_refusal("HGMMA.64x64x16.F32 R24, gdesc[UR8].odd, R24").find("suffix .odd") != std::string::npos);
  CHECK(sass_refusal("IGMMA.64x64x32.S8.F16 R24, gdesc[UR8], R24").find("element other than S8 and U8") !=
        std::string::npos);
}

TEST_CASE("conversions to and from FP8, packed integers and halves of MUFU: refused only where their values matter") {
  for (const char* text : {"F2FP.SATFINITE.E4M3.F32.PACK_AB_MERGE_C R2, R3, R4, R5",
                           "F2FP.SATFINITE.E5M2.F32.PACK_AB_MERGE_C R2, R3, R4, RZ", "F2FP.F16.E4M3.UNPACK_B R2, R3",
                           "F2FP.F16.F32.PACK_AB.RZ R2, R3, R4", "I2IP.S8.S32.SAT R2, R3, R4, R5",
                           "MUFU.EX2.F16 R2, R3", "MUFU.TANH.F16 R2, R3"}) {
    CAPTURE(text);
    CHECK(sass_refusal(text) == "");
    const auto program = test::sass_program({text, "LDG.E R6, desc[UR4][R2.64]", "EXIT"});
    REQUIRE_FALSE(program);
    CHECK(to_string(program.error()).find("are not computed here, and an address or a branch depends on them") !=
          std::string::npos);
  }
  CHECK(test::sass_program({"F2FP.TF32.F32.PACK_B R2, R3", "LDG.E R6, desc[UR4][R2.64]", "EXIT"}));
  CHECK(sass_refusal("F2FP.TF32.F32.PACK_AB R2, R3, R4").find("other than .PACK_B") != std::string::npos);
  CHECK(sass_refusal("F2FP.E4M3.F32 R2, R3, R4").find("neither .PACK_AB nor .UNPACK_B") != std::string::npos);
}

namespace {

// Where a load goes whose address two instructions leave in R4.
std::uint64_t computed(const std::string& a, const std::string& b, const std::string& instruction) {
  auto program = test::sass_program(
      {"MOV R2, " + a, "MOV R3, " + b, instruction, "MOV R5, RZ", "LDG.E.U8 R6, desc[UR4][R4.64]", "EXIT"});
  REQUIRE(program);
  PatternTable patterns;
  sass::WarpExecutor executor(*program, patterns);
  executor.start(0, 0, nullptr);
  executor.next(false);
  REQUIRE(executor.operands().size() == 1);
  return executor.operands()[0].base;
}

}  // namespace

TEST_CASE("VIMNMX of halves takes each half by itself, VIMNMX3 the least of three") {
  CHECK(computed("0x0005fff0", "0x00040002", "VIMNMX R4, R2, R3, PT") == 0x00040002);
  CHECK(computed("0x0005fff0", "0x00040002", "VIMNMX.S16x2 R4, R2, R3, PT") == 0x0004fff0);
  CHECK(computed("0x0005fff0", "0x00040002", "VIMNMX.U16x2 R4, R2, R3, PT") == 0x00040002);
  CHECK(computed("0x0005fff0", "0x00060002", "VIMNMX.U16x2 R4, R2, R3, !PT") == 0x0006fff0);
  CHECK(computed("0x30", "0x20", "VIMNMX3 R4, R2, R3, 0x10, PT") == 0x10);
  CHECK(computed("0x30", "0x20", "VIMNMX3 R4, R2, R3, 0x10, !PT") == 0x30);
}

TEST_CASE("LEA that takes nothing away carries, as a subtraction without a borrow") {
  const struct {
    const char *taken, *from;
    std::uint64_t difference;  // of 64 bits: the high words are 0 and 7
  } rows[] = {{"0x0", "0x10", 7}, {"0x1", "0x10", 7}, {"0x5", "0x10", 6}, {"0x4", "0x10", 7}};
  for (const auto& [taken, from, difference] : rows) {
    CAPTURE(taken);
    auto program = test::sass_program({std::string("MOV R2, ") + taken, std::string("MOV R3, ") + from, "MOV R6, 0x7",
                                       "LEA R4, P0, -R2, R3, 0x2", "IADD3.X R4, R6, -0x1, RZ, P0, !PT", "MOV R5, RZ",
                                       "LDG.E.U8 R7, desc[UR4][R4.64]", "EXIT"});
    REQUIRE(program);
    PatternTable patterns;
    sass::WarpExecutor executor(*program, patterns);
    executor.start(0, 0, nullptr);
    executor.next(false);
    REQUIRE(executor.operands().size() == 1);
    CHECK(executor.operands()[0].base == difference);
  }
}

TEST_CASE("F2FP.TF32 keeps ten bits of the fraction") {
  CHECK(computed("0x3f801000", "RZ", "F2FP.TF32.F32.PACK_B R4, R2") == 0x3f802000);  // a tie, away from zero
  CHECK(computed("0x3f801001", "RZ", "F2FP.TF32.F32.PACK_B R4, R2") == 0x3f802000);
  CHECK(computed("0x7f800000", "RZ", "F2FP.TF32.F32.PACK_B R4, R2") == 0x7f800000);
}

TEST_CASE("HMNMX2.NAN lets a NaN win, HMNMX2 the number beside it") {
  struct Row {
    const char* modifier;
    std::uint32_t result;
  };
  for (const auto& [modifier, result] : {Row{"", 0x3c003c00}, Row{".NAN", 0x7fff3c00}}) {
    CAPTURE(modifier);
    // Low half: 1.0 and 2.0; high half: NaN and 1.0. The minimum is where the load goes.
    CHECK(computed("0x7e003c00", "0x3c004000", std::string("HMNMX2") + modifier + " R4, R2, R3, PT") == result);
  }
}
