#include <doctest/doctest.h>

#include "models/support/suggest.h"

using namespace tilescope;

TEST_CASE("a mistyped word finds its neighbour, a strange one finds nothing") {
  const std::vector<std::string> kernels = {"gemm_naive", "gemm_tiled", "gemm_register", "l2"};
  const struct {
    const char *word, *match;
  } rows[] = {{"gemm_naiv", "gemm_naive"},
              {"gemm_tield", "gemm_tiled"},
              {"GEMM_TILED", "gemm_tiled"},
              {"gemm_reg", "gemm_register"},
              {"gemm", ""},
              {"", ""},
              {"l1", "l2"},
              {"xy", ""},
              {"transpose", ""}};
  for (const auto& row : rows) {
    CAPTURE(row.word);
    CHECK(closest_match(row.word, kernels).value_or("") == row.match);
  }
}

TEST_CASE("a suggestion is ready to be appended to a message") {
  CHECK(did_you_mean("l2.slics", {"l2.slices"}) == " (did you mean l2.slices?)");
  CHECK(did_you_mean("nothing like it", {"l2.slices"}).empty());
}

TEST_CASE("words are listed as a sentence lists them") {
  CHECK(list_of({}).empty());
  CHECK(list_of({"a"}) == "a");
  CHECK(list_of({"a", "b"}) == "a or b");
  CHECK(list_of({"a", "b", "c"}, "and") == "a, b and c");
}
