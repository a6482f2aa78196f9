// Turns of compiled loops that are told in advance are those that would be executed.
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "sass_text.h"
#include "traces/sass/warp_executor.h"

using namespace tilescope;

namespace {

struct Seen {
  std::vector<std::uint64_t> turns;  // first instruction, length, then base and pattern of each operand
  std::uint64_t most_at_once = 0;
  std::string error;
};

std::uint64_t pattern_hash(const PatternTable& patterns, PatternId id) {
  std::uint64_t hash = patterns.pattern(id).active;
  for (const std::int64_t offset : patterns.pattern(id).offset)
    hash = (hash ^ static_cast<std::uint64_t>(offset)) * 0x9E3779B97F4A7C15ULL;
  return hash;
}

Seen walk(const sass::Program& program, bool by_turns) {
  PatternTable patterns;
  sass::WarpExecutor executor(program, patterns);
  executor.start(0, 0, nullptr);
  Seen seen;
  try {
    while (!executor.done()) {
      std::uint32_t repeats = 1;
      const sass::WarpRun run = by_turns ? executor.next_turns(repeats) : executor.next(false);
      seen.most_at_once = std::max<std::uint64_t>(seen.most_at_once, repeats);
      for (std::uint32_t turn = 0; turn < repeats; ++turn) {
        seen.turns.push_back(run.first);
        seen.turns.push_back(run.length);
        for (std::size_t i = 0; i < executor.operands().size(); ++i) {
          const MemoryOperand& operand = executor.operands()[i];
          const std::uint64_t moved =
              turn == 0 || operand.pattern == 0 ? 0 : static_cast<std::uint64_t>(executor.advance()[i]) * turn;
          seen.turns.push_back(operand.base + moved);
          seen.turns.push_back(pattern_hash(patterns, operand.pattern));
        }
      }
    }
  } catch (const DiagnosticsError& error) {
    seen.error = error.what();
  }
  seen.turns.push_back(executor.executed());
  return seen;
}

// The most turns that were told at once, all being as executed one by one.
std::uint64_t told(const std::vector<std::string>& code) {
  const auto program = test::sass_program(code);
  REQUIRE(program.has_value());
  const Seen by_turns = walk(*program, true), one_by_one = walk(*program, false);
  CHECK(by_turns.turns == one_by_one.turns);
  CHECK(by_turns.error == one_by_one.error);
  CHECK(one_by_one.most_at_once == 1);
  return by_turns.most_at_once;
}

// R2:R3 = 0x1000 + 4 * lane, R4 = 0, then `body` in a loop that ends with "@P0 BRA 0x30".
std::vector<std::string> loop(const std::vector<std::string>& body) {
  std::vector<std::string> code = {"S2R R8, SR_TID.X", "IMAD.WIDE R2, R8, 0x4, R6", "MOV R4, RZ"};
  code.insert(code.end(), body.begin(), body.end());
  code.insert(code.end(), {"@P0 BRA 0x30", "STG.E [R2.64], R4", "STG.E [R10.64], R4", "EXIT"});
  return code;
}

}  // namespace

TEST_CASE("a loop over pointers and a counter is told in one run, but for its first turns") {
  CHECK(told(loop({"LDG.E R5, [R2.64]", "IADD3 R2, P1, R2, 0x100, RZ", "IADD3.X R3, RZ, R3, RZ, P1, !PT",
                   "IADD3 R4, R4, 0x1, RZ", "ISETP.LT.AND P0, PT, R4, 0x64, PT"})) == 96);
  CHECK(told(loop({"LDG.E R5, [R2.64+0x40]", "IMAD.WIDE R2, R4, 0x0, R2", "IADD3 R4, R4, -0x3, RZ",
                   "IMAD.WIDE R10, R4, 0x8, R6", "LDG.E R5, [R10.64]", "ISETP.GT.AND P0, PT, R4, -0x12d, PT"})) == 97);
}

TEST_CASE("every comparison ends a loop at its turn") {
  const struct {
    const char* compare;
    const char* step;
  } rows[] = {{"ISETP.NE.AND P0, PT, R4, 0x3c, PT", "0x3"},        {"ISETP.LE.AND P0, PT, R4, 0x3c, PT", "0x7"},
              {"ISETP.LT.U32.AND P0, PT, R4, 0x3c, PT", "0x7"},    {"ISETP.GE.AND P0, PT, R4, -0x64, PT", "-0x9"},
              {"ISETP.GT.AND P0, PT, R4, -0x64, PT", "-0xa"},      {"ISETP.EQ.OR P0, PT, R4, 0x32, !P2", "0x5"},
              {"ISETP.GE.U32.AND P0, PT, R4, 0x100, PT", "-0x64"}, {"ISETP.GT.AND P0, PT, 0x64, R4, PT", "0x4"}};
  for (const auto& [compare, step] : rows) {
    CAPTURE(compare);
    const auto code = loop({"LDG.E R5, [R2.64]", std::string("IADD3 R4, R4, ") + step + ", RZ", compare,
                            "@!P0 MOV R9, 0x1", "ISETP.NE.AND P2, PT, R9, 0x1, PT"});
    const auto program = test::sass_program(code);
    REQUIRE(program.has_value());
    const Seen by_turns = walk(*program, true), one_by_one = walk(*program, false);
    CHECK(by_turns.turns == one_by_one.turns);
    CHECK(by_turns.error == one_by_one.error);
  }
}

TEST_CASE("a run ends where a word wraps around") {
  // The low word of the address passes 2^32 in the middle of the loop.
  CHECK(told({"MOV R2, 0xfffff000", "MOV R3, 0x1", "MOV R4, RZ", "LDG.E R5, [R2.64]", "IADD3 R2, P1, R2, 0x100, RZ",
              "IADD3.X R3, RZ, R3, RZ, P1, !PT", "IADD3 R4, R4, 0x1, RZ", "ISETP.LT.AND P0, PT, R4, 0x64, PT",
              "@P0 BRA 0x30", "STG.E [R2.64], R4", "EXIT"}) > 50);
  // A factor passes the largest signed number.
  CHECK(told({"MOV R4, 0x7fffffd0", "MOV R6, RZ", "MOV R9, RZ", "IMAD.WIDE R2, R4, 0x4, RZ", "LDG.E R5, [R2.64+0x100]",
              "IADD3 R4, R4, 0x1, RZ", "IADD3 R9, R9, 0x1, RZ", "ISETP.NE.AND P0, PT, R9, 0x64, PT", "@P0 BRA 0x30",
              "STG.E [R2.64], R4", "EXIT"}) > 40);
}

TEST_CASE("loops that are not linear are executed turn by turn") {
  // A step that grows, a shift, lanes that leave at different turns, a clock.
  CHECK(told(loop({"LDG.E R5, [R2.64]", "IADD3 R9, R9, 0x4, RZ", "IADD3 R2, R2, R9, RZ", "IADD3 R4, R4, 0x1, RZ",
                   "ISETP.LT.AND P0, PT, R4, 0x40, PT"})) == 1);
  CHECK(told(loop({"LDG.E R5, [R2.64]", "SHF.L.U32 R9, R4, 0x2, RZ", "IMAD.WIDE R2, R9, 0x4, R6",
                   "IADD3 R4, R4, 0x1, RZ", "ISETP.LT.AND P0, PT, R4, 0x40, PT"})) == 1);
  CHECK(told(loop({"LDG.E R5, [R2.64]", "IADD3 R2, R2, 0x80, RZ", "IADD3 R4, R4, R8, RZ", "IADD3 R4, R4, 0x1, RZ",
                   "ISETP.LT.AND P0, PT, R4, 0x40, PT"})) == 1);
  CHECK(told(loop({"LDG.E R5, [R2.64]", "CS2R.32 R9, SR_CLOCKLO", "LOP3.LUT R9, R9, 0x80, RZ, 0xc0, !PT",
                   "IADD3 R2, R2, R9, RZ", "IADD3 R4, R4, 0x1, RZ", "ISETP.LT.AND P0, PT, R4, 0x40, PT"})) == 1);
}

TEST_CASE("a loop without an end meets its limit all the same") {
  auto listing = sass::read_listing(test::sass_text({"MOV R2, RZ", "MOV R3, RZ", "MOV R4, RZ", "LDG.E R5, [R2.64]",
                                                     "IADD3 R4, R4, 0x1, RZ", "BRA 0x30"}),
                                    "k.sass");
  REQUIRE(listing.has_value());
  sass::LaunchState launch;
  launch.block.x = 32;
  launch.constants[0].assign(1024, 0);
  launch.limits.warp_instructions = 10'000;
  const auto program = sass::build_program(listing->functions.front(), listing->file, std::move(launch), false);
  REQUIRE(program.has_value());
  const Seen by_turns = walk(*program, true), one_by_one = walk(*program, false);
  CHECK(by_turns.error == one_by_one.error);
  CHECK(by_turns.error.find("the warp does not end") != std::string::npos);
  CHECK(by_turns.turns == one_by_one.turns);
}
