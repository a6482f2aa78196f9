// `tilescope compare --bundle`: measured rows find their launches by order and name.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "bundle_files.h"
#include "cli_answer.h"
#include "sim/studies/measured/bundle_rows.h"

using namespace tilescope;
using test::BundleCopy;
using test::small_bundle;

namespace {

using Pairs = std::vector<std::pair<std::size_t, std::size_t>>;

Pairs aligned(const std::string& a, const std::string& b) {
  return longest_alignment(a.size(), b.size(), [&](std::size_t i, std::size_t j) { return a[i] == b[j]; });
}

// The usual table, by dynamic programming.
std::size_t most_pairs(const std::string& a, const std::string& b) {
  std::vector<std::vector<std::size_t>> most(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
  for (std::size_t i = 1; i <= a.size(); ++i)
    for (std::size_t j = 1; j <= b.size(); ++j)
      most[i][j] = a[i - 1] == b[j - 1] ? most[i - 1][j - 1] + 1 : std::max(most[i - 1][j], most[i][j - 1]);
  return most[a.size()][b.size()];
}

constexpr const char* kHeader =
    R"("ID","Kernel Name","Block Size","Grid Size","gpc__cycles_elapsed.max","smsp__inst_executed.sum")"
    "\n"
    R"("","","","","cycle","inst")"
    "\n";

std::string row(const std::string& kernel, const std::string& block, const std::string& grid, int cycles) {
  return fmt::format("\"0\",\"{}\",\"{}\",\"{}\",\"{}\",\"20992\"\n", kernel, block, grid, cycles);
}

// As a profiler names them: with parameters, mangled, or with template arguments in its own way; one launch is skipped.
std::string profile() {
  return kHeader + row("void tilescope::gpu::copy<float4>(const T1 *, T1 *, int)", "(256, 1, 1)", "(64, 1, 1)", 5000) +
         row("embedding", "(128, 1, 1)", "(128, 1, 1)", 5500) + row("embedding", "(128, 1, 1)", "(128, 1, 1)", 40000) +
         row("_ZN9tilescope3gpu4copyI6float4EEvPKT_PS3_i", "(256, 1, 1)", "(64, 1, 1)", 5000) +
         row("_Z7missingv", "(1, 1, 1)", "(1, 1, 1)", 3000) + row("fill", "(1, 1, 1)", "(1, 1, 1)", 3000) +
         row("copy", "(256, 1, 1)", "(65, 1, 1)", 3000) + row("through_shared", "(128, 1, 1)", "(2, 1, 1)", 3000);
}

nlohmann::json compared(const BundleCopy& copy, std::vector<std::string> more = {}) {
  copy.write("ncu.csv", profile());
  copy.make_unknown(6, "through_shared");
  std::vector<std::string> words{"compare",  "--bundle", copy.name(), "--measured", copy.name() + "/ncu.csv",
                                 "--format", "json"};
  words.insert(words.end(), more.begin(), more.end());
  const CliAnswer answer = ask(words);
  REQUIRE_MESSAGE(answer.code == 0, answer.err);
  return nlohmann::json::parse(answer.out);
}

}  // namespace

TEST_CASE("an alignment pairs as many as there can be, in order, early ones first") {
  CHECK(aligned("abc", "xaybzc") == Pairs{{0, 1}, {1, 3}, {2, 5}});
  CHECK(aligned("aa", "aaaa") == Pairs{{0, 0}, {1, 1}});
  CHECK(aligned("xab", "abx") == Pairs{{1, 0}, {2, 1}});  // a stray row first does not cost the others
  CHECK(aligned("", "abc").empty());
  CHECK(aligned("abc", "").empty());
  std::uint32_t state = 1;
  const auto word = [&state](std::size_t length) {
    std::string text;
    for (std::size_t i = 0; i < length; ++i) {
      state = state * 1664525 + 1013904223;
      text += static_cast<char>('a' + (state >> 24) % 4);
    }
    return text;
  };
  for (std::size_t length = 0; length < 40; ++length) {
    const std::string a = word(length), b = word(2 * length / 3 + 5);
    CAPTURE(a);
    CAPTURE(b);
    const Pairs pairs = aligned(a, b);
    CHECK(pairs.size() == most_pairs(a, b));
    for (std::size_t i = 0; i < pairs.size(); ++i) {
      CHECK(a[pairs[i].first] == b[pairs[i].second]);
      if (i > 0) CHECK((pairs[i].first > pairs[i - 1].first && pairs[i].second > pairs[i - 1].second));
    }
  }
}

TEST_CASE("rows are matched by launch order, kernel, grid and block, and the others have their reason") {
  const BundleCopy copy;
  const auto json = compared(copy);
  REQUIRE(json["cases"].size() == 4);
  const std::string name = copy.path.filename().string();
  const char* labels[] = {"#1 copy", "#4 embedding", "#5 embedding", "#1 copy"};
  for (std::size_t i = 0; i < 4; ++i) CHECK(json["cases"][i]["case"] == name + labels[i]);
  const auto run = nlohmann::json::parse(ask({"run", small_bundle + "#5", "--format", "json"}).out);
  CHECK(json["cases"][2]["metrics"]["gpc__cycles_elapsed.max"]["predicted"] ==
        run["metrics"]["gpc__cycles_elapsed.max"]);
  REQUIRE(json["unmatched"].size() == 4);
  const char* reasons[] = {"the recorder could not store the launch: the code of the kernel was not seen",
                           "the bundle has no kernel of that name",
                           "no launch of that kernel, grid and block is left at this place of the bundle",
                           "its launch: unknown opcode: got 'UBLKCQ.S.G'; docs/sass.md lists those that are executed"};
  for (std::size_t i = 0; i < 4; ++i) CHECK(json["unmatched"][i]["reason"] == reasons[i]);
}

TEST_CASE("errors are added up by program, by size and by kernel") {
  const BundleCopy copy;
  const auto json = compared(copy);
  const auto& groups = json["groups"];
  const char* names[][2] = {{"program", ""},
                            {"size", "below 7,000 cycles"},
                            {"size", "30,000 to 100,000 cycles"},
                            {"kernel", "copy"},
                            {"kernel", "embedding"}};
  REQUIRE(groups.size() == 5);
  for (std::size_t i = 1; i < 5; ++i) {
    CHECK(groups[i]["by"] == names[i][0]);
    CHECK(groups[i]["name"] == names[i][1]);
  }
  CHECK(groups[0]["cases"] == 4);
  CHECK(groups[1]["cases"] == 3);
  CHECK(groups[0]["mean"] == json["totals"]["gpc__cycles_elapsed.max"]["mean"]);
  CHECK(groups[2]["mean"].get<double>() ==
        doctest::Approx(std::abs(json["cases"][2]["metrics"]["gpc__cycles_elapsed.max"]["error"].get<double>())));
}

TEST_CASE("the scatter plot has a point for each case") {
  const BundleCopy copy;
  copy.write("ncu.csv", profile());
  const CliAnswer answer =
      ask({"compare", "--bundle", copy.name(), "--measured", copy.name() + "/ncu.csv", "--format", "svg"});
  REQUIRE_MESSAGE(answer.code == 0, answer.err);
  std::size_t points = 0;
  for (std::size_t at = answer.out.find("<title>"); at != std::string::npos; at = answer.out.find("<title>", at + 1))
    ++points;
  CHECK(points == 5);
  CHECK(answer.out.ends_with("</svg>\n"));
}

TEST_CASE("--kernels filters, several bundles stand for several files, and wrong options are refused") {
  const BundleCopy copy;
  CHECK(compared(copy, {"--kernels", "embed"})["cases"].size() == 2);
  const std::string file = copy.name() + "/ncu.csv";
  const CliAnswer both = ask({"compare", "--bundle", copy.name(), small_bundle, "--measured", file, file, "--mode",
                              "counts", "--format", "json"});
  REQUIRE_MESSAGE(both.code == 0, both.err);
  CHECK(nlohmann::json::parse(both.out)["cases"].size() == 9);
  CHECK(refused(ask({"compare", "--bundle", copy.name(), "--measured", file, file}),
                "--bundle names 1 and --measured 2"));
  CHECK(refused(ask({"compare", "--bundle", copy.name(), "--mapping", "default", "--measured", file}),
                "--mapping: goes without --bundle"));
  CHECK(refused(ask({"compare", "--bundle", copy.name(), "--measured", file, "--kernels", "zzz"}),
                "no measured kernel's name has it"));
  copy.write("other.csv", kHeader + row("nobody", "(1, 1, 1)", "(1, 1, 1)", 1));
  CHECK(refused(ask({"compare", "--bundle", copy.name(), "--measured", copy.name() + "/other.csv"}),
                "can not be compared: the bundle has no kernel of that name"));
}
