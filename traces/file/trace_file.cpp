#include "traces/file/trace_file.h"

#include <fmt/core.h>

#include <algorithm>

#include "traces/file/bytes.h"
#include "traces/file/frame.h"
#include "traces/file/trace_error.h"
#include "traces/file/trace_format.h"
#include "traces/file/warp_record.h"

namespace tilescope::trace {

TraceFile::TraceFile(const std::string& path) : file_(path) {
  read_header();
  const BlockPlace tables = read_directory(read_trailer());
  refuse_oversize(tables);
  const std::string content = frame(tables, "the tables");
  encoded_bytes_ += content.size();
  try {
    tables_ = decode_tables(content);
  } catch (const Malformed& malformed) {
    refuse("the tables", tables.offset, malformed.what);
  }
  for (const LanePattern& pattern : tables_.patterns) limits_.push_back(base_limit(pattern));
  const std::uint64_t warps = blocks_.back().first_warp + blocks_.back().warps;
  if (warps != tables_.warps())
    refuse("the directory", tables.offset + tables.bytes,
           fmt::format("the blocks hold {} warps; must hold the launch's {}", warps, tables_.warps()));
  for (std::size_t i = 0; i < blocks_.size(); ++i) check_block(i);
}

// Before anything is decompressed.
void TraceFile::refuse_oversize(const BlockPlace& tables) const {
  std::uint64_t bytes = 0;
  const auto add = [&](const BlockPlace& place, const std::string& part) {
    try {
      bytes += content_size(file_.read(place.offset, std::min<std::uint64_t>(place.bytes, kLargestFrameHeader)));
    } catch (const Malformed& malformed) {
      refuse(part, place.offset, malformed.what);
    }
    if (bytes > kLargestTrace)
      refuse(part, place.offset,
             fmt::format("the trace's parts have more than {} bytes when decompressed", kLargestTrace));
  };
  for (std::size_t i = 0; i < blocks_.size(); ++i) add(blocks_[i], fmt::format("block {}", i));
  add(tables, "the tables");
}

void TraceFile::check_block(std::size_t number) {
  const std::string content = this->content(number);
  encoded_bytes_ += content.size();
  const std::string part = fmt::format("block {}", number);
  try {
    for (const WarpRecord& record : read_warp_records(content, blocks_[number].warps)) segments_ += record.segments;
  } catch (const Malformed& malformed) {
    refuse(part, blocks_[number].offset, malformed.what);
  }
  if (segments_ > kMostTraceSegments)
    refuse(part, blocks_[number].offset, fmt::format("the warps have more than {} segments", kMostTraceSegments));
}

void TraceFile::refuse(const std::string& part, std::uint64_t byte, const std::string& message) const {
  throw TraceError(file_.path(), part, byte, message);
}

void TraceFile::read_header() const {
  const std::string bytes = file_.read(0, std::min<std::uint64_t>(kHeaderBytes, file_.size()));
  if (bytes.empty()) refuse("the header", 0, "the file is empty; must be a trace that `tilescope trace record` made");
  const std::size_t compared = std::min(bytes.size(), kMagic.size());
  if (std::string_view(bytes).substr(0, compared) != kMagic.substr(0, compared))
    refuse("the header", 0, "does not begin as a Tilescope trace does");
  if (bytes.size() < kHeaderBytes) refuse("the header", bytes.size(), "the file ends too soon");
  ByteReader in(std::string_view(bytes).substr(kMagic.size()));
  const std::uint64_t version = in.fixed(4);
  if (version != kVersion)
    refuse("the header", 8,
           fmt::format("the format's version is {}; this program reads version {}", version, kVersion));
  const std::uint64_t reserved = in.fixed(4);
  if (reserved != 0) refuse("the header", 12, fmt::format("the reserved field is {}; must be 0", reserved));
}

BlockPlace TraceFile::read_trailer() const {
  if (file_.size() < kHeaderBytes + kTrailerBytes) refuse("the trailer", file_.size(), "the file ends too soon");
  const std::uint64_t at = file_.size() - kTrailerBytes;
  const std::string bytes = file_.read(at, kTrailerBytes);
  ByteReader in(bytes);
  const std::uint64_t offset = in.fixed(8);
  const std::uint64_t length = in.fixed(8);
  const std::uint64_t size = in.fixed(8);
  if (in.take(kEndMagic.size()) != kEndMagic)
    refuse("the trailer", at, "is missing: the file is cut short or has grown");
  if (size != file_.size())
    refuse("the trailer", at + 16,
           fmt::format("the file's length is stated as {} bytes; it has {}", size, file_.size()));
  if (offset < kHeaderBytes || offset > at || length != at - offset)
    refuse("the trailer", at,
           fmt::format("the directory is stated at byte {} with {} bytes; must end at byte {}", offset, length, at));
  return {offset, length, 0, 0};
}

BlockPlace TraceFile::read_directory(const BlockPlace& directory) {
  const std::string content = frame(directory, "the directory");
  encoded_bytes_ += content.size();
  BlockPlace next{kHeaderBytes, 0, 0, 0};
  try {
    ByteReader in(content);
    const std::uint64_t count = in.varint("number of blocks", 1, content.size());
    blocks_.reserve(count);
    for (std::uint64_t i = 0; i < count; ++i) {
      next.warps = in.varint("number of warps of a block", 1, kMostBlockWarps);
      next.bytes = in.varint("length of a block", 1, directory.offset - next.offset);
      blocks_.push_back(next);
      next.offset += next.bytes;
      next.first_warp += next.warps;
    }
    next.bytes = in.varint("length of the tables", 1, directory.offset - next.offset);
    if (next.offset + next.bytes != directory.offset || in.left() != 0)
      throw Malformed{"the parts do not fill the file"};
  } catch (const Malformed& malformed) {
    refuse("the directory", directory.offset, malformed.what);
  }
  return next;
}

std::string TraceFile::frame(const BlockPlace& place, const std::string& part) const {
  try {
    if (place.bytes > kLargestFrame + kLargestFrame / 128)
      throw Malformed{fmt::format("is {} bytes long", place.bytes)};
    return decompress(file_.read(place.offset, place.bytes));
  } catch (const Malformed& malformed) {
    refuse(part, place.offset, malformed.what);
  }
  return {};
}

std::size_t TraceFile::block_of(std::uint64_t warp) const {
  const auto after = std::upper_bound(blocks_.begin(), blocks_.end(), warp,
                                      [](std::uint64_t w, const BlockPlace& place) { return w < place.first_warp; });
  return static_cast<std::size_t>(after - blocks_.begin()) - 1;
}

std::string TraceFile::content(std::size_t block) const {
  return frame(blocks_[block], fmt::format("block {}", block));
}

}  // namespace tilescope::trace
