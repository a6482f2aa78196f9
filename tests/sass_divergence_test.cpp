// How often a warp whose lanes go different ways executes the instruction at which they meet again.
#include <doctest/doctest.h>

#include "sass_text.h"
#include "traces/sass/warp_executor.h"

using namespace tilescope;

namespace {

// Instructions that one warp executes to its end; R0 holds the number of the lane, P0 tells that it is not lane 0.
std::uint64_t executed(const std::vector<std::string>& code) {
  std::vector<std::string> whole{"S2R R0, SR_TID.X", "ISETP.NE.AND P0, PT, R0, RZ, PT"};
  whole.insert(whole.end(), code.begin(), code.end());
  auto program = test::sass_program(whole);
  REQUIRE(program);
  PatternTable patterns;
  sass::WarpExecutor executor(*program, patterns);
  executor.start(0, 0, nullptr);
  while (!executor.done()) executor.next(false);
  return executor.executed() - 2;
}

}  // namespace

TEST_CASE("lanes that waited for each other at a WARPSYNC execute it once more together") {
  CHECK(executed({"NOP", "WARPSYNC.ALL", "EXIT"}) == 3);                              // nobody waits
  CHECK(executed({"@P0 BRA 0x40", "NOP", "WARPSYNC.ALL", "EXIT"}) == 1 + 1 + 3 + 1);  // lane 0, the others, all
  CHECK(executed({"@P0 BRA 0x40", "NOP", "WARPSYNC 0xffffffff", "EXIT"}) == 1 + 1 + 3 + 1);
  const std::vector<std::string> three_groups{"@P0 BRA 0x50", "NOP", "BRA 0x80",     "ISETP.GT.AND P1, PT, R0, 0x7, PT",
                                              "@P1 BRA 0x80", "NOP", "WARPSYNC.ALL", "EXIT"};
  CHECK(executed(three_groups) == 3 + 3 + 4 + 1);
}

TEST_CASE("a WARPSYNC goes on without a second time when the lanes that it waited for have exited") {
  CHECK(executed({"@P0 BRA 0x50", "WARPSYNC.ALL", "EXIT", "EXIT"}) == 1 + 1 + 1 + 1);
}

TEST_CASE("a BSYNC whose members come from its BSSY is executed once by each group") {
  CHECK(executed({"BSSY B0, 0x60", "@P0 BRA 0x50", "NOP", "BSYNC B0", "EXIT"}) == 2 + 1 + 2 + 1);
}
