// Records a kernel's whole instruction stream as a .tst trace.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iosfwd>

#include "models/isa/kernel.h"

namespace tilescope {

struct RecordOptions {
  int compression_level = 6;             // zstd's
  std::size_t block_bytes = 128 * 1024;  // before compression; what a reader decodes to reach one CTA
};

struct RecordTotals {
  std::uint64_t warps = 0;
  std::uint64_t segments = 0;
  std::uint64_t instructions = 0;  // warp instructions
  std::uint64_t operands = 0;
  std::uint64_t encoded_bytes = 0;  // before compression
  std::uint64_t file_bytes = 0;
};

// Walks every warp of every CTA in order, so the same kernel gives the same bytes (with one version of zstd).
// Memory: one block, the tables. Throws TraceError, named after the kernel, for a stream that breaks the contract of
// models/isa/kernel.h or a limit of the format, and std::ios_base::failure when `out` fails; what is in `out` then is
// no trace.
RecordTotals record_trace(const Kernel& kernel, std::ostream& out, const RecordOptions& options = {});

}  // namespace tilescope
