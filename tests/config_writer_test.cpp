#include <doctest/doctest.h>

#include "models/support/spec_hash.h"
#include "models/support/spec_reader.h"
#include "models/support/spec_schema.h"
#include "models/support/spec_writer.h"
#include "tests/config_sample_spec.h"

using namespace tilescope;

namespace {

SampleSpec sample(const std::string& text = sample_yaml) { return read_spec_text<SampleSpec>(text, "f.yaml").value(); }

}  // namespace

TEST_CASE("the YAML has every value, its unit and its meaning") {
  CHECK(to_yaml(spec_tree(sample())) ==
        "name: sample 100            # the product's name\n"
        "clock_ghz: 1.755            # GHz; SM clock\n"
        "ecc: true                   # error correction\n"
        "carve_out_kib: [0, 8, 100]  # KiB; shared-memory sizes an SM can take\n"
        "l2:                         # the level-2 cache\n"
        "  size_mib: 50              # MiB; capacity of all slices\n"
        "  line_bytes: 128           # byte; bytes of a line\n"
        "  slices: 10                # slices of the chip\n"
        "  policy: plru              # which line of a full set goes\n");
}

TEST_CASE("what is written is read back the same") {
  SampleSpec spec = sample();
  for (const char* name : {"plain", "", "true", "50", "a: b # c", "tab\there \"quoted\"", "- x", "*y", "é"}) {
    spec.name = name;
    spec.clock_ghz = 1.0 / 3.0;
    spec.carve_out_kib.clear();
    const SampleSpec again = sample(to_yaml(spec_tree(spec)));
    CHECK(again.name == name);
    CHECK(again.clock_ghz == spec.clock_ghz);
    CHECK(config_hash(spec_tree(again)) == config_hash(spec_tree(spec)));
  }
}

TEST_CASE("the JSON has sections as objects and choices by name") {
  CHECK(to_json(spec_tree(sample())).dump() ==
        R"({"name":"sample 100","clock_ghz":1.755,"ecc":true,"carve_out_kib":[0,8,100],)"
        R"("l2":{"size_mib":50,"line_bytes":128,"slices":10,"policy":"plru"}})");
}

TEST_CASE("the hash ignores comments, key order and notation, and nothing else") {
  const std::string same = R"(
l2: {policy: plru, slices: +10, line_bytes: 128, size_mib: 50}
carve_out_kib:
  - 0
  - 8
  - 100
ecc: true  # comment
clock_ghz: 1755e-3
name: "sample 100"
)";
  const auto hash = config_hash_text(spec_tree(sample()));
  CHECK(hash == config_hash_text(spec_tree(sample(same))));
  CHECK(hash == "ac7c4809aa18264c");
  SampleSpec other = sample();
  other.l2.slices = 5;
  CHECK(hash != config_hash_text(spec_tree(other)));
}

TEST_CASE("the schema lists every key with type, unit, what is accepted and meaning") {
  const std::string page = schema_markdown(blank_tree<SampleSpec>(), "Sample");
  CHECK(page.starts_with("# Sample\n"));
  CHECK(page.find("| `clock_ghz` | real | GHz | 0.1 to 10 | SM clock |\n") != std::string::npos);
  CHECK(page.find("\n## l2: the level-2 cache\n") != std::string::npos);
  CHECK(page.find("| `l2.policy` | choice |  | lru, plru or random | which line of a full set goes |\n") !=
        std::string::npos);
}
