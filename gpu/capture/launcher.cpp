// tilescope-capture: runs a program with the recorder in it, and finishes the bundle when the program has ended.
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string>
#include <vector>

#include "bundle_files.h"
#include "finish.h"
#include "launch_text.h"
#include "options.h"

namespace tilescope::capture {
namespace {

namespace fs = std::filesystem;

constexpr const char* kUsage =
    "usage: tilescope-capture [OPTIONS] -o DIR PROGRAM [ARGUMENT...]\n"
    "       tilescope-capture --finish DIR\n"
    "\n"
    "Runs PROGRAM and records every kernel that it launches into the bundle DIR, which must not exist or be empty.\n"
    "\n"
    "  -o DIR               the bundle\n"
    "  --kernels REGEX      only kernels in whose symbol or C++ name the expression (ECMAScript) occurs\n"
    "  --skip N             not the first N launches of those kernels\n"
    "  --count N            at most N launches of those kernels\n"
    "  --profiler-range     only launches between cudaProfilerStart and cudaProfilerStop (torch.cuda.profiler.start, "
    "stop)\n"
    "  --memory none        no memory (the default)\n"
    "  --memory inputs      also what the buffers held to which arguments point, before each launch\n"
    "  --memory all         also the buffers that only memory points to; --needs is passed over\n"
    "  --needs FILE         memory of the launches alone that FILE lists, as `tilescope bundle needs` prints them\n"
    "  --memory-limit SIZE  at most so much memory of one launch, such as 64MiB (256MiB)\n"
    "  --cubins             keep the cubins of launched kernels, and the files that they came from\n"
    "  --finish DIR         disassemble an interrupted bundle, or one made where there was no nvdisasm\n"
    "\n"
    "Repeated launches are counted, not stored again. A further process of PROGRAM gets a bundle of its own, "
    "DIR/child-PID.\n"
    "The exit code is PROGRAM's; 2 for a mistake on this command line.\n"
    "\n"
    "  tilescope-capture -o step python3 train.py\n"
    "  tilescope-capture --kernels 'sort|scan' --count 20 --memory inputs -o sorts ./program\n";

[[noreturn]] void refuse(const std::string& message) {
  std::fprintf(stderr, "tilescope-capture: error: %s\n", message.c_str());
  std::exit(2);
}

struct Command {
  std::string directory, finish;
  std::string kernels, skip, count, memory = "none", needs, memory_limit;
  bool cubins = false, range = false;
  std::vector<std::string> program;
};

std::string number(const std::string& option, const std::string& text) {
  if (text.empty() || text.size() > 18 || text.find_first_not_of("0123456789") != std::string::npos)
    refuse(option + ": got '" + text + "'; must be a whole number");
  return text;
}

Command read(int count, char** words) {
  Command command;
  int at = 1;
  const auto value = [&](const std::string& option) -> std::string {
    if (at + 1 >= count) refuse(option + ": a value is missing");
    return words[++at];
  };
  for (; at < count && words[at][0] == '-'; ++at) {
    const std::string option = words[at];
    if (option == "--") {
      ++at;
      break;
    }
    if (option == "-h" || option == "--help") {
      std::fputs(kUsage, stdout);
      std::exit(0);
    }
    if (option == "-o") {
      command.directory = value(option);
    } else if (option == "--finish") {
      command.finish = value(option);
    } else if (option == "--kernels") {
      command.kernels = value(option);
      try {
        const std::regex tried(command.kernels);
      } catch (const std::regex_error& error) {
        refuse("--kernels: got '" + command.kernels + "'; must be a regular expression (" + error.what() + ")");
      }
    } else if (option == "--skip") {
      command.skip = number(option, value(option));
    } else if (option == "--count") {
      command.count = number(option, value(option));
    } else if (option == "--memory") {
      command.memory = value(option);
      if (command.memory != "none" && command.memory != "inputs" && command.memory != "all")
        refuse("--memory: got '" + command.memory + "'; must be none, inputs or all");
    } else if (option == "--needs") {
      command.needs = fs::absolute(value(option)).string();
      Options read_into;
      if (!read_needs(command.needs, read_into)) refuse("--needs: '" + command.needs + "' cannot be read");
    } else if (option == "--memory-limit") {
      const std::string text = value(option);
      const auto bytes = bytes_from(text);
      if (!bytes) refuse("--memory-limit: got '" + text + "'; must be a size such as 64MiB");
      command.memory_limit = std::to_string(*bytes);
    } else if (option == "--profiler-range") {
      command.range = true;
    } else if (option == "--cubins") {
      command.cubins = true;
    } else {
      refuse("'" + option + "' is not known; tilescope-capture --help lists the options");
    }
  }
  command.program.assign(words + std::min(at, count), words + count);
  if (!command.finish.empty()) return command;
  if (command.directory.empty()) refuse("-o DIR is missing; tilescope-capture --help shows examples");
  if (command.program.empty()) refuse("a program is missing; tilescope-capture --help shows examples");
  if (!command.needs.empty() && command.memory != "inputs") refuse("--needs: needs --memory inputs");
  return command;
}

// Beside the launcher, or in ../lib where it is installed.
std::string find_recorder() {
  if (const char* own = std::getenv("TILESCOPE_CAPTURE_LIBRARY")) return own;
  std::error_code failed;
  const fs::path folder = fs::read_symlink("/proc/self/exe", failed).parent_path();
  for (const char* place : {"libtilescope_capture.so", "../lib/libtilescope_capture.so"})
    if (fs::exists(folder / place)) return fs::weakly_canonical(folder / place).string();
  refuse("libtilescope_capture.so was found neither in " + folder.string() + " nor in ../lib beside it");
}

void make_directory(const std::string& directory) {
  std::error_code failed;
  fs::create_directories(directory, failed);
  if (!fs::is_directory(directory)) refuse("-o: '" + directory + "' cannot be made: " + failed.message());
  if (!fs::is_empty(directory)) refuse("-o: '" + directory + "' is not empty");
}

void set(const char* name, const std::string& value) {
  if (value.empty())
    unsetenv(name);
  else
    setenv(name, value.c_str(), 1);
}

volatile std::sig_atomic_t child = 0;

// The terminal sends an interrupt to both; what is sent to the launcher alone goes on to the program.
void pass_on(int signal) {
  if (signal != SIGINT && child != 0) kill(child, signal);
}

int run(const Command& command, Ending& ending) {
  const std::string directory = fs::absolute(command.directory).string();
  const std::string recorder = find_recorder();
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) std::signal(signal, pass_on);
  const pid_t started = fork();
  if (started < 0) refuse(std::string("no process could be started: ") + std::strerror(errno));
  if (started == 0) {
    for (const int signal : {SIGINT, SIGTERM, SIGHUP}) std::signal(signal, SIG_DFL);
    set("CUDA_INJECTION64_PATH", recorder);
    set(kDirectoryVariable, directory);
    set(kKernelsVariable, command.kernels);
    set(kSkipVariable, command.skip);
    set(kCountVariable, command.count);
    set(kMemoryVariable, command.memory);
    set(kNeedsVariable, command.needs);
    set(kMemoryLimitVariable, command.memory_limit);
    set(kRangeVariable, command.range ? "1" : "");
    set(kCubinsVariable, command.cubins ? "1" : "");
    std::vector<char*> words;
    for (const std::string& word : command.program) words.push_back(const_cast<char*>(word.c_str()));
    words.push_back(nullptr);
    execvp(words[0], words.data());
    std::fprintf(stderr, "tilescope-capture: error: '%s' cannot be run: %s\n", words[0], std::strerror(errno));
    _exit(127);
  }
  child = started;
  int status = 0;
  while (waitpid(started, &status, 0) < 0 && errno == EINTR) {
  }
  child = 0;
  ending.program = command.program;
  ending.memory = command.memory;
  ending.exit =
      WIFSIGNALED(status) ? "signal " + std::to_string(WTERMSIG(status)) : std::to_string(WEXITSTATUS(status));
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

void report(const Finished& finished, double seconds) {
  for (const std::string& problem : finished.problems) std::fprintf(stderr, "tilescope-capture: %s\n", problem.c_str());
  std::fprintf(stderr, "tilescope-capture: %zu launches, %zu different, %zu refused; %zu listings in %.1f s; %s",
               finished.launches, finished.different, finished.refused, finished.listings, seconds,
               finished.bundles.front().c_str());
  if (finished.bundles.size() > 1) std::fprintf(stderr, " and %zu child processes in it", finished.bundles.size() - 1);
  std::fputs("\n", stderr);
  if (finished.launches == 0)
    std::fputs(
        "tilescope-capture: no launch was recorded: the program launched none, none that --kernels, --skip and --count "
        "let "
        "through, or the recorder could not begin (its message stands above)\n",
        stderr);
}

int capture(int count, char** words) {
  const Command command = read(count, words);
  int code = 0;
  std::optional<Ending> ending;
  std::string directory = command.finish;
  if (directory.empty()) {
    directory = command.directory;
    make_directory(directory);
    ending.emplace();
    code = run(command, *ending);
  } else if (!fs::exists(fs::path(directory) / "order")) {
    refuse("--finish: '" + directory + "' is no bundle: it has no file 'order'");
  }
  const auto began = std::chrono::steady_clock::now();
  const Finished finished = finish(directory, ending, command.cubins);
  report(finished, std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count());
  return code;
}

}  // namespace
}  // namespace tilescope::capture

int main(int count, char** words) {
  try {
    return tilescope::capture::capture(count, words);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "tilescope-capture: error: %s\n", error.what());
    return 1;
  }
}
