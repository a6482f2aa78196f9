#include "traces/file/trace_reader.h"

#include <fmt/core.h>

#include <fstream>
#include <vector>

#include "models/support/text_file.h"
#include "traces/file/block_cache.h"
#include "traces/file/trace_error.h"
#include "traces/file/trace_format.h"

namespace tilescope {
namespace {

using namespace trace;

class TraceStream final : public WarpStream {
 public:
  TraceStream(const TraceFile& file, BlockCache& cache) : file_(file), cache_(cache) {}

  void start(std::int64_t cta, int warp, Operands) override {
    const Launch& launch = file_.tables().launch;
    if (cta < 0 || cta >= launch.grid.count() || warp < 0 || warp >= launch.warps_per_cta())
      throw TraceError(file_.path(), fmt::format("has no CTA {} warp {}", cta, warp));
    const std::uint64_t index = static_cast<std::uint64_t>(cta) * static_cast<std::uint64_t>(launch.warps_per_cta()) +
                                static_cast<unsigned>(warp);
    const std::size_t number = file_.block_of(index);
    if (block_ == nullptr || block_->number() != number) block_ = cache_.block(number);
    block_->begin(decoder_, index);
  }

  bool next(Segment& segment) override {
    const std::uint32_t shape = decode();
    if (shape == 0) return false;
    const Shape& decoded = file_.tables().shapes[shape];
    segment = {file_.tables().code.data() + decoded.offset, decoder_.operands(), decoded.length, decoded.key};
    return true;
  }

 private:
  std::uint32_t decode() {
    try {
      return decoder_.next();
    } catch (const Malformed& malformed) {
      block_->refuse(malformed.what);
    }
  }

  const TraceFile& file_;
  BlockCache& cache_;
  std::shared_ptr<const Block> block_;
  WarpDecoder decoder_;
};

class TraceKernel final : public Kernel {
 public:
  explicit TraceKernel(const std::string& path) : file_(path), cache_(file_) {
    // Interning in the file's order gives the file's numbers.
    for (std::size_t i = 1; i < file_.tables().patterns.size(); ++i)
      if (patterns_.intern(file_.tables().patterns[i]) != i)
        throw TraceError(file_.path(), fmt::format("lane pattern {} is listed twice", i));
  }
  const Launch& launch() const override { return file_.tables().launch; }
  std::span<const Instruction> code() const override { return file_.tables().code; }
  const PatternTable& patterns() const override { return patterns_; }
  std::unique_ptr<WarpStream> make_stream() const override { return std::make_unique<TraceStream>(file_, cache_); }

 private:
  TraceFile file_;
  mutable BlockCache cache_;
  PatternTable patterns_;
};

}  // namespace

std::unique_ptr<Kernel> open_trace(const std::string& path) { return std::make_unique<TraceKernel>(path); }

void validate_trace(const std::string& path) {
  const TraceFile file(path);
  std::vector<std::uint64_t> visits(file.tables().shapes.size(), 0);
  WarpDecoder decoder;
  for (std::size_t number = 0; number < file.blocks().size(); ++number) {
    const Block block(file, number);
    const BlockPlace& place = file.blocks()[number];
    try {
      for (std::uint64_t i = 0; i < place.warps; ++i) {
        block.begin(decoder, place.first_warp + i);
        while (const std::uint32_t shape = decoder.next()) ++visits[shape];
      }
    } catch (const Malformed& malformed) {
      block.refuse(malformed.what);
    }
  }
  for (std::size_t i = 1; i < visits.size(); ++i)
    if (visits[i] != file.tables().shapes[i].visits)
      throw TraceError(path, fmt::format("shape {} is visited {} times; the tables state {}", i, visits[i],
                                         file.tables().shapes[i].visits));
}

bool is_trace(const std::string& path) {
  if (refuse_irregular_file(path)) return false;
  std::ifstream file(path, std::ios::binary);
  std::string begin(kMagic.size(), '\0');
  return file.read(begin.data(), static_cast<std::streamsize>(begin.size())) && begin == kMagic;
}

}  // namespace tilescope
