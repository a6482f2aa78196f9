#include "contents.h"

#include <algorithm>
#include <numeric>
#include <string>

#include "zstd_frame.h"

namespace tilescope::capture {
namespace {

bool is_zero(std::string_view bytes) {
  return bytes.empty() || (bytes[0] == 0 && std::equal(bytes.begin() + 1, bytes.end(), bytes.begin()));
}

void mix(Hash& identity, std::uint64_t address, std::uint64_t at, const Hash& contents) {
  const std::uint64_t words[] = {identity.low, identity.high, address, at, contents.low, contents.high};
  identity = hash_bytes(words, sizeof words);
}

}  // namespace

std::vector<Stretch> stretches_of(std::string_view piece) {
  std::vector<Stretch> all;
  for (std::size_t at = 0; at < piece.size(); at += kChunk) {
    const std::string_view chunk = piece.substr(at, kChunk);
    if (is_zero(chunk)) continue;
    if (!all.empty() && all.back().end == at)
      all.back().end += chunk.size();
    else
      all.push_back({at, at + chunk.size()});
  }
  return all;
}

std::vector<Window> windows_within(const std::vector<Allocation>& places, const std::vector<std::uint64_t>& asked,
                                   std::uint64_t limit) {
  std::vector<Window> windows(places.size());
  std::vector<std::size_t> order(places.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return places[a].bytes < places[b].bytes; });
  for (std::size_t i = 0; i < order.size(); ++i) {
    const std::uint64_t size = places[order[i]].bytes, share = limit / (order.size() - i);
    Window& window = windows[order[i]];
    if (size <= share) {
      window = {0, size};
    } else {
      window.begin = std::min(asked[order[i]], size - share) / kChunk * kChunk;
      window.end = std::min(size, window.begin + share);
    }
    limit -= window.end - window.begin;
  }
  return windows;
}

void Contents::store(const BundleFiles& files, Buffer& buffer, const Window& window, const Copy& copy, const See& see,
                     Hash& identity) {
  std::string piece;
  for (std::uint64_t at = window.begin; at < window.end;) {
    const std::uint64_t next = std::min(window.end, (at / kPiece + 1) * kPiece);
    piece.resize(next - at);
    if (!copy(piece.data(), buffer.place.address + at, piece.size())) {
      buffer.left_out = "memory from byte " + std::to_string(at) + " on is not stored: it could not be copied";
      return;
    }
    see(piece);
    for (const Stretch& stretch : stretches_of(piece)) {
      const std::string_view bytes = std::string_view(piece).substr(stretch.begin, stretch.end - stretch.begin);
      const Hash hash = hash_bytes(bytes.data(), bytes.size());
      mix(identity, buffer.place.address, at + stretch.begin, hash);
      const std::string file = "memory/" + name_of(hash) + ".zst";
      if (stored_.insert(hash).second && !files.write(file, zstd_frame(bytes, 3))) {
        buffer.left_out = "memory from byte " + std::to_string(at) + " on is not stored: it could not be written";
        stored_.erase(hash);
        return;
      }
      buffer.contents.push_back({at + stretch.begin, "../" + file});
    }
    at = next;
  }
  if (window.begin != 0 || window.end != buffer.place.bytes)
    buffer.left_out = "memory is stored from byte " + std::to_string(window.begin) + " to " +
                      std::to_string(window.end) + " alone: the limit of a launch (--memory-limit) is met";
}

}  // namespace tilescope::capture
