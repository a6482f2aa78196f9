// The program itself started with arguments, for tests of what users run: build/release/bin/tilescope.
#pragma once

#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

struct CliAnswer {
  int code;
  std::string out;
  std::string err;
};

inline CliAnswer ask(const std::vector<std::string>& arguments) {
  const auto file = [](const char* name) {
    return std::filesystem::temp_directory_path() / ("tilescope_" + std::to_string(getpid()) + name);
  };
  const auto out = file(".out"), err = file(".err");
  std::string command = TILESCOPE_PROGRAM;
  for (const std::string& argument : arguments) {
    command += " '";
    for (const char c : argument) command += c == '\'' ? "'\\''" : std::string(1, c);
    command += '\'';
  }
  const int status = std::system((command + " >" + out.string() + " 2>" + err.string()).c_str());
  const auto contents = [](const std::filesystem::path& path) {
    std::ifstream stream(path, std::ios::binary);
    std::string text{std::istreambuf_iterator<char>(stream), {}};
    std::filesystem::remove(path);
    return text;
  };
  const int code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return {code, contents(out), contents(err)};
}
