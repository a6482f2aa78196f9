// Line markers of nvdisasm -g and -gi.
#include <doctest/doctest.h>

#include "traces/sass/line_marker.h"
#include "traces/sass/listing.h"

using namespace tilescope::sass;

TEST_CASE("a line marker names a file, a line and where the line was inlined") {
  const auto plain = parse_line_marker(R"(//## File "/home/me/my kernel.cu", line 31)");
  REQUIRE(plain.has_value());
  CHECK(plain->file == "/home/me/my kernel.cu");
  CHECK(plain->line == 31);
  CHECK(plain->caller_file.empty());
  const auto inlined = parse_line_marker(R"(//## File "a.h", line 7 inlined at "b.cu", line 12)");
  REQUIRE(inlined.has_value());
  CHECK(inlined->line == 7);
  CHECK(inlined->caller_file == "b.cu");
  CHECK(inlined->caller_line == 12);
  for (const char* other : {"//## File a.cu, line 3", "//## File \"a.cu\"", "//## File \"a.cu\", line x",
                            "//## File \"a.cu\", line 3 inlined at b", "//-- File \"a.cu\", line 3", ""}) {
    CAPTURE(other);
    CHECK_FALSE(parse_line_marker(other).has_value());
  }
}

TEST_CASE("instructions take the innermost marker before them, until the next one or the next function") {
  const std::string code = " /* 0x000000000000794d */\n /* 0x000fea0003800000 */\n";
  const std::string text =
      "//--------------------- .text.one --------------------------\n"
      ".text.one:\n"
      "        /*0000*/ NOP ;" +
      code +
      "\t//## File \"a.cu\", line 3\n"
      "        /*0010*/ NOP ;" +
      code + "        /*0020*/ NOP ;" + code +
      "\t//## File \"b.h\", line 9 inlined at \"b.h\", line 5\n"
      "\t//## File \"b.h\", line 5 inlined at \"a.cu\", line 4\n"
      "\t//## File \"a.cu\", line 4\n"
      ".L_x_1:\n"
      "        /*0030*/ NOP ;" +
      code +
      "\t//## File \"a.py\", line 8\n"
      "\t//## File \".nv_debug_ptx_txt\", line 77\n"
      "        /*0040*/ NOP ;" +
      code +
      "\t//## File \"a.cu\", line 1\n"
      "\t//## File \"a.cu\", line 2\n"
      "        /*0050*/ EXIT ;" +
      code +
      ".text.two:\n"
      "        /*0000*/ EXIT ;" +
      code;
  const auto listing = read_listing(text, "k.sass");
  if (!listing) FAIL(tilescope::to_string(listing.error()));
  REQUIRE(listing->functions.size() == 2);
  const ListedFunction& one = listing->functions[0];
  CHECK(one.labels.at(".L_x_1") == 0x30);
  const struct {
    const char* file;
    int line;
  } expected[] = {{"", 0}, {"a.cu", 3}, {"a.cu", 3}, {"b.h", 9}, {"a.py", 8}, {"a.cu", 2}};
  REQUIRE(one.code.size() == 6);
  for (std::size_t i = 0; i < one.code.size(); ++i) {
    CAPTURE(i);
    const int file = one.code[i].source_file;
    CHECK((file < 0 ? "" : one.source_files.at(static_cast<std::size_t>(file))) == expected[i].file);
    CHECK(one.code[i].source_line == expected[i].line);
  }
  CHECK(listing->functions[1].code[0].source_file == -1);
}
