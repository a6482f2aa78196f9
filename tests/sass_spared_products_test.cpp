// Products of matrices that CTAs leave to each other beside the words by which they wait: not computed as long as
// nothing that matters is read where one was stored, computed otherwise (traces/sass/spared_products.h).
#include <algorithm>

#include "engine_runs.h"
#include "sass_runs.h"
#include "sass_text.h"
#include "traces/sass/unknown_sectors.h"

using namespace tilescope;

namespace {

// CTA n reads the word of CTA n - 1, which lies in front of its own, and goes round a loop once more than that says. It
// writes how often at `word` from its own, and at `product` the same, as the sum of a product of zeros.
std::vector<std::string> chain(const std::string& word, const std::string& product) {
  return {"MOV R4, c[0x0][0x210]",
          "MOV R5, c[0x0][0x214]",
          "S2R R6, SR_CTAID.X",
          "IMAD.WIDE.U32 R8, R6, 0x4, R4",
          "LDG.E.STRONG.GPU R0, desc[UR4][R8.64]",
          "IADD3 R0, R0, 0x1, RZ",
          "MOV R12, R0",
          "IMMA.16816.S8.S8 R12, R16.ROW, R18.COL, R12",
          "MOV R3, R0",
          "IADD3 R3, R3, -0x1, RZ",  // 0x90
          "ISETP.NE.AND P0, PT, R3, RZ, PT",
          "@P0 BRA 0x90",
          "STG.E desc[UR4][R8.64+" + word + "], R0",
          "STG.E desc[UR4][R8.64+" + product + "], R12",
          "EXIT"};
}
constexpr std::uint64_t kStraight = 12, kTurn = 3;

struct Chained {
  test::SassScratch scratch;
  std::unique_ptr<Kernel> kernel(const std::vector<std::string>& code) const {
    scratch.write("k.sass", test::sass_text(code));
    return test::sass_kernel(
        scratch.write("k.yaml",
                      "kernel: {sass: k.sass, registers: 24, static_smem: 16}\ngrid: [8]\nblock: [32]\n"
                      "args: [{buffer: 4096}]\n"));
  }
};

bool spares_products(const Kernel& kernel) {
  return dynamic_cast<const sass::SassKernel&>(kernel).program().with_products != nullptr;
}

std::vector<std::uint64_t> counts_of(const Kernel& kernel, bool backwards) {
  std::vector<std::uint64_t> all(8);
  for (std::int64_t i = 0; i < 8; ++i) {
    const std::int64_t cta = backwards ? 7 - i : i;
    all[static_cast<std::size_t>(cta)] = static_cast<std::uint64_t>(instructions_of_cta(kernel, cta));
  }
  return all;
}

}  // namespace

TEST_CASE("products that are only stored are left out, unless what CTAs read of each other lies there") {
  struct {
    std::string word, product;
    bool spared;
  } const rows[] = {{"0x4", "0x400", true},    // words and products apart
                    {"0x4", "0x10", false},    // within a sector
                    {"0x400", "0x4", false}};  // the product itself is read
  for (const auto& [word, product, spared] : rows) {
    CAPTURE(product);
    for (const bool backwards : {false, true}) {
      const Chained launch;
      const auto kernel = launch.kernel(chain(word, product));
      CHECK(spares_products(*kernel));
      std::vector<std::uint64_t> expected;
      for (std::uint64_t n = 1; n <= 8; ++n) expected.push_back(kStraight + kTurn * n);
      CHECK(counts_of(*kernel, backwards) == expected);
      CHECK(spares_products(*kernel) == spared);
      CHECK(kernel->approximations().empty());
    }
  }
}

TEST_CASE("a product that an address or a branch needs at once is never left out") {
  auto code = chain("0x4", "0x400");
  std::replace(code.begin(), code.end(), std::string("MOV R3, R0"), std::string("MOV R3, R12"));
  const Chained launch;
  CHECK_FALSE(spares_products(*launch.kernel(code)));
}

TEST_CASE("sectors are not known from the first byte that is stored in them on, across pages") {
  sass::UnknownSectors unknown;
  CHECK(unknown.empty());
  CHECK(unknown.knows(0, 4096));
  unknown.set(1020, 8, false);
  CHECK(unknown.knows(960, 32));
  CHECK_FALSE(unknown.knows(992, 4));
  CHECK_FALSE(unknown.knows(1024, 4));
  CHECK_FALSE(unknown.knows(0, 4096));
  CHECK(unknown.knows(1056, 4096));
  unknown.set(992, 32, true);
  CHECK(unknown.knows(960, 64));
  CHECK_FALSE(unknown.knows(1024, 32));
  unknown.set(1024, 32, true);
  CHECK(unknown.empty());
}
