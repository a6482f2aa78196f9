#include <doctest/doctest.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <random>
#include <string>
#include <thread>
#include <vector>

namespace {

namespace fs = std::filesystem;

// 48 points, of which 12 fail: swizzles take tiles that are powers of two.
constexpr const char* kStudy =
    "study: killed\n"
    "mode: counts\n"
    "kernels: [gemm_tiled]\n"
    "parameters:\n"
    "  M,N,K: 192\n"
    "  tile: [12, 16]\n"
    "  swizzle: [none, xor]\n"
    "  pad_a: 0:3:1\n"
    "  pad_b: 0:2:1\n";

class Folder {
 public:
  Folder() {
    fs::create_directories(path_);
    std::ofstream(path_ / "study.yaml") << kStudy;
  }
  ~Folder() { fs::remove_all(path_); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  std::string operator/(const char* name) const { return (path_ / name).string(); }

 private:
  fs::path path_ = fs::temp_directory_path() / ("tilescope_kill_" + std::to_string(getpid()));
};

pid_t start(std::vector<std::string> words) {
  words.insert(words.begin(), TILESCOPE_PROGRAM);
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  const pid_t child = fork();
  if (child == 0) {
    const int nothing = open("/dev/null", O_WRONLY);
    dup2(nothing, STDOUT_FILENO);
    dup2(nothing, STDERR_FILENO);
    execv(pointers[0], pointers.data());
    _exit(127);
  }
  return child;
}

// The exit code, or minus the signal.
int finish(pid_t child) {
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

std::string exported(const Folder& folder, const char* store) {
  CHECK(finish(start({"sweep", "export", folder / store, "-o", folder / "export.csv"})) == 0);
  std::ifstream file(folder / "export.csv", std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace

TEST_CASE("a sweep killed ten times and resumed exports what an uninterrupted one exports") {
  const Folder folder;
  using Clock = std::chrono::steady_clock;
  const auto began = Clock::now();
  CHECK(finish(start({"sweep", folder / "study.yaml", "--jobs", "2", "-o", folder / "whole.db"})) == 1);
  const double seconds = std::chrono::duration<double>(Clock::now() - began).count();
  const std::string whole = exported(folder, "whole.db");
  CHECK(std::count(whole.begin(), whole.end(), '\n') == 49);

  std::mt19937 random(20240607);
  std::uniform_real_distribution<double> share(0.02, 0.5);  // of an uninterrupted run
  int killed = 0;
  for (int i = 0; i < 10; ++i) {
    const pid_t child = start({"sweep", folder / "study.yaml", "--jobs", "2", "-o", folder / "killed.db"});
    std::this_thread::sleep_for(std::chrono::duration<double>(share(random) * seconds));
    kill(child, SIGKILL);
    const int code = finish(child);
    CHECK((code == -SIGKILL || code == 1));
    killed += code == -SIGKILL ? 1 : 0;
  }
  CHECK(killed >= 1);
  CHECK(finish(start({"sweep", folder / "study.yaml", "--jobs", "2", "-o", folder / "killed.db"})) == 1);
  CHECK(exported(folder, "killed.db") == whole);
}
