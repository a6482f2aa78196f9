// An opened .tst file: its tables, and its blocks on demand. Immutable, so safe to use from several threads.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "traces/file/base_limit.h"
#include "traces/file/input_file.h"
#include "traces/file/trace_tables.h"

namespace tilescope::trace {

struct BlockPlace {
  std::uint64_t offset = 0;  // in the file, byte
  std::uint64_t bytes = 0;
  std::uint64_t first_warp = 0;  // CTA * warps per CTA + warp
  std::uint64_t warps = 0;
};

class TraceFile {
 public:
  // Reads header, trailer, directory and tables, and verifies the checksum and the list of warps of every block. Throws
  // TraceError.
  explicit TraceFile(const std::string& path);

  const std::string& path() const { return file_.path(); }
  std::uint64_t size() const { return file_.size(); }
  std::uint64_t encoded_bytes() const { return encoded_bytes_; }  // content of all frames
  std::uint64_t segments() const { return segments_; }            // as the blocks state them
  const Tables& tables() const { return tables_; }
  const std::vector<BaseLimit>& limits() const { return limits_; }  // by pattern
  const std::vector<BlockPlace>& blocks() const { return blocks_; }
  // The number of the block with this warp. REQUIRES: warp < tables().warps().
  std::size_t block_of(std::uint64_t warp) const;
  // A block's content. Throws TraceError when the file has changed since it was opened.
  std::string content(std::size_t block) const;

 private:
  void read_header() const;
  BlockPlace read_trailer() const;                         // where the directory lies
  BlockPlace read_directory(const BlockPlace& directory);  // where the tables lie
  void refuse_oversize(const BlockPlace& tables) const;
  void check_block(std::size_t number);
  std::string frame(const BlockPlace& place, const std::string& part) const;
  void refuse(const std::string& part, std::uint64_t byte, const std::string& message) const;

  InputFile file_;
  Tables tables_;
  std::vector<BaseLimit> limits_;
  std::vector<BlockPlace> blocks_;
  std::uint64_t encoded_bytes_ = 0;
  std::uint64_t segments_ = 0;
};

}  // namespace tilescope::trace
