#include "traces/sass/listing_cache.h"

#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "models/support/compressed_file.h"
#include "traces/sass/listing_source.h"

namespace tilescope::sass {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kMostKept = std::uint64_t{128} << 20U;

// A file for nvdisasm, gone afterwards.
class Decompressed {
 public:
  explicit Decompressed(const std::string& contents) {
    std::string name = (fs::temp_directory_path() / "tilescope_cubin_XXXXXX").string();
    const int descriptor = mkstemp(name.data());
    if (descriptor < 0) return;
    close(descriptor);
    path_ = name;
    std::ofstream(path_, std::ios::binary).write(contents.data(), static_cast<std::streamsize>(contents.size()));
  }
  ~Decompressed() {
    if (!path_.empty()) unlink(path_.c_str());
  }
  Decompressed(const Decompressed&) = delete;
  Decompressed& operator=(const Decompressed&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

tl::expected<std::string, std::string> disassembled(const std::string& path, const Limits& limits) {
  const auto readable = read_listing_file(path, limits);
  if (!readable) return tl::unexpected(readable.error().message);
  if (!path.ends_with(".zst")) return disassemble(path, limits);
  const Decompressed cubin(*readable);
  if (cubin.path().empty()) return tl::unexpected(std::string("no temporary file could be made for nvdisasm"));
  return disassemble(cubin.path(), limits);
}

tl::expected<std::string, std::string> text_of(const CodeFiles& files, const Limits& limits) {
  if (files.is_cubin) return disassembled(files.code, limits);
  auto text = read_listing_file(files.code, limits);
  if (!text) return tl::unexpected(text.error().message);
  return *std::move(text);
}

}  // namespace

tl::expected<SharedCode, CodeProblem> read_code(const CodeFiles& files, const Limits& limits) {
  const auto text = text_of(files, limits);
  if (!text) return tl::unexpected(CodeProblem{false, text.error()});
  auto listing = read_listing(*text, files.code);
  if (!listing) return tl::unexpected(CodeProblem{false, "", std::move(listing.error())});
  const auto code = std::make_shared<Code>();
  code->listing = *std::move(listing);
  if (files.elf.empty()) return code;
  const auto elf = read_listing_file(files.elf, limits);
  if (!elf) return tl::unexpected(CodeProblem{true, elf.error().message});
  auto facts = facts_from_elf_text(*elf, files.elf);
  if (!facts) return tl::unexpected(CodeProblem{true, "", std::move(facts.error())});
  auto modules = modules_from_elf_text(*elf, files.elf);
  if (!modules) return tl::unexpected(CodeProblem{true, "", std::move(modules.error())});
  code->listing.facts = *std::move(facts);
  code->modules = *std::move(modules);
  return code;
}

tl::expected<SharedCode, CodeProblem> ListingCache::read(const CodeFiles& files) {
  std::shared_ptr<Known> known;
  {
    const std::scoped_lock lock(mutex_);
    auto& place = known_[files];
    if (place == nullptr) {
      place = std::make_shared<Known>();
      in_order_.push_back(files);
    }
    known = place;
  }
  const std::scoped_lock reading(known->reading);
  if (known->read) return known->answer;
  known->answer = read_code(files, limits_);
  known->read = true;
  std::uint64_t bytes = 0;
  if (known->answer)
    for (const ListedFunction& function : (*known->answer)->listing.functions)
      for (const ListedInstruction& one : function.code) bytes += sizeof one + one.text.size();
  const std::scoped_lock lock(mutex_);
  const auto still = known_.find(files);
  if (still == known_.end() || still->second != known) return known->answer;
  known->bytes = bytes;
  bytes_ += bytes;
  forget_oldest();
  return known->answer;
}

// REQUIRES: mutex_ is held. The one that was read last stays.
void ListingCache::forget_oldest() {
  while (bytes_ > kMostKept && in_order_.size() > 1) {
    const auto oldest = known_.find(in_order_.front());
    bytes_ -= std::min(bytes_, oldest->second->bytes);
    known_.erase(oldest);
    in_order_.pop_front();
  }
}

}  // namespace tilescope::sass
