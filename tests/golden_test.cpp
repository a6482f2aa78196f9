// tests/golden/*.txt: transcripts of the command line, compared byte for byte. tools/update-golden writes them anew.
//
//   $ tilescope banks --expr 'lane*33'
//   <standard output, then standard error>
//   [exit 2]                                 where it is not 0
#include <doctest/doctest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "cli_answer.h"

namespace {

namespace fs = std::filesystem;
const std::string kPrompt = "$ tilescope";

std::string contents(const fs::path& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

// Words as a shell splits them: spaces, '...' and "...".
std::vector<std::string> words_of(const std::string& line) {
  std::vector<std::string> words;
  std::string word;
  bool open = false;
  char quote = 0;
  for (const char c : line) {
    if (quote != 0) {
      if (c == quote)
        quote = 0;
      else
        word += c;
    } else if (c == '\'' || c == '"') {
      quote = c;
      open = true;
    } else if (c == ' ') {
      if (open || !word.empty()) words.push_back(word);
      word.clear();
      open = false;
    } else {
      word += c;
    }
  }
  if (open || !word.empty()) words.push_back(word);
  return words;
}

// The transcript's commands with what they answer now.
std::string replayed(const std::string& transcript) {
  std::istringstream lines(transcript);
  std::string text;
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with(kPrompt)) continue;
    const CliAnswer answer = ask(words_of(line.substr(kPrompt.size())));
    text += (text.empty() ? "" : "\n") + line + "\n" + answer.out + answer.err;
    if (answer.code != 0) text += "[exit " + std::to_string(answer.code) + "]\n";
  }
  return text;
}

bool updating_answers() {
  const char* asked = std::getenv("TILESCOPE_UPDATE_GOLDEN");
  return asked != nullptr && *asked == '1';
}

}  // namespace

TEST_CASE("every golden transcript is what the program says today (else: tools/update-golden, and look at the diff)") {
  fs::current_path(TILESCOPE_SOURCE_DIR);
  int transcripts = 0;
  for (const auto& entry : fs::directory_iterator("tests/golden")) {
    if (entry.path().extension() != ".txt" || entry.path().stem() == "cycles") continue;  // golden_cycles_test.cpp's
    const std::string written = contents(entry.path());
    const std::string now = replayed(written);
    if (updating_answers()) std::ofstream(entry.path()) << now;
    CAPTURE(entry.path().string());
    CHECK((updating_answers() || now == written));
    ++transcripts;
  }
  CHECK(transcripts >= 3);
}

TEST_CASE("docs/result-format.md names every derived value and every resource") {
  const std::string page = contents(fs::path(TILESCOPE_SOURCE_DIR) / "docs/result-format.md");
  const auto json = nlohmann::json::parse(
      ask({"run", "gemm_tiled", "-p", "M=32", "-p", "N=32", "-p", "K=32", "--format", "json"}).out);
  const auto check = [&](const nlohmann::json& object) {
    for (const auto& [key, value] : object.items()) {
      CAPTURE(key);
      CHECK(page.find("`" + key + "`") != std::string::npos);
    }
  };
  check(json);
  check(json["launch"]);
  check(json["derived"]);
  check(json["derived"]["utilisation_pct"]);
  check(json["provenance"]);
}

TEST_CASE("docs/config-schema.md is what `config schema` prints") {
  const fs::path page = fs::path(TILESCOPE_SOURCE_DIR) / "docs/config-schema.md";
  const std::string now = ask({"config", "schema"}).out;
  if (updating_answers()) std::ofstream(page) << now;
  CHECK((updating_answers() || now == contents(page)));
}
