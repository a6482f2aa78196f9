#include "models/support/compressed_file.h"

#include <fmt/core.h>
#include <zstd.h>

#include <memory>
#include <new>
#include <vector>

#include "models/support/text_file.h"

namespace tilescope {
namespace {

// Hands the contents to `take`, part by part. Returns what is wrong, or nothing.
template <class Take>
std::string decompress(const std::string& frames, std::size_t most_bytes, Take take) {
  const std::unique_ptr<ZSTD_DCtx, decltype(&ZSTD_freeDCtx)> context(ZSTD_createDCtx(), &ZSTD_freeDCtx);
  if (context == nullptr) throw std::bad_alloc();
  std::vector<char> part(ZSTD_DStreamOutSize());
  ZSTD_inBuffer in{frames.data(), frames.size(), 0};
  std::size_t size = 0, expected = 1;  // of the frame at hand; 0: it has ended
  while (in.pos < in.size || expected != 0) {
    const std::size_t before = in.pos;
    ZSTD_outBuffer out{part.data(), part.size(), 0};
    expected = ZSTD_decompressStream(context.get(), &out, &in);
    if (ZSTD_isError(expected) != 0) return std::string("is damaged: ") + ZSTD_getErrorName(expected);
    size += out.pos;
    if (size > most_bytes)
      return fmt::format("is too large; must have at most {} bytes when it is decompressed", most_bytes);
    take(part.data(), out.pos);
    if (expected != 0 && in.pos == before && out.pos == 0) return "is damaged: its last zstd frame ends early";
  }
  return {};
}

bool is_compressed(const std::string& path) { return path.ends_with(".zst"); }

// The frames of what cannot be compressed are a little larger than it.
std::size_t most_compressed(std::size_t most_bytes) {
  constexpr std::size_t kHeaders = 4096, kShare = 64;
  return most_bytes + most_bytes / kShare + kHeaders;
}

}  // namespace

tl::expected<std::string, Diagnostic> read_compressed_file(const std::string& path, std::size_t most_bytes) {
  if (!is_compressed(path)) return read_text_file(path, most_bytes);
  auto text = read_text_file(path, most_compressed(most_bytes));
  if (!text) return text;
  std::string contents;
  std::string problem = decompress(
      *text, most_bytes, [&contents](const char* bytes, std::size_t count) { contents.append(bytes, count); });
  if (!problem.empty()) return tl::unexpected(Diagnostic{path, 0, 0, std::move(problem)});
  return contents;
}

tl::expected<std::uint64_t, Diagnostic> measure_compressed_file(const std::string& path, std::size_t most_bytes) {
  const bool compressed = is_compressed(path);
  const auto text = read_text_file(path, compressed ? most_compressed(most_bytes) : most_bytes);
  if (!text) return tl::unexpected(text.error());
  if (!compressed) return text->size();
  std::uint64_t size = 0;
  std::string problem = decompress(*text, most_bytes, [&size](const char*, std::size_t count) { size += count; });
  if (!problem.empty()) return tl::unexpected(Diagnostic{path, 0, 0, std::move(problem)});
  return size;
}

}  // namespace tilescope
