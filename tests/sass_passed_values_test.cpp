// Values that CTAs pass to CTAs behind them through global memory: which kernels are looked at, what each CTA then
// executes, in any order of asking, and what is said where it is not known. Against hardware:
// tests/program/programs_test.cpp.
#include <numeric>

#include "engine_runs.h"
#include "sass_runs.h"
#include "sass_text.h"

using namespace tilescope;

namespace {

// R4: the buffer; R6: the number of the CTA; R2: 1.
std::vector<std::string> with_start(std::vector<std::string> code) {
  code.insert(code.begin(), {"MOV R4, c[0x0][0x210]", "MOV R5, c[0x0][0x214]", "S2R R6, SR_CTAID.X", "MOV R2, 0x1"});
  return code;
}
constexpr int kStart = 4;

// The CTA that draws the last number of a grid of eight goes on. At 0x40.
const std::vector<std::string> kLastBlock =
    with_start({"ATOMG.E.ADD.STRONG.GPU PT, R0, desc[UR4][R4.64], R2", "ISETP.NE.AND P0, PT, R0, 0x7, PT", "@P0 EXIT",
                "NOP", "NOP", "EXIT"});
constexpr std::uint64_t kLastBlockShort = kStart + 3, kLastBlockLong = kStart + 6;

// CTA n reads the word of CTA n - 1, which lies in front of its own, goes round a loop as often as that says and once
// more, and writes how often. In front of the first word stands a zero.
std::vector<std::string> chain(const std::string& load) {
  return with_start({"IMAD.WIDE.U32 R8, R6, 0x4, R4",             // 0x40
                     load + " R0, desc[UR4][R8.64]",              // 0x50
                     "IADD3 R0, R0, 0x1, RZ", "MOV R3, R0",       // 0x60, 0x70
                     "IADD3 R3, R3, -0x1, RZ",                    // 0x80
                     "ISETP.NE.AND P0, PT, R3, RZ, PT",           // 0x90
                     "@P0 BRA 0x80",                              // 0xa0
                     "STG.E desc[UR4][R8.64+0x4], R0", "EXIT"});  // 0xb0
}
constexpr std::uint64_t kChainStraight = kStart + 6, kChainTurn = 3;

struct OneLaunch {
  test::SassScratch scratch;
  std::string grid = "[8]", block = "[1]", buffer = "{buffer: 4096}";

  std::unique_ptr<Kernel> kernel(const std::vector<std::string>& code, const std::vector<std::string>& set = {}) const {
    scratch.write("k.sass", test::sass_text(code));
    const std::string file =
        scratch.write("k.yaml", "kernel: {sass: k.sass, registers: 16, static_smem: 16}\ngrid: " + grid +
                                    "\nblock: " + block + "\nargs: [" + buffer + "]\n");
    sass::Limits limits;
    for (const std::string& one : set) REQUIRE(sass::set_limit(limits, one).has_value());
    auto kernel = sass::open_launch_file(file, limits);
    if (!kernel) FAIL(to_string(kernel.error()));
    return std::move(*kernel);
  }
};

using CtaCounts = std::vector<std::uint64_t>;

// Instructions of each CTA, which are asked for in this order.
CtaCounts counts_of(const Kernel& kernel, const std::vector<std::int64_t>& order) {
  CtaCounts all(order.size());
  for (const std::int64_t cta : order)
    all[static_cast<std::size_t>(cta)] = static_cast<std::uint64_t>(instructions_of_cta(kernel, cta));
  return all;
}
std::vector<std::int64_t> in_order(std::int64_t ctas) {
  std::vector<std::int64_t> order(static_cast<std::size_t>(ctas));
  std::iota(order.begin(), order.end(), 0);
  return order;
}

CtaCounts chained(std::uint64_t ctas) {
  CtaCounts all;
  for (std::uint64_t n = 1; n <= ctas; ++n) all.push_back(kChainStraight + kChainTurn * n);
  return all;
}

}  // namespace

TEST_CASE("the last CTA to draw a number goes on, the others end") {
  CtaCounts expected(8, kLastBlockShort);
  expected[7] = kLastBlockLong;
  const OneLaunch one;
  CHECK(counts_of(*one.kernel(kLastBlock), in_order(8)) == expected);
  CHECK(counts_of(*one.kernel(kLastBlock), {7, 2, 0, 5, 6, 1, 3, 4}) == expected);
}

TEST_CASE("a CTA sees what the CTA before it has written beside its own words, at any place of the buffer") {
  const std::string buffers[] = {"{buffer: 4096}", "{buffer: 4096, init: zero}", "{buffer: 132}"};
  for (const std::string& buffer : buffers) {
    CAPTURE(buffer);
    OneLaunch one;
    one.grid = "[32]";
    one.buffer = buffer;
    const auto kernel = one.kernel(chain("LDG.E.STRONG.GPU"));
    std::vector<std::int64_t> backwards = in_order(32);
    std::reverse(backwards.begin(), backwards.end());
    CHECK(counts_of(*kernel, backwards) == chained(32));
    CHECK(counts_of(*kernel, in_order(32)) == chained(32));
    CHECK(kernel->approximations().empty());
  }
}

TEST_CASE("a buffer that is filled and one that ends within a sector pass values on, too") {
  OneLaunch one;
  one.buffer = "{pointer: a, offset: 4}";
  one.grid =
      "[8]\nbuffers: {a: {size: 38, address: 0x7f00000003fc}, b: {size: 8, address: 0x7f0000000422, contents: "
      "[{at: 0, file: in.bin}]}}";
  one.scratch.write("in.bin", std::string(8, '\1'));
  CHECK(counts_of(*one.kernel(chain("LDG.E.STRONG.SYS")), {3, 0, 7, 6, 5, 4, 1, 2}) == chained(8));
}

TEST_CASE("loads without a scope read no other CTA's writes: that would be a race") {
  OneLaunch one;
  const auto kernel = one.kernel(chain("LDG.E"));
  CHECK(counts_of(*kernel, in_order(8)) == CtaCounts(8, kChainStraight + kChainTurn));
  CHECK(kernel->approximations().empty());
  CHECK_FALSE(dynamic_cast<const sass::SassKernel&>(*kernel).program().ctas_exchange);
  CHECK(dynamic_cast<const sass::SassKernel&>(*one.kernel(kLastBlock)).program().ctas_exchange);
}

TEST_CASE("an atomic whose result nobody needs makes no CTA wait for others") {
  const OneLaunch one;
  const auto code = with_start(
      {"ATOMG.E.ADD.STRONG.GPU PT, R0, desc[UR4][R4.64], R2", "REDG.E.ADD.STRONG.GPU desc[UR4][R4.64], R2", "EXIT"});
  const auto kernel = one.kernel(code, {"grid_instructions=1"});
  CHECK(counts_of(*kernel, in_order(8)) == CtaCounts(8, kStart + 3));
  CHECK(kernel->approximations().empty());
}

TEST_CASE("beyond a limit CTAs run as if each were alone, and the answer says so") {
  struct {
    std::string limit, why;
  } const rows[] = {
      {"grid_instructions=20",
       "they execute too much one after the other; the limit is grid_instructions=20; --limit grid_instructions=N "
       "changes it"},
      {"passed_bytes=1024",
       "they write over too much memory; the limit is passed_bytes=1024; --limit "
       "passed_bytes=N changes it"}};
  for (const auto& [limit, why] : rows) {
    CAPTURE(limit);
    const OneLaunch one;
    const auto kernel = one.kernel(kLastBlock, {limit});
    const RunOutcome outcome = test::run(test::h200(), *kernel, Mode::counts);
    CHECK(outcome.approximations ==
          std::vector<std::string>{"CTAs do not see what others write to global memory: " + why});
    CHECK(outcome.sm.total_instructions() == 8 * kLastBlockShort);
  }
  const OneLaunch one;
  const auto kernel = one.kernel(kLastBlock, {"grid_instructions=100", "passed_bytes=2048"});
  const RunOutcome outcome = test::run(test::h200(), *kernel, Mode::counts);
  CHECK(outcome.approximations.empty());
  CHECK(outcome.sm.total_instructions() == 7 * kLastBlockShort + kLastBlockLong);
}

TEST_CASE("a CTA that does not end for what it reads of others leaves all of them alone, and the answer says why") {
  // The second number that is drawn goes round for ever.
  const OneLaunch one;
  const auto kernel = one.kernel(with_start({"ATOMG.E.ADD.STRONG.GPU PT, R0, desc[UR4][R4.64], R2",
                                             "ISETP.EQ.AND P0, PT, R0, 0x1, PT", "@P0 BRA 0x60", "EXIT"}),
                                 {"warp_instructions=1000"});
  const RunOutcome outcome = test::run(test::h200(), *kernel, Mode::counts);
  CHECK(outcome.approximations ==
        std::vector<std::string>{
            "CTAs do not see what others write to global memory: '@P0 BRA 0x60': in CTA 1, warp 0: the warp does not "
            "end; the limit is warp_instructions=1000; --limit warp_instructions=N changes it"});
  CHECK(outcome.sm.total_instructions() == 8 * (kStart + 4));
}

TEST_CASE("what CTAs pass on is the same for any number of threads, in every mode") {
  OneLaunch one;
  one.grid = "[700]";
  const auto code = chain("LDG.E.STRONG.GPU");
  const auto expected = chained(700);
  for (const Mode mode : {Mode::timing, Mode::counts}) {
    CAPTURE(static_cast<int>(mode));
    const RunOutcome alone = test::run(test::h200(), *one.kernel(code), mode);
    CHECK(alone.sm.total_instructions() == std::accumulate(expected.begin(), expected.end(), std::uint64_t{0}));
    for (const int threads : {2, 4})
      CHECK(test::numbers(test::run(test::h200(), *one.kernel(code), mode, Sample::off, threads)) ==
            test::numbers(alone));
  }
}

namespace {

// Draws the number of a tile, again and again, until it is 10 or more: three instructions for each number.
const std::vector<std::string> kTiles = with_start({"ATOMG.E.ADD.STRONG.GPU PT, R0, desc[UR4][R4.64], R2",  // 0x40
                                                    "ISETP.GE.AND P0, PT, R0, 0xa, PT", "@!P0 BRA 0x40", "EXIT"});

CtaCounts tiles_of(const std::vector<std::uint64_t>& numbers) {
  CtaCounts all;
  for (const std::uint64_t drawn : numbers) all.push_back(kStart + 3 * drawn + 1);
  return all;
}

}  // namespace

TEST_CASE("CTAs that draw tiles from a counter get as many each, and one number past the end") {
  OneLaunch one;
  one.grid = "[4]";
  CHECK(counts_of(*one.kernel(kTiles), in_order(4)) == tiles_of({4, 4, 3, 3}));
  CHECK(counts_of(*one.kernel(kTiles), {2, 3, 1, 0}) == tiles_of({4, 4, 3, 3}));
  one.grid = "[16]";
  CHECK(counts_of(*one.kernel(kTiles), in_order(16)) == tiles_of({2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 1, 1, 1, 1, 1, 1}));
}

TEST_CASE("tiles are shared out alike when a CTA is executed ahead to see that it ends") {
  OneLaunch one;
  one.grid = "[4]";
  std::vector<std::string> code = kTiles;  // 2,000 tiles
  code[kStart + 1] = "ISETP.GE.AND P0, PT, R0, 0x7d0, PT";
  CtaCounts expected(4, kStart + 3 * 501 + 1);
  CHECK(counts_of(*one.kernel(code), in_order(4)) == expected);
  CHECK(counts_of(*one.kernel(code), {3, 2, 1, 0}) == expected);
}

TEST_CASE("no more CTAs draw tiles together than fit onto a GPU") {
  OneLaunch one;
  one.grid = "[9300]";
  const auto counts = counts_of(*one.kernel(kTiles), in_order(9300));
  CHECK(std::accumulate(counts.begin(), counts.end(), std::uint64_t{0}) == 9300 * (kStart + 4) + 10 * 3);
  CHECK(counts[9] == kStart + 7);
  CHECK(counts[10] == kStart + 4);
}

TEST_CASE("one thread draws the tile of its CTA, the other warps wait for it at a barrier") {
  OneLaunch one;
  one.grid = "[4]";
  one.block = "[64]";
  const auto code = with_start({"S2R R7, SR_TID.X", "ISETP.NE.AND P1, PT, R7, RZ, PT",          // 0x40, 0x50
                                "@!P1 ATOMG.E.ADD.STRONG.GPU PT, R0, desc[UR4][R4.64], R2",     // 0x60
                                "@!P1 STS [RZ], R0", "BAR.SYNC.DEFER_BLOCKING 0x0",             // 0x70, 0x80
                                "LDS R3, [RZ]", "BAR.SYNC.DEFER_BLOCKING 0x0",                  // 0x90, 0xa0
                                "ISETP.GE.AND P0, PT, R3, 0xa, PT", "@!P0 BRA 0x60", "EXIT"});  // 0xb0
  CtaCounts expected;
  for (const std::uint64_t drawn : {4, 4, 3, 3}) expected.push_back(2 * (kStart + 2 + 7 * drawn + 1));
  CHECK(counts_of(*one.kernel(code), in_order(4)) == expected);
  CHECK(counts_of(*one.kernel(code), {3, 1, 2, 0}) == expected);
}

TEST_CASE("a barrier of the whole grid fills, and each CTA looks once") {
  const auto code = with_start({"ATOMG.E.ADD.STRONG.GPU PT, R0, desc[UR4][R4.64], R2",
                                "LDG.E.STRONG.GPU R0, desc[UR4][R4.64]",  // 0x50
                                "ISETP.NE.AND P0, PT, R0, 0x8, PT", "@P0 BRA 0x50", "EXIT"});
  const CtaCounts expected(8, kStart + 2 + 3);
  const OneLaunch one;
  const auto kernel = one.kernel(code);
  CHECK(counts_of(*kernel, {7, 2, 0, 5, 6, 1, 3, 4}) == expected);
  CHECK(kernel->approximations().empty());
  for (const Mode mode : {Mode::timing, Mode::counts})
    for (const int threads : {1, 2})
      CHECK(test::run(test::h200(), *one.kernel(code), mode, Sample::off, threads).sm.total_instructions() ==
            std::accumulate(expected.begin(), expected.end(), std::uint64_t{0}));
}

TEST_CASE("what a CTA has written itself stays, between what others change from turn to turn") {
  // Each CTA adds 1 to the word that all share and to its own word beside, as long as the common one is below 40; then
  // it goes round a loop as often as its own says.
  const auto code = with_start({"IMAD.WIDE.U32 R8, R6, 0x4, R4",                              // 0x40
                                "ATOMG.E.ADD.STRONG.GPU PT, R0, desc[UR4][R4.64], R2",        // 0x50
                                "ATOMG.E.ADD.STRONG.GPU PT, R3, desc[UR4][R8.64+0x4], R2",    // 0x60
                                "ISETP.GE.AND P0, PT, R0, 0x28, PT", "@!P0 BRA 0x50",         // 0x70, 0x80
                                "IADD3 R3, R3, -0x1, RZ", "ISETP.NE.AND P0, PT, R3, RZ, PT",  // 0x90, 0xa0
                                "@P0 BRA 0x90", "EXIT"});                                     // 0xb0
  CtaCounts expected;  // five of each CTA's numbers are below 40, so that its word was 5 before the sixth
  for (int cta = 0; cta < 8; ++cta) expected.push_back(kStart + 1 + 6 * 4 + 5 * 3 + 1);
  CHECK(counts_of(*OneLaunch().kernel(code), {5, 0, 7, 6, 1, 2, 4, 3}) == expected);
}

TEST_CASE("CTAs that wait for what none of them writes are soon left alone; those that give up waiting end") {
  const auto code = [](const std::string& looks) {
    return with_start({"MOV R3, " + looks, "ATOMG.E.ADD.STRONG.GPU PT, R0, desc[UR4][R4.64], R2",  // 0x40, 0x50
                       "LDG.E.STRONG.GPU R0, desc[UR4][R4.64]", "IADD3 R3, R3, -0x1, RZ",          // 0x60, 0x70
                       "ISETP.NE.AND P0, PT, R0, 0x999, PT", "ISETP.NE.AND P0, PT, R3, RZ, P0",    // 0x80, 0x90
                       "@P0 BRA 0x60", "EXIT"});
  };
  const OneLaunch one;
  const auto endless = one.kernel(code("RZ"), {"grid_instructions=20000"});
  endless->make_stream();
  CHECK(endless->approximations() ==
        std::vector<std::string>{
            "CTAs do not see what others write to global memory: they wait for what none of them writes"});
  const auto patient = one.kernel(code("0x64"));
  CHECK(counts_of(*patient, in_order(8)) == CtaCounts(8, kStart + 2 + 100 * 5 + 1));
  CHECK(patient->approximations().empty());
}

namespace {

// CTA n says 1 in its word, CTA 0 at once 2. Then each looks at the words before its own, one after the other, each
// until it is not 0, until one is 2, and says 2 itself: seven instructions, six for each look, two.
const std::vector<std::string> kLookBack =
    with_start({"IMAD.WIDE.U32 R8, R6, 0x4, R4", "ISETP.EQ.AND P1, PT, R6, RZ, PT",     // 0x40, 0x50
                "MOV R3, 0x2", "STG.E.STRONG.GPU desc[UR4][R8.64], R2", "MOV R10, R8",  // 0x60, 0x70, 0x80
                "MOV R11, R9", "@P1 BRA 0x110",                                         // 0x90, 0xa0
                "IADD3 R10, R10, -0x4, RZ", "LDG.E.STRONG.GPU R0, desc[UR4][R10.64]",   // 0xb0, 0xc0
                "ISETP.EQ.AND P0, PT, R0, RZ, PT", "@P0 BRA 0xc0",                      // 0xd0, 0xe0
                "ISETP.NE.AND P0, PT, R0, 0x2, PT", "@P0 BRA 0xb0",                     // 0xf0, 0x100
                "STG.E.STRONG.GPU desc[UR4][R8.64], R3", "EXIT"});                      // 0x110

// CTA n is done after r looks if the one r before it was done a look earlier.
std::vector<std::uint64_t> looks_back(std::size_t ctas) {
  std::vector<std::uint64_t> looks(ctas);
  for (std::size_t n = 1; n < ctas; ++n)
    for (looks[n] = 1; looks[n - looks[n]] + 1 > looks[n];) ++looks[n];
  return looks;
}

}  // namespace

TEST_CASE("CTAs that look back see what others had stored before they looked themselves") {
  OneLaunch one;
  one.grid = "[19]";
  CtaCounts expected;
  std::uint64_t all = 0;
  for (const std::uint64_t looks : looks_back(19)) expected.push_back(kStart + 7 + 6 * looks + 2), all += looks;
  CHECK(all == 73);
  CHECK(counts_of(*one.kernel(kLookBack), in_order(19)) == expected);
  std::vector<std::int64_t> backwards = in_order(19);
  std::reverse(backwards.begin(), backwards.end());
  const auto kernel = one.kernel(kLookBack);
  CHECK(counts_of(*kernel, backwards) == expected);
  CHECK(kernel->approximations().empty());
}

TEST_CASE("a load that no loop repeats at the same address is no wait: it sees what CTAs before have written") {
  CHECK_FALSE(
      dynamic_cast<const sass::SassKernel&>(*OneLaunch().kernel(chain("LDG.E.STRONG.GPU"))).program().ctas_wait);
  CHECK(dynamic_cast<const sass::SassKernel&>(*OneLaunch().kernel(kLookBack)).program().ctas_wait);
}
