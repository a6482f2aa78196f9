#include <doctest/doctest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "models/gpu_spec.h"
#include "models/support/spec_writer.h"
#include "sim/cli/program.h"

using namespace tilescope;

namespace {

struct Answer {
  int code;
  std::string out;
  std::string err;
};

Answer run(const std::vector<std::string>& arguments) {
  std::ostringstream out;
  std::ostringstream err;
  const int code = cli::run_program(arguments, out, err);
  return {code, out.str(), err.str()};
}

// A directory of its own with blank.yaml: a GPU of placeholders, whose only fault is a carve-out as large as its L1.
struct ProgramScratch {
  std::filesystem::path path =
      std::filesystem::temp_directory_path() / ("tilescope_cli_test_" + std::to_string(getpid()));
  ProgramScratch() {
    std::filesystem::create_directories(path);
    std::ofstream(path / "blank.yaml") << to_yaml(blank_tree<GpuSpec>());
  }
  ~ProgramScratch() { std::filesystem::remove_all(path); }
  std::string file(const std::string& name) const { return (path / name).string(); }
};

}  // namespace

TEST_CASE("wrong usage is one sentence on the error stream, nothing on the other, and exit code 2") {
  const struct {
    std::vector<std::string> arguments;
    const char* begins;
  } rows[] = {
      {{}, "tilescope: no command given\nsee: tilescope --help\n"},
      {{"conifg"}, "tilescope: unknown command 'conifg' (did you mean config?)\nsee: tilescope --help\n"},
      {{"--hlep"}, "tilescope: unknown option --hlep (did you mean --help?)\n"},
      {{"help", "conifg"}, "tilescope: unknown command 'conifg' (did you mean config?)\n"},
      {{"config"}, "tilescope: no ACTION given; tilescope config check|show|schema"},
      {{"config", "chekc"}, "tilescope: unknown ACTION 'chekc' (did you mean check?); must be check, show or schema\n"},
      {{"config", "check"}, "tilescope: no FILE|NAME given\n"},
      {{"config", "show", "--resolvd", "x.yaml"}, "tilescope: unknown option --resolvd (did you mean --resolved?)\n"},
      {{"config", "show", "--resol", "x.yaml"}, "tilescope: unknown option --resol (did you mean --resolved?)\n"},
      {{"config", "show", "x.yaml", "--format"},
       "tilescope: the required argument for option '--format' is missing\nsee: tilescope config --help\n"},
      {{"config", "show", "x.yaml", "--format", "xml"}, "tilescope: unknown format 'xml'; must be yaml or json\n"},
      {{"config", "show", "x.yaml", "y.yaml"}, "tilescope: config show takes one FILE|NAME, got 2\n"},
      {{"config", "check", "x.yaml", "--set", "a"}, "--set a: error: must be PATH=VALUE, such as l2.size_mib=50\n"},
      {{"config", "check", "no/such.yaml"}, "no/such.yaml: error: cannot be read: No such file or directory\n"},
      {{"config", "schema", "-o", "/no/such/file"},
       "tilescope: cannot write /no/such/file: No such file or directory\n"},
  };
  for (const auto& row : rows) {
    const Answer answer = run(row.arguments);
    CAPTURE(row.begins);
    CAPTURE(answer.err);
    CHECK(answer.code == 2);
    CHECK(answer.out.empty());
    CHECK(answer.err.starts_with(row.begins));
  }
}

TEST_CASE("help and version are answers: standard output, exit code 0") {
  CHECK(run({"--version"}).out.starts_with("tilescope 0."));
  for (const auto& arguments : std::vector<std::vector<std::string>>{
           {"--help"}, {"-h"}, {"help"}, {"config", "--help"}, {"config", "-h"}, {"help", "config"}}) {
    const Answer answer = run(arguments);
    CHECK(answer.code == 0);
    CHECK(answer.err.empty());
    CHECK(answer.out.find("Examples:\n") != std::string::npos);
  }
}

TEST_CASE("config check says everything that is wrong, with the file's position or the option's name") {
  const ProgramScratch scratch;
  const std::string file = scratch.file("blank.yaml");
  const Answer wrong = run({"config", "check", file});
  CHECK(wrong.code == 2);
  CHECK(wrong.err.find("l1.carveouts_kib: ") != std::string::npos);
  CHECK(wrong.err.starts_with(file + ":"));
  const Answer worse = run({"config", "check", file, "--set", "l1.ways=0", "--set", "l1.wayz=1"});
  CHECK(worse.err ==
        "--set l1.ways=0: error: l1.ways: got '0'; must be a whole number from 1 to 128 way\n"
        "--set l1.wayz=1: error: l1.wayz: unknown key (did you mean l1.ways?)\n");
  const Answer right = run({"config", "check", file, "--set", "l1.size_kib=2"});
  CHECK(right.err.empty());
  CHECK(right.code == 0);
  CHECK(right.out.starts_with(file + ": ok"));
}

TEST_CASE("config show: as written, resolved, as JSON, into a file") {
  const ProgramScratch scratch;
  const std::string file = scratch.file("blank.yaml");
  CHECK(run({"config", "show", file}).code == 2);  // a wrong file is never shown as if it were right
  const Answer resolved = run({"config", "show", "--resolved", file, "--set", "l1.size_kib=2"});
  CHECK(resolved.code == 0);
  CHECK(resolved.out.find("\n  size_kib: 2 ") != std::string::npos);
  const Answer json = run({"config", "show", file, "--set", "l1.size_kib=2", "--format", "json"});
  CHECK(nlohmann::json::parse(json.out)["l1"]["size_kib"] == 2);
  const Answer written =
      run({"config", "show", "--resolved", file, "--set=l1.size_kib=2", "-o", scratch.file("o.yaml")});
  CHECK(written.code == 0);
  CHECK(written.out.empty());
  CHECK(run({"config", "check", scratch.file("o.yaml")}).code == 0);
}

TEST_CASE("config schema names every section") {
  const Answer answer = run({"config", "schema"});
  CHECK(answer.code == 0);
  CHECK(answer.out.find("| `l2.slices` | integer |") != std::string::npos);
}

TEST_CASE("an output that takes nothing more is the work's failure, exit code 1") {
  std::ostringstream err;
  std::ofstream full("/dev/full");
  CHECK(cli::run_program({"config", "schema"}, full, err) == 1);
  CHECK(err.str() == "tilescope: not everything could be written to the standard output\n");
  const Answer file = run({"config", "schema", "-o", "/dev/full"});
  CHECK(file.code == 1);
  CHECK(file.err == "tilescope: not everything could be written to /dev/full: No space left on device\n");
}
