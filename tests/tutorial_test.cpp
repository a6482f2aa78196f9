// docs/tutorial.md, docs/explain.md, docs/tune.md and docs/views.md show what the program answers, and what
// gpu/measured holds.
#include <doctest/doctest.h>

#include <cstdlib>
#include <string>

TEST_CASE(
    "docs/tutorial.md, explain.md, tune.md and views.md show what their quick commands answer today (else: "
    "tools/tutorial, and look at the diff)") {
  const std::string program = TILESCOPE_PROGRAM;
  const std::string build = program.substr(0, program.rfind("/bin/"));
  if (std::system("command -v python3 >/dev/null") != 0) return;
  CHECK(
      std::system((std::string("'") + TILESCOPE_SOURCE_DIR + "/tools/tutorial' --check --quick --build '" + build + "'")
                      .c_str()) == 0);
}

TEST_CASE("the table of docs/explain.md is what docs/explain/planted.csv and gpu/measured give") {
  if (std::system("command -v python3 >/dev/null") != 0) return;
  CHECK(std::system((std::string("'") + TILESCOPE_SOURCE_DIR + "/tools/explain-planted' --check").c_str()) == 0);
}

TEST_CASE("the tables of docs/tune.md are what docs/tune/chosen.csv and gpu/measured give") {
  if (std::system("command -v python3 >/dev/null") != 0) return;
  CHECK(std::system((std::string("'") + TILESCOPE_SOURCE_DIR + "/tools/tune-validate' --check").c_str()) == 0);
}
