// Doubling a latency changes the cycles of every kernel that uses it, or docs/sensitivity.md says why not: kernels of a
// few milliseconds. tests/slow/sensitivity_all_test.cpp takes all of the repo.
#include "sensitivity.h"

using namespace tilescope;

TEST_CASE("doubling a latency changes the small kernels that use it") {
  std::vector<std::vector<test::Change>> changes;
  for (const test::Subject& subject : test::small_subjects()) changes.push_back(test::changes_of(subject, "h100", 1));
  test::check_changes(changes, false);
}

TEST_CASE("every latency of the configuration has a rule for who uses it, and none is left over") {
  std::set<std::string> known;
  for (const test::Use& use : test::uses()) known.insert(use.path);
  for (const test::Latency& latency : test::latencies(test::shipped("h100"))) {
    CAPTURE(latency.path);
    CHECK(known.erase(latency.path) == 1);
    CHECK(latency.value > 0);  // what is 0 can not be doubled
  }
  for (const std::string& path : known) CHECK_MESSAGE(false, path << " is no latency of the schema");
}

TEST_CASE("what the page on sensitivity excepts are latencies, and kernels by name or none") {
  const auto page = read_text_file(TILESCOPE_SOURCE_DIR "/docs/sensitivity.md");
  REQUIRE(page);
  std::set<std::string> paths;
  for (const test::Latency& latency : test::latencies(test::shipped("h100"))) paths.insert(latency.path);
  const auto listed = test::exceptions(*page);
  CHECK(!listed.empty());
  CHECK_MESSAGE(page->find("| ? |") == std::string::npos, "a reason is missing");
  for (const auto& [path, kernels] : listed) {
    CAPTURE(path);
    CHECK(paths.contains(path));
    CHECK(!kernels.empty());
    CHECK((kernels.size() == 1 || !kernels.contains("none")));
  }
}
