// What counts as UTF-8, by the table of RFC 3629.
#include "models/support/utf8.h"

#include <doctest/doctest.h>

#include <string>

using namespace tilescope;

TEST_CASE("the first byte that is no part of a character is found") {
  struct {
    const char* text;
    std::size_t at;
  } const rows[] = {
      {"", std::string::npos},
      {"plain", std::string::npos},
      {"\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80 \xf4\x8f\xbf\xbf", std::string::npos},
      {"ab\x80", 2},                    // goes on with nothing before it
      {"a\xc3", 1},                     // ends early
      {"a\xe2\x82", 1},                 // ends early
      {"\xc0\xaf", 0},                  // overlong
      {"\xe0\x9f\xbf", 0},              // overlong
      {"\xf0\x8f\xbf\xbf", 0},          // overlong
      {"\xed\xa0\x80", 0},              // a surrogate
      {"\xf4\x90\x80\x80", 0},          // above U+10FFFF
      {"\xc3\xa9\xf8\x88\x80\x80", 2},  // five bytes
      {"\xe2\x28\xa1", 0},              // another character in the middle
  };
  for (const auto& [text, at] : rows) {
    CAPTURE(std::string(text));
    CHECK(find_not_utf8(text) == at);
  }
}
