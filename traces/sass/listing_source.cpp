#include "traces/sass/listing_source.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <sstream>
#include <vector>

#include "models/support/compressed_file.h"

extern char** environ;

namespace tilescope::sass {
namespace {

std::string find_nvdisasm() {
  std::vector<std::string> places;
  if (const char* own = std::getenv("TILESCOPE_NVDISASM")) places.emplace_back(own);
  if (const char* path = std::getenv("PATH")) {
    std::istringstream folders(path);
    for (std::string folder; std::getline(folders, folder, ':');) places.push_back(folder + "/nvdisasm");
  }
  for (const char* home : {"CUDA_HOME", "CUDA_PATH"})
    if (const char* folder = std::getenv(home)) places.push_back(std::string(folder) + "/bin/nvdisasm");
  places.emplace_back("/usr/local/cuda/bin/nvdisasm");
  for (const std::string& place : places)
    if (access(place.c_str(), X_OK) == 0) return place;
  return {};
}

// What a program prints, its standard error behind it; its exit status in `status`.
tl::expected<std::string, std::string> output_of(std::vector<std::string> words, std::size_t most_bytes, int& status) {
  std::array<int, 2> ends{};
  if (pipe(ends.data()) != 0) return tl::unexpected(std::string("no pipe could be opened"));
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addclose(&actions, ends[0]);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDERR_FILENO);
  std::vector<char*> arguments;
  arguments.reserve(words.size() + 1);
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  pid_t child = 0;
  const int failed = posix_spawn(&child, arguments[0], &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  close(ends[1]);
  std::string text;
  if (failed == 0) {
    std::array<char, 65536> part{};
    for (ssize_t got = 0; (got = read(ends[0], part.data(), part.size())) > 0;) {
      text.append(part.data(), static_cast<std::size_t>(got));
      if (text.size() > most_bytes) break;
    }
  }
  close(ends[0]);
  if (failed != 0) return tl::unexpected(tilescope::in_quotes(words[0]) + " could not be started");
  waitpid(child, &status, 0);
  return text;
}

}  // namespace

tl::expected<std::string, Diagnostic> read_listing_file(const std::string& path, const Limits& limits) {
  auto text = read_compressed_file(path, limits.listing_bytes);
  if (!text && text.error().message.starts_with("is too large"))
    text.error().message += "; " + limit_met("listing_bytes", limits.listing_bytes);
  return text;
}

tl::expected<std::string, std::string> disassemble(const std::string& cubin, const Limits& limits) {
  const std::string program = find_nvdisasm();
  if (program.empty())
    return tl::unexpected(std::string(
        "a cubin needs nvdisasm, which was not found on the PATH, in $CUDA_HOME/bin or in /usr/local/cuda/bin; install "
        "the CUDA Toolkit (package cuda-nvdisasm), or disassemble it elsewhere with `nvdisasm -hex` and give the text "
        "as `sass:`"));
  int status = 0;
  // Line markers where the cubin has them; an nvdisasm that knows none of them prints the rest.
  auto text = output_of({program, "-hex", "-g", cubin}, limits.listing_bytes, status);
  if (text && (!WIFEXITED(status) || WEXITSTATUS(status) != 0))
    text = output_of({program, "-hex", cubin}, limits.listing_bytes, status);
  if (!text) return text;
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
    return tl::unexpected(tilescope::in_quotes(program) +
                          " refused it: " + tilescope::in_quotes(text->substr(0, text->find('\n'))));
  if (text->size() > limits.listing_bytes)
    return tl::unexpected(tilescope::in_quotes(program) + " prints too much; " +
                          limit_met("listing_bytes", limits.listing_bytes));
  return text;
}

}  // namespace tilescope::sass
