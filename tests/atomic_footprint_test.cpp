// How atomics leave an SM and pass shared memory, against what an H200 counts: tests/data/sass/spaces/spaces_h200.csv,
// docs/memory-spaces.md.
#include "models/atomic_footprint.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <iterator>
#include <string>
#include <vector>

#include "models/shared_banks.h"
#include "sass_runs.h"

using namespace tilescope;
using namespace tilescope::test;

namespace {

constexpr AtomicKind kAdd = AtomicKind::integer;
constexpr AtomicKind kCompare = AtomicKind::compare;

// tests/data/sass/spaces/atomics.cuh: the word of a lane, and whether it takes part.
enum Words : int { one_word, one_line, eight_words, a_line_each, two_words = 8, every_fourth = 9, first_eleven = 7 };

int word_of(Words words, int lane) {
  switch (words) {
    case one_word:
      return 0;
    case eight_words:
      return lane % 8;
    case a_line_each:
      return lane * 32;
    case two_words:
      return lane % 2;
    default:
      return lane;
  }
}
bool takes_part(Words words, int lane) {
  if (words == first_eleven) return lane < 11;
  return words != every_fourth || lane % 4 == 0;
}

LanePattern pattern_of(Words words, int bytes) {
  std::array<std::uint64_t, kLanes> address{};
  std::uint32_t active = 0;
  for (int lane = 0; lane < kLanes; ++lane) {
    address[static_cast<std::size_t>(lane)] = static_cast<std::uint64_t>(word_of(words, lane) * bytes);
    if (takes_part(words, lane)) active |= 1U << lane;
  }
  return make_pattern(address, active, bytes).pattern;
}

std::int64_t packets_of(const AtomicFootprint& footprint) { return std::distance(footprint.begin(), footprint.end()); }

// One launch of the table with its figures for one warp instruction; nothing when it is not there.
double measured(const std::string& kernel, Words words, const std::string& counter, const std::string& instructions) {
  static const auto table = sass_table("spaces/spaces_h200.csv");
  for (const auto& row : table)
    if (row.at("kernel") == kernel && row.at("n") == std::to_string(words) && row.at("grid") != "132")
      return std::stod(row.at(counter)) / std::stod(row.at(instructions));
  FAIL("not measured: " << kernel << ", " << words);
  return 0;
}

}  // namespace

TEST_CASE("an atomic makes as many passes as its most shared word has lanes") {
  struct {
    Words words;
    int bytes, passes, packets, sectors;
  } const rows[] = {
      {one_word, 4, 32, 32, 32},  {one_word, 8, 32, 32, 32},   {one_line, 4, 1, 1, 4},      {one_line, 8, 1, 2, 8},
      {eight_words, 4, 4, 4, 4},  {a_line_each, 4, 1, 32, 32}, {a_line_each, 8, 1, 32, 32}, {two_words, 4, 16, 16, 16},
      {first_eleven, 4, 1, 1, 2}, {every_fourth, 4, 1, 1, 4},
  };
  for (const auto& row : rows) {
    CAPTURE(static_cast<int>(row.words));
    CAPTURE(row.bytes);
    for (const AtomicKind kind : {kAdd, AtomicKind::floating}) {
      const AtomicFootprint footprint(pattern_of(row.words, row.bytes), 0, kind);
      CHECK(footprint.passes() == row.passes);
      CHECK(packets_of(footprint) == row.packets);
      CHECK(footprint.sectors() == row.sectors);
    }
  }
}

TEST_CASE("packets and sectors of atomics are what L2 was seen to be sent") {
  struct {
    std::string kernel;
    int bytes;
    AtomicKind kind;
    std::vector<Words> words;
  } const rows[] = {
      {"global_add_u32_atom",
       4,
       kAdd,
       {one_word, one_line, eight_words, a_line_each, first_eleven, two_words, every_fourth}},
      {"global_add_u64_atom", 8, kAdd, {one_word, one_line, a_line_each, two_words}},
      {"global_add_f32_atom", 4, AtomicKind::floating, {one_word, one_line, a_line_each, two_words}},
      {"global_cas_b32_atom", 4, kCompare, {one_word, one_line, a_line_each, two_words}},
      {"global_cas_b64_atom", 8, kCompare, {one_word, one_line}},
      {"global_exch_b32_atom", 4, kAdd, {one_word, one_line}},
  };
  const std::string executed = "smsp__inst_executed_op_generic_atom.sum";
  for (const auto& row : rows)
    for (const Words words : row.words) {
      CAPTURE(row.kernel);
      CAPTURE(static_cast<int>(words));
      const AtomicFootprint footprint(pattern_of(words, row.bytes), 0, row.kind);
      CHECK(static_cast<double>(packets_of(footprint)) ==
            measured(row.kernel, words, "lts__t_requests_srcunit_tex_op_atom.sum", executed));
      CHECK(static_cast<double>(footprint.sectors()) ==
            measured(row.kernel, words, "lts__t_sectors_srcunit_tex_op_atom.sum", executed));
    }
}

TEST_CASE("compare-and-swap goes 64 B of a value at a time") {
  struct {
    Words words;
    int bytes, packets, sectors;
  } const rows[] = {{one_line, 4, 2, 4},
                    {one_line, 8, 4, 8},
                    {one_word, 4, 32, 32},
                    {two_words, 4, 16, 16},
                    {a_line_each, 4, 32, 32}};
  for (const auto& row : rows) {
    CAPTURE(static_cast<int>(row.words));
    CAPTURE(row.bytes);
    const AtomicFootprint footprint(pattern_of(row.words, row.bytes), 0, kCompare);
    CHECK(packets_of(footprint) == row.packets);
    CHECK(footprint.sectors() == row.sectors);
    for (const AtomicPacket& packet : footprint) CHECK(packet.sectors.count() <= 2);
  }
}

TEST_CASE("a packet knows its line, its sectors and its word, wherever the base lies in its line") {
  // Four words from byte 120 on: two of them in the next line.
  const LanePattern four = make_pattern({120, 124, 128, 132}, 0xf, 4).pattern;
  const AtomicFootprint across(four, 4096 + 120, kAdd);
  REQUIRE(packets_of(across) == 2);
  CHECK(across.begin()[0].line == 0);
  CHECK(across.begin()[0].sectors == SectorMask::of(3));
  CHECK(across.begin()[1].line == 1);
  CHECK(across.begin()[1].sectors == SectorMask::of(0));
  CHECK(!across.begin()[0].one_word);

  const AtomicFootprint lone(make_pattern({44}, 1, 4).pattern, 4096 + 44, AtomicKind::floating);
  REQUIRE(packets_of(lone) == 1);
  CHECK(lone.begin()->one_word);
  CHECK(lone.begin()->place == 11);
  CHECK(lone.begin()->sectors == SectorMask::of(1));
  // Lanes at one word follow one another: each pass has that word alone.
  for (const AtomicPacket& packet : AtomicFootprint(pattern_of(one_word, 4), 0, kAdd)) CHECK(packet.one_word);

  CHECK(packets_of(AtomicFootprint(LanePattern{}, 0, kAdd)) == 0);
}

TEST_CASE("the order of lanes changes neither passes nor sectors") {
  for (const Words words : {one_word, one_line, eight_words, a_line_each, two_words})
    for (const int turned : {1, 5, 16}) {
      LanePattern there = pattern_of(words, 4);
      const AtomicFootprint before(there, 0, kAdd);
      std::rotate(there.offset.begin(), there.offset.begin() + turned, there.offset.end());
      const AtomicFootprint after(there, 0, kAdd);
      CAPTURE(static_cast<int>(words));
      CHECK(after.passes() == before.passes());
      CHECK(after.sectors() == before.sectors());
      CHECK(packets_of(after) == packets_of(before));
    }
}

TEST_CASE("a packet takes a cycle for its header and one for each sector; a lone reduction is a header") {
  const auto of_sectors = [](unsigned mask, bool one_word) { return AtomicPacket{0, SectorMask(mask), one_word, 0}; };
  struct {
    std::string what;
    AtomicPacket packet;
    AtomicKind kind;
    bool returns;
    Cycle cycles;
  } const rows[] = {
      {"ATOM, one word", of_sectors(1, true), kAdd, true, 2},
      {"RED, one word", of_sectors(1, true), kAdd, false, 1},
      {"RED, two words", of_sectors(1, false), kAdd, false, 2},
      {"RED, a line", of_sectors(15, false), kAdd, false, 5},
      {"ATOM, a line", of_sectors(15, false), kAdd, true, 5},
      {"FP32 as integers", of_sectors(15, false), AtomicKind::floating, true, 5},
      {"CAS, one word", of_sectors(1, true), kCompare, true, 2},
      {"CAS, two sectors", of_sectors(3, false), kCompare, true, 5},
      {"CAS, one sector", of_sectors(1, false), kCompare, true, 3},
  };
  for (const auto& row : rows) {
    CAPTURE(row.what);
    CHECK(packet_cycles(row.packet, row.kind, row.returns) == row.cycles);
  }
}

// docs/memory-spaces.md, "one SM": cycles of its way out for an instruction of 32 lanes.
TEST_CASE("the packets of an instruction keep the way out as long as 32 warps of an H200 take for it") {
  struct {
    std::string what;
    Words words;
    int bytes;
    AtomicKind kind;
    bool returns;
    double measured;
  } const rows[] = {
      {"RED, one line", one_line, 4, kAdd, false, 5.4},     {"ATOM, one line", one_line, 4, kAdd, true, 5.2},
      {"CAS, one line", one_line, 4, kCompare, true, 10.2}, {"RED, 2 lines", one_line, 8, kAdd, false, 10.3},
      {"ATOM, 2 lines", one_line, 8, kAdd, true, 10.2},     {"RED, 32 lines", a_line_each, 4, kAdd, false, 32.7},
      {"ATOM, 32 lines", a_line_each, 4, kAdd, true, 64.2}, {"CAS, 32 lines", a_line_each, 4, kCompare, true, 64.1},
      {"RED, one word", one_word, 4, kAdd, false, 32.6},    {"ATOM, one word", one_word, 4, kAdd, true, 64.1},
      {"CAS, one word", one_word, 4, kCompare, true, 64.1},
  };
  for (const auto& row : rows) {
    CAPTURE(row.what);
    Cycle cycles = 0;
    for (const AtomicPacket& packet : AtomicFootprint(pattern_of(row.words, row.bytes), 0, row.kind))
      cycles += packet_cycles(packet, row.kind, row.returns);
    CHECK(static_cast<double>(cycles) == doctest::Approx(row.measured).epsilon(0.08));
  }
}

TEST_CASE("an atomic on shared memory takes as many wavefronts as its fullest bank has lanes") {
  struct {
    std::string kernel;
    int bytes;
    AtomicKind kind;
    std::vector<Words> words;
  } const rows[] = {
      {"shared_add_u32_atom",
       4,
       kAdd,
       {one_word, one_line, eight_words, a_line_each, first_eleven, two_words, every_fourth}},
      {"shared_add_u32_red", 4, kAdd, {one_word, one_line, eight_words, a_line_each}},
      {"shared_max_s32_atom", 4, kAdd, {one_word, one_line, a_line_each, two_words}},
      {"shared_exch_b32_atom", 4, kAdd, {one_word, one_line, a_line_each, two_words}},
      {"shared_cas_b32_atom",
       4,
       kCompare,
       {one_word, one_line, eight_words, a_line_each, first_eleven, two_words, every_fourth}},
      {"shared_cas_b64_atom", 8, kCompare, {one_word, one_line, a_line_each, two_words}},
  };
  const SharedBanks banks;
  const std::string executed = "smsp__inst_executed_op_shared_atom.sum";
  for (const auto& row : rows)
    for (const Words words : row.words) {
      CAPTURE(row.kernel);
      CAPTURE(static_cast<int>(words));
      const BankCost cost = banks.atomic_cost(pattern_of(words, row.bytes), row.kind);
      CHECK(cost.wavefronts ==
            measured(row.kernel, words, "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_atom.sum", executed));
      CHECK(cost.wavefronts - cost.ideal ==
            measured(row.kernel, words, "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_atom.sum", executed));
    }
}

TEST_CASE("counting atomics merge lanes at one word, others do not") {
  const SharedBanks banks;
  struct {
    Words words;
    int merged, apart;
  } const rows[] = {
      {one_word, 1, 32}, {two_words, 1, 16}, {eight_words, 1, 4}, {one_line, 1, 1}, {a_line_each, 32, 32}};
  for (const auto& row : rows) {
    CAPTURE(static_cast<int>(row.words));
    CHECK(banks.atomic_cost(pattern_of(row.words, 4), AtomicKind::count).wavefronts == row.merged);
    CHECK(banks.atomic_cost(pattern_of(row.words, 4), kAdd).wavefronts == row.apart);
  }
  CHECK(banks.atomic_cost(LanePattern{}, kCompare).wavefronts == 0);
}
