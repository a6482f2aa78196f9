#include "disassembly.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <sstream>
#include <vector>

extern char** environ;

namespace tilescope::capture {
namespace {

// What a program prints, or instead what it complains of; -1 as its status when it could not be started.
std::string output_of(std::vector<std::string> words, bool complaints, int& status) {
  status = -1;
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return {};
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[1], complaints ? STDERR_FILENO : STDOUT_FILENO);
  posix_spawn_file_actions_addopen(&actions, complaints ? STDOUT_FILENO : STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  std::vector<char*> arguments;
  arguments.reserve(words.size() + 1);
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  pid_t child = 0;
  const bool started = posix_spawn(&child, arguments[0], &actions, nullptr, arguments.data(), environ) == 0;
  posix_spawn_file_actions_destroy(&actions);
  close(ends[1]);
  std::string text;
  std::vector<char> part(1 << 16);
  for (ssize_t count = 0; started && (count = read(ends[0], part.data(), part.size())) != 0;) {
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) break;
    text.append(part.data(), static_cast<std::size_t>(count));
  }
  close(ends[0]);
  if (started) waitpid(child, &status, 0);
  return text;
}

}  // namespace

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

Listing disassemble(const std::string& nvdisasm, const std::string& cubin) {
  Listing listing;
  int status = 0;
  listing.text = output_of({nvdisasm, "-hex", "-g", cubin}, false, status);
  if (status != 0) listing.text = output_of({nvdisasm, "-hex", cubin}, false, status);
  if (status != 0) {
    const std::string complaint = output_of({nvdisasm, "-hex", cubin}, true, status);
    listing.error = "it refused it: " + complaint.substr(0, complaint.find('\n'));
  } else if (listing.text.find(".text.") == std::string::npos) {
    listing.error = "it printed no code";
  }
  return listing;
}

}  // namespace tilescope::capture
