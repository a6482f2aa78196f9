#include "traces/file/block.h"

#include <fmt/core.h>

#include "traces/file/trace_error.h"
#include "traces/file/trace_format.h"

namespace tilescope::trace {
namespace {

const Leader& no_leader() {
  static const Leader none;
  return none;
}

}  // namespace

Block::Block(const TraceFile& file, std::size_t number) : file_(file), number_(number), content_(file.content(number)) {
  try {
    records_ = read_warp_records(content_, file.blocks()[number].warps);
    if (records_.size() > 1) follow_leader();
  } catch (const Malformed& malformed) {
    refuse(malformed.what);
  }
}

void Block::follow_leader() {
  WarpDecoder decoder;
  begin(decoder, file_.blocks()[number_].first_warp);
  for (std::uint64_t i = 0; i < kLeaderSegments; ++i) {
    const std::uint32_t shape = decoder.next();
    if (shape == 0) return;
    leader_.observe(file_.tables(), shape, decoder.operands());
  }
}

void Block::begin(WarpDecoder& decoder, std::uint64_t warp) const {
  const std::uint64_t index = warp - file_.blocks()[number_].first_warp;
  const WarpRecord& record = records_[index];
  const std::string_view bytes = std::string_view(content_).substr(record.offset, record.bytes);
  decoder.begin(file_.tables(), file_.limits(), index == 0 ? no_leader() : leader_, bytes, record.segments);
}

void Block::refuse(const std::string& message) const {
  throw TraceError(file_.path(), fmt::format("block {}", number_), file_.blocks()[number_].offset, message);
}

}  // namespace tilescope::trace
