// A pipe in place of a file: refused at once by every command that reads one, whoever may write into it.
#include <doctest/doctest.h>
#include <sys/stat.h>

#include "sweep_files.h"
#include "tests/cli_answer.h"

TEST_CASE("no command waits for a pipe") {
  const SweepFolder folder;
  const auto pipe = [&folder](const std::string& name) {
    REQUIRE(mkfifo((folder / name).c_str(), 0600) == 0);
    return folder / name;
  };
  const std::string yaml = pipe("p.yaml");
  const std::string tst = pipe("p.tst");
  const std::string csv = pipe("p.csv");
  const std::string store = pipe("p.db");
  const std::string plain = pipe("p");
  const std::string good = TILESCOPE_SOURCE_DIR "/tests/data/compare/launches.csv";
  const std::string listing = folder.write("l.yaml", "kernel: {sass: p}\ngrid: [1]\nblock: [32]\n");
  const std::string study = folder.write("s.yaml", "study: s\nkernels: [p.tst, p.yaml]\ngpus: [./p.yaml]\n");
  const std::vector<std::vector<std::string>> commands = {
      {"run", yaml},
      {"run", tst},
      {"run", plain},
      {"run", listing},
      {"run", "copy", "--gpu", yaml},
      {"banks", "--gpu", yaml, "--expr", "lane"},
      {"config", "check", yaml},
      {"config", "show", yaml},
      {"trace", "info", tst},
      {"trace", "validate", tst},
      {"trace", "record", yaml, "-o", folder / "out.tst"},
      {"compare", "--measured", csv},
      {"compare", "--measured", good, "--mapping", yaml},
      {"compare", "--measured", good, "--gpu", yaml},
      {"calibrate", "--measured", csv, "--gpu", "h200", "-o", folder / "out.yaml"},
      {"calibrate", "--measured", good, "--gpu", yaml, "-o", folder / "out.yaml"},
      {"sweep", yaml},
      {"sweep", study},
      {"sweep", "plan", yaml},
      {"sweep", "plan", study},
      {"sweep", "show", store},
      {"sweep", "export", store},
      {"sweep", "diff", store, store},
      {"sweep", "merge", "-o", folder / "out.db", store},
      {"sweep", "submit", yaml},
  };
  for (const auto& words : commands) {
    std::string shown;
    for (const std::string& word : words) shown += word + " ";
    CAPTURE(shown);
    const CliAnswer answer = ask(words);
    CAPTURE(answer.err);
    CHECK(answer.code == 2);
    CHECK(answer.err != "");
  }
}
