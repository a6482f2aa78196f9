#include "models/support/content_hash.h"

#include <doctest/doctest.h>

using namespace tilescope;

TEST_CASE("a content's name is that of XXH3, published for the empty text and for 'a'") {
  CHECK(ContentHash().text() == "99aa06d3014798d86001c324468d497f");
  ContentHash letter;
  letter.add("a");
  CHECK(letter.text() == "a96faf705af16834e6c632b61e964e1f");
  CHECK(short_hash("") == 0x2d06800538d394c2);
}

TEST_CASE("adding in pieces, as text or as numbers, is adding at once") {
  std::string text;
  ContentHash numbers, pieces;
  for (std::uint64_t i = 0; i < 1000; ++i) {
    const std::uint64_t number = i * 0x0123456789ABCDEFULL;
    std::string bytes;
    for (unsigned shift = 0; shift < 64; shift += 8) bytes += static_cast<char>(number >> shift & 0xFFU);
    text += bytes;
    numbers.add(number);
    pieces.add(i % 3 == 0 ? std::string_view(bytes).substr(0, 3) : std::string_view(bytes));
    if (i % 3 == 0) pieces.add(std::string_view(bytes).substr(3));
  }
  ContentHash whole;
  whole.add(text);
  CHECK(numbers.digest() == whole.digest());
  CHECK(pieces.digest() == whole.digest());
  numbers.add(std::uint64_t{0});
  CHECK(numbers.digest() != whole.digest());
}
