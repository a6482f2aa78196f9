#include "finish.h"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <mutex>
#include <set>
#include <sstream>
#include <thread>

#include "bundle_files.h"
#include "cubin.h"
#include "disassembly.h"
#include "function_image.h"
#include "journal.h"
#include "launch_text.h"
#include "zstd_frame.h"

namespace tilescope::capture {
namespace {

namespace fs = std::filesystem;

constexpr int kLevel = 19;  // of listings: small files, read often

std::string read_file(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

bool write_file(const fs::path& path, const std::string& contents) {
  const fs::path part = path.string() + ".part";
  {
    std::ofstream file(part, std::ios::binary);
    file << contents;
    if (!file) return false;
  }
  std::error_code failed;
  fs::rename(part, path, failed);
  return !failed;
}

std::vector<fs::path> files_in(const fs::path& folder) {
  std::vector<fs::path> all;
  std::error_code failed;
  for (const auto& entry : fs::directory_iterator(folder, failed)) all.push_back(entry.path());
  std::sort(all.begin(), all.end());
  return all;
}

// code/HASH-N.cubin becomes code/HASH-N.sass.zst; it stays when it cannot be disassembled.
class Code {
 public:
  Code(const fs::path& bundle, bool keep_cubins, Finished& finished)
      : bundle_(bundle), keep_cubins_(keep_cubins), finished_(finished), nvdisasm_(find_nvdisasm()) {
    for (const fs::path& path : files_in(bundle / "code"))
      if (path.extension() == ".cubin") cubins_.push_back(path);
    if (nvdisasm_.empty() && !cubins_.empty())
      finished_.problems.push_back(
          "nvdisasm was not found on the PATH, in $CUDA_HOME/bin or in /usr/local/cuda/bin: the code stays as "
          "cubins (install the CUDA Toolkit's cuda-nvdisasm, then tilescope-capture --finish)");
  }

  void convert() {
    std::vector<std::thread> threads;
    const std::size_t most = std::max(1U, std::thread::hardware_concurrency());
    for (std::size_t i = 0; i < std::min(most, cubins_.size()); ++i)
      threads.emplace_back([this] {
        for (std::size_t at = next_++; at < cubins_.size(); at = next_++) convert(cubins_[at]);
      });
    for (std::thread& thread : threads) thread.join();
  }

  const std::vector<fs::path>& unneeded() const { return unneeded_; }

  // A launch file of a bundle that was finished without nvdisasm.
  void rename_in(const fs::path& launch) const {
    const std::string text = read_file(launch);
    if (const std::string renamed = renamed_text(text); renamed != text) write_file(launch, renamed);
  }

  std::string renamed_text(const std::string& text) const {
    const std::string before = "kernel: {cubin: ../code/";
    const std::size_t end = text.find(',', before.size());
    if (text.compare(0, before.size(), before) != 0 || end == std::string::npos) return text;
    const auto found = names_.find(text.substr(before.size(), end - before.size()));
    return found == names_.end() ? text : "kernel: {" + found->second + text.substr(end);
  }

 private:
  // Of the kernel's code alone, where nvdisasm refuses the variables beside it; else what it refused.
  Listing disassemble_code(const fs::path& cubin, const std::string& stem, const Listing& refused) {
    const std::string image = read_file(cubin);
    if (!Cubin::is_elf(image.data(), image.size())) return refused;
    const Cubin whole({image.begin(), image.end()});
    const std::size_t symbol = std::strtoul(stem.c_str() + stem.rfind('-') + 1, nullptr, 10);
    if (symbol >= whole.symbols().size()) return refused;
    const auto part = function_image(whole, static_cast<std::uint32_t>(symbol), false);
    const std::string file = stem + ".code.part";
    write_file(file, {part.begin(), part.end()});
    Listing listing = disassemble(nvdisasm_, file);
    fs::remove(file);
    if (!listing.error.empty()) return refused;
    const std::lock_guard lock(mutex_);
    finished_.problems.push_back("nvdisasm on " + cubin.string() + ": " + refused.error +
                                 "; the listing lacks its variables");
    return listing;
  }

  void convert(const fs::path& cubin) {
    const std::string stem = cubin.string().substr(0, cubin.string().size() - 6), name = cubin.filename().string();
    std::string error;
    bool has_listing = false;
    if (!nvdisasm_.empty()) {
      Listing listing = disassemble(nvdisasm_, cubin.string());
      if (!listing.error.empty()) listing = disassemble_code(cubin, stem, listing);
      error = listing.error;
      has_listing = error.empty() && write_file(stem + ".sass.zst", zstd_frame(listing.text, kLevel));
    }
    const std::string own = fs::path(stem).filename().string();
    const bool is_kept = nvdisasm_.empty() || !has_listing || keep_cubins_;
    const std::lock_guard lock(mutex_);
    if (has_listing) {
      ++finished_.listings;
      names_[name] = "sass: ../code/" + own + ".sass.zst";
    }
    if (!error.empty()) finished_.problems.push_back("nvdisasm on " + cubin.string() + ": " + error);
    if (!is_kept) unneeded_.push_back(cubin);
  }

  const fs::path bundle_;
  const bool keep_cubins_;
  Finished& finished_;
  const std::string nvdisasm_;
  std::vector<fs::path> cubins_;
  std::map<std::string, std::string> names_;  // file name -> what the launch files say instead
  std::atomic<std::size_t> next_{0};
  std::mutex mutex_;
  std::vector<fs::path> unneeded_;  // when the launch files no longer name them
};

std::string list(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : ", ") + yaml_text(word);
  return "[" + text + "]";
}

std::size_t lines_of(const fs::path& path) {
  const std::string text = read_file(path);
  return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
}

// The recorder has written it when it saw the first launch; a program without launches has none.
void write_bundle_file(const fs::path& bundle, const std::optional<Ending>& ending) {
  std::string text = read_file(bundle / "bundle.yaml");
  if (text.empty() && ending)
    text = "schema: tilescope.bundle/1\nprogram: " + list(ending->program) + "\nmemory: " + ending->memory + "\n";
  if (ending && !ending->exit.empty() && text.find("\nexit: ") == std::string::npos)
    text += "exit: " + ending->exit + "\n";
  write_file(bundle / "bundle.yaml", text);
}

void write_launches(const fs::path& bundle, const Code& code) {
  std::string list;
  int id = 0;
  for (const LaunchFile& launch : read_journal(read_file(bundle / "journal"))) {
    ++id;
    std::ofstream(bundle / file_of_launch(id), std::ios::binary) << code.renamed_text(launch_text(launch));
    list += launches_line(id, launch.kernel, launch.shape);
  }
  // The list stands last, so that an interrupted end begins again.
  if (write_file(bundle / "launches.yaml", list)) fs::remove(bundle / "journal");
}

void finish_one(const fs::path& bundle, const std::optional<Ending>& ending, bool keep_cubins, Finished& finished) {
  finished.bundles.push_back(bundle.string());
  trim_order(bundle.string());
  Code code(bundle, keep_cubins, finished);
  code.convert();
  if (fs::exists(bundle / "journal"))
    write_launches(bundle, code);
  else
    for (const fs::path& launch : files_in(bundle / "launches")) code.rename_in(launch);
  for (const fs::path& path : code.unneeded()) fs::remove(path);
  for (const char* folder : {"code", "memory"}) {
    for (const fs::path& path : files_in(bundle / folder))
      if (path.string().find(".part") != std::string::npos) fs::remove(path);
    std::error_code not_empty;
    fs::remove(bundle / folder, not_empty);
  }
  for (const char* file : {"launches.yaml", "order"})
    if (!fs::exists(bundle / file)) write_file(bundle / file, "");  // the program launched nothing
  write_bundle_file(bundle, ending);
  fs::remove(bundle / "recorder");
  finished.launches += lines_of(bundle / "order");
  finished.different += lines_of(bundle / "launches.yaml");
  if (fs::exists(bundle / "refused")) finished.refused += lines_of(bundle / "refused");
}

}  // namespace

Finished finish(const std::string& directory, const std::optional<Ending>& ending, bool keep_cubins) {
  Finished finished;
  finish_one(directory, ending, keep_cubins, finished);
  for (const fs::path& path : files_in(directory))
    if (path.filename().string().compare(0, 6, "child-") == 0 && fs::is_directory(path))
      finish_one(path, ending, keep_cubins, finished);
  return finished;
}

}  // namespace tilescope::capture
