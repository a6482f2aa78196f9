#include <doctest/doctest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "cli_answer.h"
#include "sweep_files.h"

namespace {

using Words = std::vector<std::string>;

// Six points, of which two fail: swizzles take tiles that are powers of two.
constexpr const char* kStudy =
    "study: small\n"
    "learns: nothing much\n"
    "mode: counts\n"
    "kernels: [gemm_tiled]\n"
    "parameters:\n"
    "  M,N,K: 48\n"
    "  tile: [12, 16, 24]\n"
    "  swizzle: [none, xor]\n";

struct Study {
  SweepFolder folder;
  std::string file = folder.write("small.yaml", kStudy);

  CliAnswer run(Words more) const {
    Words words{"sweep", "run", file};
    words.insert(words.end(), more.begin(), more.end());
    return ask(words);
  }
  std::string exported(const std::string& store, Words more = {}) const {
    Words words{"sweep", "export", folder / store};
    words.insert(words.end(), more.begin(), more.end());
    const CliAnswer answer = ask(words);
    CAPTURE(answer.err);
    CHECK(answer.code == 0);
    return answer.out;
  }
};

std::size_t lines_in(const std::string& text) {
  return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
}

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST_CASE("a study runs to its end over failures, and a rerun has nothing to do") {
  const Study study;
  const std::string store = study.folder / "a.db";
  CliAnswer answer = study.run({"-o", store, "--jobs", "1"});
  CAPTURE(answer.out);
  CAPTURE(answer.err);
  CHECK(answer.code == 1);
  CHECK(contains(answer.out, "small: 6 points, 0 stored before, 6 computed in "));
  CHECK(contains(answer.out, ", 2 failed -> " + store));
  answer = ask({"sweep", study.file, "-o", store});
  CHECK(answer.code == 1);
  CHECK(contains(answer.out, "6 points, 6 stored before, 0 computed"));
  answer = study.run({"-o", store, "--retry-failed"});
  CHECK(contains(answer.out, "6 points, 6 stored before, 2 computed"));

  // Two values more: only their points are new.
  study.folder.write("small.yaml", std::string(kStudy) + "  pad_a: [0, 1]\n");
  answer = study.run({"-o", store, "--dry-run"});
  CHECK(answer.code == 0);
  CHECK(contains(answer.out, "small: 12 points; 6 stored in " + store + ", 6 to compute\nestimated time: about "));
  answer = study.run({"-o", store});
  CHECK(contains(answer.out, "12 points, 6 stored before, 6 computed"));
  CHECK(lines_in(study.exported("a.db")) == 13);
  study.folder.write("small.yaml", kStudy);
  study.run({"-o", store});
  CHECK(lines_in(study.exported("a.db")) == 7);
}

TEST_CASE("one worker, two, and merged shards export the same bytes") {
  const Study study;
  study.run({"-o", study.folder / "one.db", "--jobs", "1"});
  study.run({"-o", study.folder / "two.db", "--jobs", "2"});
  const std::string one = study.exported("one.db");
  CHECK(one.starts_with("study,kernel,gpu,M,N,K,tile,pad_a,"));
  CHECK(contains(one, ",dram__bytes_read.sum [byte],"));
  CHECK(
      contains(one, "small,gemm_tiled,h200,48,48,48,12,0,0,0,xor,auto,row,8,failed,\"parameter tile: got 12; must be"));
  CHECK(study.exported("two.db") == one);

  for (const char* shard : {"2/4", "1/4", "4/4", "3/4"})
    study.run({"-o", study.folder / ("shard" + std::string(shard, 1) + ".db"), "--shard", shard});
  const auto merge = [&](Words inputs) {
    Words words{"sweep", "merge", "-o", study.folder / "merged.db", "--study", study.file};
    for (const std::string& input : inputs) words.push_back(study.folder / input);
    return ask(words);
  };
  CliAnswer answer = merge({"shard3.db", "shard1.db"});
  CHECK(answer.code == 1);
  CHECK(contains(answer.out, "3 missing or failed"));
  CHECK(contains(answer.out, "3 points missing:\n  small 2 gemm_tiled h200 M=48 N=48 K=48 tile=12"));
  answer = merge({"shard4.db", "shard2.db"});
  CHECK(answer.code == 1);
  CHECK(contains(answer.out, "2 points failed:\n  small 2 gemm_tiled h200"));
  CHECK(study.exported("merged.db") == one);
  merge({"shard4.db", "merged.db"});
  CHECK(study.exported("merged.db") == one);
}

TEST_CASE("export writes units, types and chosen columns") {
  const Study study;
  study.run({"-o", study.folder / "a.db"});
  const auto json = nlohmann::json::parse(study.exported("a.db", {"--format", "json"}));
  CHECK(json["schema"] == "tilescope.sweep/1");
  CHECK(json["units"]["dram__bytes_read.sum"] == "byte");
  REQUIRE(json["points"].size() == 6);
  CHECK(json["points"][0]["parameters"]["tile"] == 12);
  CHECK(json["points"][0]["parameters"]["swizzle"] == "none");
  CHECK(json["points"][0]["metrics"]["smsp__inst_executed.sum"] > 0);
  CHECK(json["points"][1]["status"] == "failed");
  CHECK_FALSE(json["points"][1].contains("metrics"));
  CHECK(study.exported("a.db", {"--columns", "tile,status,reason", "--where", "swizzle == 'none' && tile > 12"}) ==
        "tile,status,reason\n16,ok,\n24,ok,\n");
  CHECK(contains(study.exported("a.db", {"--wall"}), ",version,wall_seconds [s]\n"));
}

TEST_CASE("show finds the best and the Pareto front") {
  const Study study;
  study.run({"-o", study.folder / "a.db"});
  const auto show = [&](Words more) {
    Words words{"sweep", "show", study.folder / "a.db"};
    words.insert(words.end(), more.begin(), more.end());
    return ask(words);
  };
  const std::string reads = "dram__bytes_read.sum", executed = "smsp__inst_executed.sum";
  CliAnswer answer = show({"--best", executed, "--columns", "tile,swizzle,status"});
  CAPTURE(answer.out);
  CHECK(answer.code == 0);
  CHECK(contains(answer.out, "tile  swizzle  status\n"));
  CHECK(lines_in(answer.out) == 5);
  const std::string ascending = answer.out;
  answer = show({"--best", executed + ":max", "--columns", "tile", "--top", "1"});
  CHECK(contains(answer.out, "1 of 4 points shown"));
  CHECK(answer.out.substr(5, 2) == ascending.substr(ascending.rfind('\n', ascending.size() - 2) + 1, 2));
  answer = show({"--pareto", executed + ":min," + executed + ":max"});
  CHECK(contains(answer.out, "of 6 points are not beaten by another"));
  answer = show({});
  CHECK(answer.out.starts_with("tile  swizzle  "));
  CHECK(contains(answer.out, "must be 2, 4, 8, 16 or 32 with swizzle=xor"));
}

TEST_CASE("diff matches points by what they are") {
  const Study study;
  study.run({"-o", study.folder / "a.db"});
  study.run({"-o", study.folder / "b.db"});
  const auto diff = [&](Words more = {}) {
    Words words{"sweep", "diff", study.folder / "a.db", study.folder / "b.db"};
    words.insert(words.end(), more.begin(), more.end());
    return ask(words);
  };
  CHECK(diff().code == 0);
  CHECK(diff().out == "6 points in both: 0 of their values differ by more than 0 %, 0 by less\n");
  study.folder.write("small.yaml", std::string(kStudy) + "  gpu.l2.size_mib: 25\n  bounds: [auto, 1]\n");
  study.run({"-o", study.folder / "b.db"});
  CHECK(diff().code == 3);
  CHECK(contains(diff().out, "6 points only in A:\n  gemm_tiled h200 M=48"));
  CHECK(contains(diff().out, "12 points only in B:\n"));
}

TEST_CASE("sweep refuses every wrong word and store with one sentence") {
  const Study study;
  const std::string store = study.folder / "a.db";
  study.run({"-o", store});
  const struct {
    Words arguments;
    const char* sentence;
  } rows[] = {
      {{"sweep"}, "no STUDY given; tilescope sweep STUDY.yaml"},
      {{"sweep", "mrege"}, "unknown action or study 'mrege' (did you mean merge?)"},
      {{"sweep", "nosuch.yaml"}, "nosuch.yaml: error: cannot be read: No such file or directory"},
      {{"sweep", "run"}, "no STUDY given"},
      {{"sweep", study.file, "--jobs", "0"}, "--jobs: got '0'; must be a whole number from 1 to 1024"},
      {{"sweep", study.file, "--shard", "5/4"}, "--shard: got '5/4'; must be I/N, such as 1/4 to 4/4"},
      {{"sweep", study.file, "--shard", "0/4"}, "--shard: got '0/4'"},
      {{"sweep", study.file, "--shard", "1"}, "--shard: got '1'"},
      {{"sweep", study.file, "--dryrun"}, "unknown option --dryrun (did you mean --dry-run?)"},
      {{"sweep", study.file, "-o", study.file}, "is no store that tilescope sweep wrote"},
      {{"sweep", study.file, "-o", "/no/such/a.db"}, "there is no folder /no/such"},
      {{"sweep", "plan", study.file, "--shards", "x"}, "--shards: got 'x'"},
      {{"sweep", "merge", store}, "sweep merge needs -o STORE"},
      {{"sweep", "merge", "-o", study.folder / "m.db"}, "no STORE given"},
      {{"sweep", "merge", "-o", study.folder / "m.db", study.folder / "n.db"}, "no such file"},
      {{"sweep", "export", store, "--format", "xml"}, "unknown format 'xml'; must be csv or json"},
      {{"sweep", "export", store, "--columns", "tiel"}, "no column 'tiel' (did you mean tile?)"},
      {{"sweep", "export", store, "--where", "tiel > 3"}, "--where: column 1: no column 'tiel' (did you mean tile?)"},
      {{"sweep", "export", store, "--where", "tile >"}, "--where: column 7: the formula ends"},
      {{"sweep", "export", store, "--study", "smal"}, "has no study 'smal' (did you mean small?); has small"},
      {{"sweep", "show", store, "--best", "tflop"}, "no column 'tflop'"},
      {{"sweep", "show", store, "--best", "tile:up"}, "tile: got 'up'; must be max or min"},
      {{"sweep", "show", store, "--pareto", "tile"}, "--pareto: got one goal; must be two or more"},
      {{"sweep", "show", store, "--best", "M", "--pareto", "M,N"}, "--best and --pareto are given"},
      {{"sweep", "diff", store}, "no B given"},
      {{"sweep", "diff", store, store, "--tolerance", "1"}, "--tolerance: got '1'; must be a percentage such as 1%"},
  };
  for (const auto& row : rows) {
    const CliAnswer answer = ask(row.arguments);
    CAPTURE(row.sentence);
    CAPTURE(answer.err);
    CHECK(refused(answer, row.sentence));
  }
  CHECK_FALSE(std::filesystem::exists(study.folder / "m.db"));
}

TEST_CASE("plan lists points with their keys, and shards") {
  const Study study;
  const CliAnswer points = ask({"sweep", "plan", study.file});
  CHECK(points.code == 0);
  CHECK(lines_in(points.out) == 6);
  CHECK(points.out.starts_with("1\t"));
  CHECK(contains(points.out, "\tgemm_tiled\th200\tM=48 N=48 K=48 tile=12 pad_a=0"));
  const CliAnswer shards = ask({"sweep", "plan", study.file, "--shards", "4"});
  CHECK(lines_in(shards.out) == 4);
  CHECK(shards.out.starts_with("1/4\t"));
  CHECK(shards.out.ends_with("\t1\n"));
}

TEST_CASE("every action of sweep has a help with examples") {
  for (const char* action : {"", "run", "plan", "merge", "export", "show", "diff", "submit"}) {
    Words words{"sweep"};
    if (*action != '\0') words.emplace_back(action);
    words.emplace_back("--help");
    const CliAnswer answer = ask(words);
    CAPTURE(answer.out);
    CHECK(answer.code == 0);
    CHECK(contains(answer.out, "Examples:\n  tilescope sweep"));
  }
  CHECK(contains(ask({"sweep", "--help"}).out, "\n  tilescope sweep merge "));
  CHECK(ask({"help", "sweep", "diff"}).out == ask({"sweep", "diff", "--help"}).out);
}
