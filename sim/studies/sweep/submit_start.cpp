#include "sim/studies/sweep/submit_start.h"

#include <sys/wait.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <system_error>

#include "models/support/atomic_file.h"
#include "sim/studies/sweep/submit_shell.h"

namespace tilescope::sweep {
namespace {

namespace fs = std::filesystem;

}  // namespace

void write_scripts(const Submission& submission) {
  const fs::path directory = submission.directory;
  fs::create_directories(directory);
  for (const Script& script : submission_scripts(submission)) {
    const std::string path = (directory / script.name).string();
    AtomicFile file(path);
    file.stream() << script.text;
    file.commit();
    fs::permissions(path, fs::perms::owner_exec | fs::perms::group_exec | fs::perms::others_exec,
                    fs::perm_options::add);
  }
}

int run_start_script(const std::string& directory, std::ostream& out) {
  const std::string command = "exec " + shell_word((fs::path(directory) / "start.sh").string());
  std::FILE* pipe = ::popen(command.c_str(), "r");
  if (pipe == nullptr)
    throw std::system_error(errno, std::generic_category(), "cannot start " + directory + "/start.sh");
  std::array<char, 4096> text;
  while (const std::size_t count = std::fread(text.data(), 1, text.size(), pipe))
    out.write(text.data(), static_cast<std::streamsize>(count));
  const int status = ::pclose(pipe);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

}  // namespace tilescope::sweep
