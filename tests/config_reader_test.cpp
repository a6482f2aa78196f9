#include <doctest/doctest.h>

#include <string>

#include "models/support/spec_reader.h"
#include "tests/config_sample_spec.h"

using namespace tilescope;

namespace {

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const auto at = text.find(from);
  REQUIRE(at != std::string::npos);
  return text.replace(at, from.size(), to);
}

std::string errors_of(const std::string& text, const std::vector<Override>& overrides = {}) {
  const auto spec = read_spec_text<SampleSpec>(text, "f.yaml", overrides);
  return spec ? "" : to_string(spec.error());
}

}  // namespace

TEST_CASE("a right file fills every kind of field") {
  const auto spec = read_spec_text<SampleSpec>(sample_yaml, "f.yaml");
  REQUIRE_MESSAGE(spec, to_string(spec ? Diagnostics{} : spec.error()));
  CHECK(spec->name == "sample 100");
  CHECK(spec->clock_ghz == 1.755);
  CHECK(spec->ecc);
  CHECK(spec->carve_out_kib == std::vector<std::int64_t>{0, 8, 100});
  CHECK(spec->l2.size_mib == 50);
  CHECK(spec->l2.policy == 1);
}

TEST_CASE("one wrong value gets its position, what was seen and what is accepted") {
  const struct {
    const char *from, *to, *error;
  } rows[] = {
      {"size_mib: 50", "size_mib: 0",
       "f.yaml:7:13: error: l2.size_mib: got '0'; must be a whole number from 1 to 4096 MiB\n"},
      {"size_mib: 50", "size_mib: 99999999999999999999",
       "f.yaml:7:13: error: l2.size_mib: got '99999999999999999999'; must be a whole number from 1 to 4096 MiB\n"},
      {"size_mib: 50", "size_mib: 50.0",
       "f.yaml:7:13: error: l2.size_mib: got '50.0'; must be a whole number from 1 to 4096 MiB\n"},
      {"size_mib: 50",
       "size_mib:", "f.yaml:7:3: error: l2.size_mib: got nothing; must be a whole number from 1 to 4096 MiB\n"},
      {"size_mib: 50", "size_mib: {a: 1}",
       "f.yaml:7:13: error: l2.size_mib: got a map; must be a whole number from 1 to 4096 MiB\n"},
      {"clock_ghz: 1.755", "clock_ghz: .inf",
       "f.yaml:3:12: error: clock_ghz: got '.inf'; must be a number from 0.1 to 10 GHz\n"},
      {"clock_ghz: 1.755", "clock_ghz: nan",
       "f.yaml:3:12: error: clock_ghz: got 'nan'; must be a number from 0.1 to 10 GHz\n"},
      {"clock_ghz: 1.755", "clock_ghz: 1,7",
       "f.yaml:3:12: error: clock_ghz: got '1,7'; must be a number from 0.1 to 10 GHz\n"},
      {"ecc: true", "ecc: yes", "f.yaml:4:6: error: ecc: got 'yes'; must be true or false\n"},
      {"[0, 8, 100]", "7",
       "f.yaml:5:16: error: carve_out_kib: got '7'; must be a list, each a whole number from 0 to 256 KiB\n"},
      {"[0, 8, 100]", "[0, 8, 1e2]",
       "f.yaml:5:23: error: carve_out_kib[2]: got '1e2'; must be a whole number from 0 to 256 KiB\n"},
      {"policy: plru", "policy: plur",
       "f.yaml:10:11: error: l2.policy: got 'plur'; must be lru, plru or random (did you mean plru?)\n"},
      {"  slices: 10", "  slics: 10",
       "f.yaml:6:1: error: l2.slices: missing; must be a whole number from 1 to 256 (slices of the chip)\n"
       "f.yaml:9:3: error: l2.slics: unknown key (did you mean l2.slices?)\n"},
      {"ecc: true", "ecc: true\nslices: 3", "f.yaml:5:1: error: slices: unknown key (did you mean l2.slices?)\n"},
      {"ecc: true", "ecc: true\necc: false",
       "f.yaml:5:1: error: ecc: given twice (first in line 4); must be given once\n"},
      {"slices: 10", "slices: 7", "f.yaml:9:11: error: l2.slices: got a number that does not divide l2.size_mib\n"},
  };
  for (const auto& row : rows) {
    CAPTURE(row.to);
    CHECK(errors_of(replaced(sample_yaml, row.from, row.to)) == row.error);
  }
}

TEST_CASE("a section that is missing or no map is one error, not one per key") {
  CHECK(errors_of(sample_yaml.substr(0, sample_yaml.find("l2:"))) ==
        "f.yaml:2:1: error: l2: missing; must be a section with keys (the level-2 cache)\n");
  CHECK(errors_of(sample_yaml.substr(0, sample_yaml.find("l2:")) + "l2: [1]\n") ==
        "f.yaml:6:5: error: l2: got a list; must be a section with keys (the level-2 cache)\n");
}

TEST_CASE("every error of a file comes in one run, in the file's order") {
  const std::string text = replaced(replaced(sample_yaml, "size_mib: 50", "size_mib: x"), "ecc: true", "ecc: 1");
  CHECK(errors_of(replaced(text, "slices: 10", "slices: 0")) ==
        "f.yaml:4:6: error: ecc: got '1'; must be true or false\n"
        "f.yaml:7:13: error: l2.size_mib: got 'x'; must be a whole number from 1 to 4096 MiB\n"
        "f.yaml:9:11: error: l2.slices: got '0'; must be a whole number from 1 to 256\n");
}

TEST_CASE("every broken rule between values is reported, once all of them could be read") {
  const std::string text =
      replaced(replaced(sample_yaml, "line_bytes: 128", "line_bytes: 64"), "slices: 10", "slices: 7");
  CHECK(errors_of(text) ==
        "f.yaml:8:15: error: l2.line_bytes: must be 32 or 128\n"
        "f.yaml:9:11: error: l2.slices: got a number that does not divide l2.size_mib\n");
  CHECK(errors_of(replaced(text, "size_mib: 50", "size_mib: x")) ==
        "f.yaml:7:13: error: l2.size_mib: got 'x'; must be a whole number from 1 to 4096 MiB\n");
}

TEST_CASE("what is no map of keys is refused whole") {
  CHECK(errors_of("") == "f.yaml: error: is empty; must hold a map of keys\n");
  CHECK(errors_of("# only a comment\n") == "f.yaml: error: is empty; must hold a map of keys\n");
  CHECK(errors_of("- 1\n") == "f.yaml:1:1: error: got a list; must be a map of keys\n");
  CHECK(errors_of(sample_yaml + "---\na: 1\n") == "f.yaml: error: holds more than one YAML document; must hold one\n");
  CHECK(errors_of(std::string("a: \0b", 5)) == "f.yaml: error: holds a NUL byte; must be YAML text\n");
  CHECK(errors_of("name: [1, 2\nl2: 3\n").starts_with("f.yaml:2:3: error: not valid YAML: "));
  CHECK(errors_of(std::string(5000, '[')).find("not valid YAML") != std::string::npos);
}

TEST_CASE("anchors and aliases are read through") {
  const std::string text =
      replaced(replaced(sample_yaml, "size_mib: 50", "size_mib: &size 50"), "slices: 10", "slices: *size");
  const auto spec = read_spec_text<SampleSpec>(text, "f.yaml");
  REQUIRE(spec);
  CHECK(spec->l2.slices == 50);
}

TEST_CASE("an override replaces the file's value, good or bad, and the last one wins") {
  const auto spec =
      read_spec_text<SampleSpec>(replaced(sample_yaml, "size_mib: 50", "size_mib: x"), "f.yaml",
                                 {{"l2.size_mib", "30"}, {"l2.size_mib", "60"}, {"carve_out_kib", "[4]"}});
  REQUIRE(spec);
  CHECK(spec->l2.size_mib == 60);
  CHECK(spec->carve_out_kib == std::vector<std::int64_t>{4});
}

TEST_CASE("an override's errors name the override") {
  const struct {
    Override set;
    const char* error;
  } rows[] = {
      {{"l2.size_mib", "0"},
       "--set l2.size_mib=0: error: l2.size_mib: got '0'; must be a whole number from 1 to 4096 MiB\n"},
      {{"l2.size_mib", ""},
       "--set l2.size_mib=: error: l2.size_mib: got nothing; must be a whole number from 1 to 4096 MiB\n"},
      {{"l2.size_mib", "[1"},
       "--set l2.size_mib=[1: error: l2.size_mib: got '[1'; must be a whole number from 1 to 4096 MiB\n"},
      {{"l2.sise_mib", "9"}, "--set l2.sise_mib=9: error: l2.sise_mib: unknown key (did you mean l2.size_mib?)\n"},
      {{"l2", "9"}, "--set l2=9: error: l2: is a section; must be one of its keys, such as l2.KEY\n"},
      {{"l2.slices", "7"}, "--set l2.slices=7: error: l2.slices: got a number that does not divide l2.size_mib\n"},
  };
  for (const auto& row : rows) CHECK(errors_of(sample_yaml, {row.set}) == row.error);
}

TEST_CASE("an override is PATH=VALUE") {
  const auto set = parse_override("l2.size_mib = 50");
  REQUIRE(set);
  CHECK(set->path == "l2.size_mib");
  CHECK(set->value == "50");
  for (const char* wrong : {"", "=", "=5", "l2.size_mib", " = 3"}) {
    CAPTURE(wrong);
    const auto refused = parse_override(wrong);
    REQUIRE(!refused);
    CHECK(to_string(refused.error()) ==
          std::string("--set ") + wrong + ": error: must be PATH=VALUE, such as l2.size_mib=50");
  }
}

TEST_CASE("a file that is missing, a directory or too large is one sentence") {
  CHECK(to_string(read_spec<SampleSpec>("/no/such.yaml").error()) ==
        "/no/such.yaml: error: cannot be read: No such file or directory\n");
  CHECK(to_string(read_spec<SampleSpec>("/").error()) == "/: error: is a directory; must be a file\n");
  CHECK(to_string(read_spec<SampleSpec>("/dev/zero").error()) ==
        "/dev/zero: error: is a pipe, a socket or a device; must be a file\n");
}

TEST_CASE("no damaged file crashes the reader") {
  for (std::size_t at = 0; at < sample_yaml.size(); ++at) {
    for (const char c : {'\n', ':', '-', '[', '{', '&', '*', '!', '|', '"', '%', '\t', '\xff', '?', '#'}) {
      std::string text = sample_yaml;
      text[at] = c;
      errors_of(text);
    }
    errors_of(sample_yaml.substr(0, at));
  }
}
