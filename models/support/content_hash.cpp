#include "models/support/content_hash.h"

#include <fmt/format.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <bit>

namespace tilescope {

struct ContentHash::State {
  XXH3_state_t xxh;
};

ContentHash::ContentHash() : state_(std::make_unique<State>()) { XXH3_128bits_reset(&state_->xxh); }
ContentHash::~ContentHash() = default;
ContentHash::ContentHash(ContentHash&&) noexcept = default;
ContentHash& ContentHash::operator=(ContentHash&&) noexcept = default;

void ContentHash::add(std::string_view bytes) {
  hand_on();
  XXH3_128bits_update(&state_->xxh, bytes.data(), bytes.size());
}

void ContentHash::hand_on() {
  static_assert(std::endian::native == std::endian::little, "numbers are hashed as they lie in memory");
  XXH3_128bits_update(&state_->xxh, numbers_.data(), waiting_ * sizeof(std::uint64_t));
  waiting_ = 0;
}

ContentHash::Digest ContentHash::digest() {
  hand_on();
  const XXH128_hash_t hash = XXH3_128bits_digest(&state_->xxh);
  return {hash.high64, hash.low64};
}

std::string ContentHash::text() {
  const Digest hash = digest();
  return fmt::format("{:016x}{:016x}", hash[0], hash[1]);
}

std::uint64_t short_hash(std::string_view bytes) { return XXH3_64bits(bytes.data(), bytes.size()); }

}  // namespace tilescope
