// Replacement policies: what each keeps and gives up, and how a configuration names them.
#include <doctest/doctest.h>

#include <set>
#include <string>
#include <vector>

#include "models/gpu_spec.h"
#include "models/replacement/chosen.h"
#include "models/sectored_tags.h"
#include "models/support/spec_reader.h"

using namespace tilescope;

namespace {

struct Nothing {};

std::size_t numbered(const std::string& name) {
  const auto& names = ChosenReplacement::names();
  return static_cast<std::size_t>(std::find(names.begin(), names.end(), name) - names.begin());
}

// One set of a cache, and how many of a walk's lines are not in it.
int misses(const std::string& policy, std::size_t ways, const std::vector<std::uint64_t>& walk) {
  SectoredTags<Nothing, ChosenReplacement> tags(1, ways, SetIndex(1), ChosenReplacement(numbered(policy), 1, ways));
  int count = 0;
  for (const std::uint64_t number : walk) {
    const LineAddress line = LineAddress::numbered(number);
    if (tags.find(line) != nullptr) continue;
    ++count;
    tags.claim(*tags.victim(line, [](const Nothing&) { return true; }), line);
  }
  return count;
}

std::vector<std::uint64_t> cyclic(std::uint64_t lines, int passes) {
  std::vector<std::uint64_t> walk;
  for (int pass = 0; pass < passes; ++pass)
    for (std::uint64_t line = 0; line < lines; ++line) walk.push_back(line);
  return walk;
}

std::vector<std::uint64_t> scattered(std::uint64_t lines, int length, std::uint64_t seed) {
  std::vector<std::uint64_t> walk;
  walk.reserve(static_cast<std::size_t>(length));
  for (int i = 0; i < length; ++i)
    walk.push_back(scale_to(mix_bits(seed + static_cast<std::uint64_t>(i) * 0x9E3779B97F4A7C15ULL), lines));
  return walk;
}

}  // namespace

TEST_CASE("every policy keeps what fits: a second pass over as many lines as there are ways misses nothing") {
  for (const std::string& policy : ChosenReplacement::names())
    for (const std::size_t ways : {1, 2, 16, 64}) {
      CAPTURE(policy);
      CAPTURE(ways);
      CHECK(misses(policy, ways, cyclic(ways, 3)) == static_cast<int>(ways));
    }
}

TEST_CASE("least recently used: a cache of more ways never misses more") {
  for (const std::uint64_t seed : {1, 2, 3})
    for (const auto& walk : {scattered(24, 2000, seed), cyclic(12, 40)})
      for (std::size_t ways = 2; ways <= 32; ++ways) CHECK(misses("lru", ways, walk) <= misses("lru", ways - 1, walk));
}

TEST_CASE("a cyclic walk over one line more than fits: nothing is left under LRU, most under random replacement") {
  const int reads = 17 * 100;
  CHECK(misses("lru", 16, cyclic(17, 100)) == reads);
  CHECK(misses("random", 16, cyclic(17, 100)) < reads / 3);
  CHECK(misses("nru_random", 16, cyclic(17, 100)) < reads);
}

TEST_CASE("random choices are the same in every run, and reach every way") {
  const auto walk = scattered(40, 3000, 7);
  CHECK(misses("random", 16, walk) == misses("random", 16, walk));
  RandomChoice policy(1, 8);
  std::set<std::size_t> gone;
  for (std::size_t way = 0; way < 8; ++way) policy.touch(0, way);
  for (int i = 0; i < 200; ++i) gone.insert(policy.victim(0, [](std::size_t way) { return way != 3; }));
  CHECK(gone == std::set<std::size_t>{0, 1, 2, 4, 5, 6, 7});
  CHECK(policy.victim(0, [](std::size_t) { return false; }) == kNoWay);
}

TEST_CASE("a policy that does not exist is refused with the list of those that do") {
  const auto spec =
      read_spec<GpuSpec>(TILESCOPE_SOURCE_DIR "/configs/gpus/h200.yaml", {{"l2.replacement", "nru_frist"}});
  REQUIRE(!spec);
  CHECK(to_string(spec.error()) ==
        "--set l2.replacement=nru_frist: error: l2.replacement: got 'nru_frist'; must be nru_first, nru_random, lru or "
        "random (did you mean nru_first?)\n");
}
