// Measurements, mappings and patterns that nobody means: refused with their place, or read in linear time.
#include <doctest/doctest.h>

#include "models/support/name_pattern.h"
#include "sim/studies/measured/kernel_mapping.h"
#include "sim/studies/measured/measurement_reader.h"
#include "tests/cpu_time.h"

using namespace tilescope;

namespace {

std::string refusal(const std::string& csv) {
  const auto rows = read_measurement_text(csv, "m.csv");
  REQUIRE_FALSE(rows.has_value());
  return to_string(rows.error().front());
}

std::string mapping_refusal(const std::string& text) {
  const auto mapping = KernelMapping::read_text(text, "map.yaml");
  REQUIRE_FALSE(mapping.has_value());
  return to_string(mapping.error().front());
}

}  // namespace

TEST_CASE("a header of 60,000 counters is read in linear time") {
  std::string header = "kernel";
  std::string row = "copy";
  for (int i = 0; i < 60'000; ++i) {
    header += ",a__counter_" + std::to_string(i) + ".sum";
    row += ",1";
  }
  const CpuTime time;
  const auto rows = read_measurement_text(header + "\n" + row + "\n", "m.csv");
  REQUIRE(rows.has_value());
  CHECK(rows->front().metrics.size() == 60'000);
  CHECK(time.seconds() < 5);
  CHECK(refusal(header + ",a__counter_7.sum\n" + row + ",1\n").find("'a__counter_7.sum': given twice") !=
        std::string::npos);
}

TEST_CASE("patterns that make other engines backtrack are matched in linear time") {
  const std::string megabyte(1'000'000, 'a');
  const CpuTime time;
  for (const char* text : {"(a+)+b", "(a|aa)*c", "(a|b)*c", "(.*)(.*)(.*)d"}) {
    CAPTURE(text);
    const auto pattern = NamePattern::make(text);
    REQUIRE(pattern.has_value());
    CHECK(pattern->captures(megabyte).empty());
    CHECK_FALSE(pattern->occurs_in(megabyte));
    CHECK(pattern->captures(megabyte + "bcd").empty() == (std::string(text) != "(.*)(.*)(.*)d"));
  }
  const auto mapping = KernelMapping::read_text("rules: [{match: (a+)+b, kernel: copy}]", "map.yaml");
  REQUIRE(mapping.has_value());
  Measurement row;
  row.kernel = megabyte;
  CHECK(mapping->map(row).error() == "no rule of the mapping matches its name");
  row.kernel += "b";
  CHECK(mapping->map(row).has_value());
  CHECK(time.seconds() < 30);
}

TEST_CASE("groups capture what they did with other engines, and nothing where they took no part") {
  const auto pattern = NamePattern::make("gemm_(col|row)_(\\d+)(_xor)?");
  REQUIRE(pattern.has_value());
  CHECK(pattern->groups() == 3);
  CHECK(pattern->captures("gemm_row_32") == std::vector<std::string>{"gemm_row_32", "row", "32", ""});
  CHECK(pattern->captures("gemm_row_32_x").empty());
  CHECK(pattern->occurs_in("my_gemm_col_1_"));
  CHECK(NamePattern::make("\xc3\xa9+")->captures("\xc3\xa9").size() == 1);  // bytes, also of UTF-8
}

TEST_CASE("what the engine lacks is refused in words") {
  struct {
    const char *pattern, *reason;
  } const rows[] = {
      {"(?=a)b", "invalid perl operator: (?=; look-ahead and look-behind are not supported"},
      {"(?<!a)b", "invalid perl operator: (?<; look-ahead and look-behind are not supported"},
      {"(a)\\1", "invalid escape sequence: \\1; back references are not supported"},
      {"a{1001}", "invalid repetition size: {1001}"},
      {"(x", "missing ): (x"},
  };
  for (const auto& [pattern, reason] : rows) {
    CAPTURE(pattern);
    CHECK(NamePattern::make(pattern).error() == reason);
  }
  CHECK(mapping_refusal("rules: [{match: '(a)\\1', kernel: copy}]") ==
        "map.yaml:1:17: error: match: got '(a)\\1'; must be a regular expression (invalid escape sequence: \\1; back "
        "references are not supported)");
  CHECK_FALSE(NamePattern::make(std::string(100'000, '(')).has_value());
  CHECK_FALSE(NamePattern::make("((((a{100}){100}){100}){100}){100}").has_value());
}

TEST_CASE("broken tables are refused with the place where they break") {
  CHECK(refusal("kernel,m\ncopy,\"12\n34") == "m.csv:2:6: error: a quote is opened here and never closed");
  CHECK(refusal("kernel,m\ncopy,99999999999999999999\n").find("m.csv:2:6: error: m: got '99999999999999999999'") == 0);
  CHECK(refusal("kernel,a__b\ncopy,1e999\n").find("m.csv:2:6: error: a__b: got '1e999'; must be a number") == 0);
  CHECK(refusal("kernel,a__b\ncopy,nan\n").find("m.csv:2:6: error: a__b: got 'nan'; must be a number") == 0);
  CHECK(refusal(std::string("kernel\0,m\ncopy,1\n", 17)).find("unknown column 'kernel\\x00'") != std::string::npos);
  CHECK(refusal(std::string(100'000, ',')).find("m.csv:1:1: error: ") == 0);
  CHECK(refusal("\"Kernel Name\",\"a__b\"\n\"\",\"Gbyte\"\ncopy,1e300\n\"") != "");
  CHECK(refusal("\"Kernel Name\",\"dram__bytes_read.sum\"\n\"\",\"Gbyte\"\ncopy,1e305\n") ==
        "m.csv:3:6: error: dram__bytes_read.sum: got '1e305'; must be a number that fits a double in its base unit");
  const auto dos = read_measurement_text("kernel,m\r\ncopy,12\r\n", "m.csv");
  REQUIRE(dos.has_value());
  CHECK(dos->front().columns.at("m") == "12");
}
