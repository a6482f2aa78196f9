#include "traces/file/frame.h"

#include <zstd.h>

#include <memory>
#include <new>

#include "traces/file/bytes.h"
#include "traces/file/trace_format.h"

namespace tilescope::trace {

std::string compress(std::string_view content, int level) {
  if (content.size() > kLargestFrame)
    throw Malformed{"needs " + std::to_string(content.size()) + " bytes; a part of a trace holds at most " +
                    std::to_string(kLargestFrame)};
  const std::unique_ptr<ZSTD_CCtx, decltype(&ZSTD_freeCCtx)> context(ZSTD_createCCtx(), &ZSTD_freeCCtx);
  if (context == nullptr) throw std::bad_alloc();
  ZSTD_CCtx_setParameter(context.get(), ZSTD_c_compressionLevel, level);
  ZSTD_CCtx_setParameter(context.get(), ZSTD_c_checksumFlag, 1);
  std::string frame(ZSTD_compressBound(content.size()), '\0');
  const std::size_t size = ZSTD_compress2(context.get(), frame.data(), frame.size(), content.data(), content.size());
  if (ZSTD_isError(size) != 0) throw Malformed{std::string("cannot be compressed: ") + ZSTD_getErrorName(size)};
  frame.resize(size);
  return frame;
}

std::string decompress(std::string_view frame) {
  constexpr unsigned checksum_flag = 4;  // of the frame header's descriptor, the byte after the frame's magic
  constexpr std::size_t descriptor = 4;
  const std::size_t length = ZSTD_findFrameCompressedSize(frame.data(), frame.size());
  if (ZSTD_isError(length) != 0 || length != frame.size()) throw Malformed{"is damaged: not one whole zstd frame"};
  const std::uint64_t size = content_size(frame);
  if ((static_cast<unsigned char>(frame[descriptor]) & checksum_flag) == 0) throw Malformed{"is damaged: no checksum"};
  std::string content(size, '\0');
  const std::size_t made = ZSTD_decompress(content.data(), content.size(), frame.data(), frame.size());
  if (ZSTD_isError(made) != 0) throw Malformed{std::string("is damaged: ") + ZSTD_getErrorName(made)};
  if (made != size) throw Malformed{"is damaged: its content is shorter than stated"};
  return content;
}

std::uint64_t content_size(std::string_view begin) {
  const unsigned long long size = ZSTD_getFrameContentSize(begin.data(), begin.size());
  if (size > kLargestFrame) throw Malformed{"is damaged: no acceptable content size"};  // also "unknown" and "error"
  return size;
}

}  // namespace tilescope::trace
