// Which registers an instruction reads from the two banks: models/register_banks.h, traces/sass/register_reads.h.
#include <doctest/doctest.h>

#include <cstdint>
#include <string>
#include <utility>

#include "traces/sass/register_reads.h"

using namespace tilescope;

namespace {

// Reads of each bank, as the instructions of one warp follow one another.
class ListedWarp {
 public:
  std::pair<int, int> reads(const std::string& text) {
    sass::ListedInstruction listed;
    listed.text = text;
    const auto parsed = sass::parse_instruction(listed);
    REQUIRE_MESSAGE(parsed, text);
    const std::uint8_t packed = cache_.reads_of(*parsed);
    return {bank_reads(packed, 0).count, bank_reads(packed, 1).count};
  }
  // The how manieth register of its bank, even and odd, the instruction before reads what this one finds in the cache.
  std::pair<int, int> after(const std::string& text) {
    sass::ListedInstruction listed;
    listed.text = text;
    const std::uint8_t packed = cache_.reads_of(*sass::parse_instruction(listed));
    return {bank_reads(packed, 0).after, bank_reads(packed, 1).after};
  }

 private:
  sass::ReuseCache cache_;
};

using Reads = std::pair<int, int>;  // even, odd

}  // namespace

TEST_CASE("an instruction reads each register that it names once") {
  CHECK(ListedWarp().reads("FFMA R0, R2, R4, R6") == Reads{3, 0});
  CHECK(ListedWarp().reads("FFMA R0, R2, R2, R6") == Reads{2, 0});
  CHECK(ListedWarp().reads("FFMA R0, R3, R3, R3") == Reads{0, 1});
  CHECK(ListedWarp().reads("FFMA R0, R3, UR4, RZ") == Reads{0, 1});
  CHECK(ListedWarp().reads("IMAD.WIDE R8, R5, 0x4, R8") == Reads{1, 2});
}

TEST_CASE("a register marked .reuse stays at its position of its bank until another is read there") {
  ListedWarp warp;
  CHECK(warp.reads("FFMA R0, R2.reuse, R4, R6") == Reads{3, 0});
  CHECK(warp.reads("FFMA R8, R3, R4, R6") == Reads{2, 1});  // R4 was not marked; R3 lies in the other bank
  CHECK(warp.reads("FFMA R8, R2.reuse, R5, R7") == Reads{0, 2});
  CHECK(warp.reads("LOP3.LUT R9, R11, R2, R7, 0x96, !PT") == Reads{1, 2});  // R2 at another position
  CHECK(warp.reads("FFMA R8, R2, R5, R7") == Reads{0, 2});
  CHECK(warp.reads("FFMA R8, R2, R5, R7") == Reads{1, 2});  // the last one was not marked
}

TEST_CASE("what the instruction before reads into the cache comes in its turn") {
  ListedWarp warp;
  warp.reads("FFMA R0, R2.reuse, R4.reuse, R6.reuse");
  CHECK(warp.after("FFMA R8, R10, R4, R5") == Reads{2, 0});
  CHECK(warp.after("FFMA R8, R3, R5, R6") == Reads{0, 0});  // read by the one before that
  warp.reads("FFMA R0, R3.reuse, R4, R7.reuse");
  CHECK(warp.after("FFMA R8, R3, R9, R7") == Reads{0, 2});
}
