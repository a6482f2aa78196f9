#include <doctest/doctest.h>

#include "traces/sass/control_codes.h"

using tilescope::sass::control_codes;

TEST_CASE("the high word of an encoding holds stall count, yield, scoreboards, wait mask and reuse flags") {
  struct {
    const char* instruction;
    std::uint64_t high;
    int stall, yield, write, read, wait, reuse;
  } const rows[] = {
      {"LDC R1, c[0x0][0x28]", 0x000fe20000000800, 1, 0, 7, 7, 0, 0},
      {"S2R R0, SR_CTAID.Y", 0x000e2e0000002600, 7, 0, 0, 7, 0, 0},
      {"IMAD R0, R0, UR5, R7", 0x001fca000f8e0207, 5, 0, 7, 7, 1, 0},
      {"LDG.E.CONSTANT R11, desc[UR6][R8.64]", 0x0000a2000c1e9900, 1, 0, 2, 0, 0, 0},
      {"IADD3 R4, R2.reuse, -0x1, RZ", 0x040fe20007ffe0ff, 1, 0, 7, 7, 0, 1},
      {"IADD3 R4, -R7, R2.reuse, RZ", 0x080fe20007ffe1ff, 1, 0, 7, 7, 0, 2},
      {"ISETP.GE.AND P0, PT, R2, 0x1, PT", 0x001fda0003f06270, 13, 0, 7, 7, 1, 0},
      {"LOP3.LUT R7, R2, 0x3, RZ, 0xc0, !PT", 0x000fe400078ec0ff, 2, 0, 7, 7, 0, 0},
      {"PLOP3.LUT P0, PT, PT, PT, PT, 0x80, 0x0", 0x000fd60003f0f070, 11, 0, 7, 7, 0, 0},
      {"MOV R13, UR9", 0x000fc60008000f00, 3, 1, 7, 7, 0, 0},
  };
  for (const auto& row : rows) {
    CAPTURE(row.instruction);
    const auto codes = control_codes(row.high);
    CHECK(int{codes.stall} == row.stall);
    CHECK(int{codes.write_scoreboard} == row.write);
    CHECK(int{codes.read_scoreboard} == row.read);
    CHECK(int{codes.wait_mask} == row.wait);
    CHECK(int{codes.reuse} == row.reuse);
  }
}

TEST_CASE("a cleared yield bit asks the scheduler for another warp") {
  CHECK(int{control_codes(0).yield} == 1);
  CHECK(int{control_codes(std::uint64_t{1} << 45U).yield} == 0);
}
