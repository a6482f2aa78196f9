// Study files and stores in a folder of their own, for tests.
#pragma once

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

class SweepFolder {
 public:
  SweepFolder() { std::filesystem::create_directories(path_); }
  ~SweepFolder() { std::filesystem::remove_all(path_); }
  SweepFolder(const SweepFolder&) = delete;
  SweepFolder& operator=(const SweepFolder&) = delete;

  std::string operator/(const std::string& name) const { return (path_ / name).string(); }
  std::string write(const std::string& name, const std::string& text) const {
    std::ofstream(path_ / name, std::ios::binary) << text;
    return *this / name;
  }
  std::string read(const std::string& name) const {
    std::ifstream file(path_ / name, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }

 private:
  std::filesystem::path path_ =
      std::filesystem::temp_directory_path() / ("tilescope_sweep_" + std::to_string(getpid()));
};
