#include <doctest/doctest.h>

#include <algorithm>
#include <string>

#include "sim/studies/measured/matched_rows.h"
#include "sim/studies/measured/measurement_reader.h"
#include "sim/studies/measured/row_expression.h"

using namespace tilescope;

namespace {

const KernelMapping& standard() {
  static const KernelMapping mapping = [] {
    auto read = KernelMapping::read(TILESCOPE_SOURCE_DIR "/configs/mappings/default.yaml");
    if (!read) FAIL(to_string(read.error()));
    return *std::move(read);
  }();
  return mapping;
}

Measurement row_of(const std::string& kernel, std::map<std::string, std::string> columns = {}) {
  Measurement row;
  row.kernel = kernel;
  row.columns = std::move(columns);
  return row;
}

std::string text_of(const MappedKernel& mapped) {
  std::string text = mapped.kernel;
  for (const auto& [name, value] : mapped.parameters) text.append(" ").append(name).append("=").append(value);
  return text;
}

std::string mapped_text(const KernelMapping& mapping, const Measurement& row) {
  const auto mapped = mapping.map(row);
  return mapped ? text_of(*mapped) : "! " + mapped.error();
}

std::string mapping_errors_of(const std::string& yaml) {
  const auto mapping = KernelMapping::read_text(yaml, "map.yaml");
  return mapping ? "" : to_string(mapping.error());
}

}  // namespace

TEST_CASE("formulas have C's operators over texts and whole numbers") {
  const RowValues row{{"whole", "32", "_xor", ""}, [](const std::string& name) -> std::optional<std::string> {
                        if (name == "grid.y") return "16";
                        if (name == "m") return "1024";
                        return std::nullopt;
                      }};
  const struct {
    const char *formula, *value;
  } good[] = {
      {"7", "7"},
      {"'word'", "word"},
      {"$1", "32"},
      {"$2", "_xor"},
      {"$3", ""},
      {"grid.y*$1", "512"},
      {"2+3*4", "14"},
      {"(2+3)*4", "20"},
      {"20-5-5", "10"},
      {"m/$1/2", "16"},
      {"m%1000", "24"},
      {"-m+1", "-1023"},
      {"$2 == '_xor' ? 'xor' : 'none'", "xor"},
      {"$3 == '_xor' ? 'xor' : 'none'", "none"},
      {"m > 1000 && $1 <= 32", "1"},
      {"0 || $3", "0"},
      {"1 ? 2 : missing", "2"},
      {"m != 1024", "0"},
  };
  for (const auto& one : good) {
    CAPTURE(one.formula);
    CHECK(RowExpression(one.formula).value(row) == one.value);
  }
  const struct {
    const char *formula, *sentence;
    std::size_t column;
  } bad[] = {
      {"m*", "the formula ends where", 3},
      {"(m", "expected ')' for the '(' in column 1", 3},
      {"m ? 1", "expected ':' of the '?' in column 3", 6},
      {"3x", "unreadable number '3x'", 1},
      {"$x", "a '$' must be followed by 1 to 9", 2},
      {"'open", "the word in quotes never ends", 2},
      {"m n", "unexpected 'n'", 3},
      {"#", "unexpected '#'", 1},
      {"k", "the row has no k", 1},
      {"m/0", "division by zero", 2},
      {"m/-1", "division by -1", 2},
      {"m/1000", "1024/1000 leaves a remainder", 2},
      {"m*'two'", "got 'two' in arithmetic; must be a whole number", 3},
      {"9223372036854775807+1", "does not fit into 64 bits", 20},
  };
  for (const auto& one : bad) {
    CAPTURE(one.formula);
    try {
      const std::string value = RowExpression(one.formula).value(row);
      FAIL_CHECK("gave " << value);
    } catch (const ExpressionError& error) {
      CHECK(std::string(error.what()).find(one.sentence) != std::string::npos);
      CHECK(error.column == one.column);
    }
  }
  const std::string deep = std::string(100, '(') + "1" + std::string(100, ')');
  CHECK_THROWS_AS(RowExpression{deep}, ExpressionError);
  std::string chain = "1";
  for (int i = 0; i < 300; ++i) chain += "+1";
  CHECK_THROWS_AS(RowExpression{chain}, ExpressionError);
  CHECK_THROWS_AS(RowExpression{std::string(5000, '-') + "1"}, ExpressionError);
}

TEST_CASE("the shipped mapping knows the instances of gpu/ by name") {
  const std::map<std::string, std::string> sizes = {{"m", "512"}, {"n", "256"}, {"k", "128"}, {"group", "1"}};
  const struct {
    const char *name, *mapped;
  } rows[] = {
      {"gemm_naive_col_32x8", "gemm_naive K=128 M=512 N=256 block_x=32 block_y=8 lanes=col"},
      {"gemm_naive_row_16x16", "gemm_naive K=128 M=512 N=256 block_x=16 block_y=16 lanes=row"},
      {"gemm_tiled_t32_a1_b0", "gemm_tiled K=128 M=512 N=256 bounds=0 pad_a=1 pad_b=0 tile=32 transpose_a=0"},
      {"gemm_tiled_t16_a0_b4_transposed_bounds",
       "gemm_tiled K=128 M=512 N=256 bounds=1 pad_a=0 pad_b=4 tile=16 transpose_a=1"},
      {"gemm_tiled_t8_a0_b0_xor", "gemm_tiled K=128 M=512 N=256 bounds=0 pad_a=0 pad_b=0 swizzle=xor tile=8"},
      {"gemm_register_128x64x16_8x4_v4",
       "gemm_register K=128 M=512 N=256 bk=16 bm=128 bn=64 group=8 raster=row tm=8 tn=4 vector=4"},
      {"gemm_async_128x128x8",
       "! skipped: asynchronous copies are compared as compiled, by gpu/measured/compiled.yaml"},
      {"gemm_tensor_128x128x32", "! skipped: tensor cores are compared as compiled, by gpu/measured/compiled.yaml"},
      {"gemm_naive_diagonal_32x8", "! no rule of the mapping matches its name"},
      {"my_gemm_naive_col_32x8", "! no rule of the mapping matches its name"},
  };
  for (const auto& row : rows) CHECK(mapped_text(standard(), row_of(row.name, sizes)) == row.mapped);

  auto grouped = sizes;
  grouped["group"] = "4";
  CHECK(mapped_text(standard(), row_of("gemm_register_64x64x8_4x4_v1", grouped)) ==
        "gemm_register K=128 M=512 N=256 bk=8 bm=64 bn=64 group=4 raster=grouped tm=4 tn=4 vector=1");
  CHECK(mapped_text(standard(), row_of("gemm_naive_col_32x8", {{"m", "512"}, {"n", "512"}})) ==
        "! K of gemm_naive: the row has no k");

  Measurement copy = row_of("copy");
  copy.parameters = {{"bytes", "4096"}, {"width", "4"}};
  CHECK(mapped_text(standard(), copy) == "copy bytes=4096 width=4");
}

TEST_CASE("every measured GEMM of the repository is matched, launch and all") {
  auto measured = read_measurements({TILESCOPE_SOURCE_DIR "/gpu/measured/h200/gemm_train.csv"});
  REQUIRE(measured.has_value());
  const MatchedRows rows = match_rows(*std::move(measured), standard());
  CHECK(rows.matched.size() >= 71);
  for (const UnmatchedRow& row : rows.unmatched) FAIL_CHECK(row.measured.label() << ": " << row.reason);
}

TEST_CASE("C++ names, mangled and not, need no sizes: grid, block and the count of loads tell them") {
  auto measured = read_measurements({TILESCOPE_TEST_DATA "/compare/profile.ncu.csv"});
  REQUIRE(measured.has_value());
  const MatchedRows rows = match_rows(*std::move(measured), standard());
  REQUIRE(rows.matched.size() == 3);
  CHECK(text_of(rows.matched[0].mapped) ==
        "gemm_register K=512 M=512 N=512 bk=8 bm=128 bn=128 group=8 raster=row tm=8 tn=8 vector=4");
  CHECK(text_of(rows.matched[1].mapped) ==
        "gemm_tiled K=512 M=512 N=512 pad_a=0 pad_b=0 swizzle=xor tile=32 transpose_a=0");
  CHECK(text_of(rows.matched[2].mapped) == "gemm_naive K=512 M=512 N=512 block_x=32 block_y=32 lanes=col");
  REQUIRE(rows.unmatched.size() == 1);

  // The same kernel, spelled by other tools.
  Measurement row = rows.matched[1].measured;
  for (const char* name : {"void tilescope::gpu::gemm_tiled<32, 0, 0, true, true, false>(float const*, float const*)",
                           "gemm_tiled<32, 0, 0, true, true, false>(const float *)",
                           "void gemm_tiled<(int)32, (int)0, (int)0, (bool)1, (bool)1, (bool)0>(const float *)"}) {
    row.kernel = name;
    CAPTURE(name);
    CHECK(mapped_text(standard(), row) == text_of(rows.matched[1].mapped));
  }
  row.kernel = "void gemm_tiled<32, 0, 0, true, true, true>(const float *)";  // with bounds checks
  CHECK(mapped_text(standard(), row) == "! M of gemm_tiled: the row has no m");
}

TEST_CASE("a row whose launch is not that of its kernel is not compared") {
  const auto reason = [](Measurement row) {
    const MatchedRows rows = match_rows({std::move(row)}, standard());
    return rows.unmatched.empty() ? "" : rows.unmatched[0].reason;
  };
  Measurement row = row_of("gemm_tiled_t8_a0_b0", {{"m", "64"}, {"n", "64"}, {"k", "64"}});
  row.grid = Dim3{8, 8, 1};
  row.block = Dim3{8, 8, 1};
  CHECK(reason(row) == "");
  row.grid = Dim3{4, 8, 1};
  CHECK(reason(row) == "its grid is (4, 8, 1), that of the kernel it is mapped to (8, 8, 1)");
  row.grid.reset();
  row.block = Dim3{64, 1, 1};
  CHECK(reason(row) == "its block is (64, 1, 1), that of the kernel it is mapped to (8, 8, 1)");
  row.block.reset();
  row.columns["n"] = "65";
  CHECK(reason(row).find("parameter N: got 65; must be a multiple of tile=8") != std::string::npos);
}

TEST_CASE("rules are tried in order; literal words and lists of formulas are taken as they are meant") {
  const auto mapping = KernelMapping::read_text(
      "rules:\n"
      "  - {match: 'a_(\\d+)', kernel: gemm_tiled, parameters: {tile: $1, swizzle: xor, M: [m, grid.y*$1, 64]}}\n"
      "  - {match: 'a_.*', skip: not this one}\n"
      "  - {match: '.*', kernel: copy}\n",
      "map.yaml");
  REQUIRE(mapping.has_value());
  Measurement row = row_of("a_16");
  CHECK(mapped_text(*mapping, row) == "gemm_tiled M=64 swizzle=xor tile=16");
  row.grid = Dim3{1, 3, 1};
  CHECK(mapped_text(*mapping, row) == "gemm_tiled M=48 swizzle=xor tile=16");
  row.columns["m"] = "7";
  CHECK(mapped_text(*mapping, row) == "gemm_tiled M=7 swizzle=xor tile=16");
  CHECK(mapped_text(*mapping, row_of("a_b")) == "! skipped: not this one");
  CHECK(mapped_text(*mapping, row_of("b")) == "copy");
}

TEST_CASE("compiled code: formulas in the text of a launch file, and names for them") {
  const auto mapping = KernelMapping::read_text(
      "rules:\n"
      "  - match: 'a_(\\d+)'\n"
      "    kernel: mine\n"
      "    let: {tiles: m/$1, last: tiles - 1}\n"
      "    launch: |\n"
      "      grid: [${tiles}, ${last}]\n"
      "      block: [${$1}]\n",
      "maps/map.yaml");
  REQUIRE(mapping.has_value());
  const auto mapped = mapping->map(row_of("a_16", {{"m", "64"}}));
  REQUIRE(mapped.has_value());
  CHECK(mapped->kernel == "mine");
  CHECK(mapped->launch == "grid: [4, 3]\nblock: [16]\n");
  CHECK(mapped->launch_beside == "maps/map.yaml");
  CHECK(mapped_text(*mapping, row_of("a_16")).find("! launch of mine: the row has no m") == 0);

  const std::string errors = mapping_errors_of(
      "rules:\n"
      "  - {match: x, launch: 'grid: [1]'}\n"
      "  - {match: x, kernel: y, launch: 'grid: ${2*}'}\n"
      "  - {match: x, kernel: y, launch: 'grid: ${2'}\n"
      "  - {match: x, kernel: y, launch: 'grid: ${$1}'}\n"
      "  - {match: x, kernel: copy, let: {a: 1}}\n"
      "  - {match: x, kernel: y, launch: 'a', parameters: row}\n");
  for (const char* sentence : {"map.yaml:2:16: error: kernel: missing; must be a name for the family in reports",
                               "map.yaml:3:27: error: launch: in line 1 of its text: the formula ends where",
                               "map.yaml:4:27: error: launch: in line 1 of its text: '${' without '}'",
                               "map.yaml:5:27: error: launch: got $1; the rule's pattern captures 0",
                               "map.yaml:6:30: error: let: names formulas for launch, which is missing",
                               "map.yaml:7:27: error: launch: stands beside parameters; a launch file has none"}) {
    CAPTURE(sentence);
    CHECK_MESSAGE(errors.find(sentence) != std::string::npos, errors);
  }
}

TEST_CASE("every mistake of a mapping is reported in one run, with its place") {
  const std::string errors = mapping_errors_of(
      "rules:\n"
      "  - mtach: x\n"
      "    kernel: gemm_tyled\n"
      "  - match: (x\n"
      "    kernel: copy\n"
      "    parameters: {byets: 4, width: grid.w, threads: \"2*\"}\n"
      "  - match: (x)\n"
      "    skip: why\n"
      "    kernel: copy\n"
      "  - match: x\n"
      "  - {match: x, kernel: copy, parameters: columns}\n"
      "  - {match: x, kernel: copy, parameters: {bytes: $2}}\n");
  CAPTURE(errors);
  for (const char* sentence :
       {"map.yaml:2:5: error: mtach: unknown key (did you mean match?); must be match, kernel, parameters, launch, let "
        "or skip\n",
        "map.yaml:2:5: error: match: missing; must be a regular expression of kernels' names\n",
        "map.yaml:3:13: error: kernel: got 'gemm_tyled' (did you mean gemm_tiled?); must be ",
        "map.yaml:4:12: error: match: got '(x'; must be a regular expression (",
        "map.yaml:6:18: error: parameters.byets: unknown (did you mean bytes?); copy has bytes, threads and width\n",
        "map.yaml:6:35: error: parameters.width: unknown name 'grid.w' (did you mean grid.x?); must be a column of the "
        "row, a counter, grid.x, grid.y, grid.z, block.x, block.y or block.z\n",
        "map.yaml:6:55: error: parameters.threads: in the formula '2*': the formula ends where a number, a name or '(' "
        "is expected\n",
        "map.yaml:8:5: error: skip: stands beside kernel, parameters or launch; must stand alone\n",
        "map.yaml:10:5: error: kernel: missing; must be the name of a built-in kernel, or skip with a reason in its "
        "place\n",
        "map.yaml:11:30: error: parameters: got 'columns'; must be a map of parameters, or row\n",
        "map.yaml:12:50: error: parameters.bytes: got $2; the rule's pattern captures 0\n"}) {
    CAPTURE(sentence);
    CHECK(errors.find(sentence) != std::string::npos);
  }
  CHECK(std::count(errors.begin(), errors.end(), '\n') == 11);
  CHECK(mapping_errors_of("").find("is empty") != std::string::npos);
  CHECK(mapping_errors_of("rules: []").find("rules: got an empty list") != std::string::npos);
  CHECK(mapping_errors_of("ruels: []").find("ruels: unknown key (did you mean rules?)") != std::string::npos);
  CHECK(mapping_errors_of("- match: x").find("got a list; must be a map with the key rules") != std::string::npos);
  CHECK(mapping_errors_of("rules: [x]").find("rule: got 'x'; must be a map with match") != std::string::npos);
}
