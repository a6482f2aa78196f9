#include "hash.h"

#include <cstdio>
#include <cstring>

namespace tilescope::capture {
namespace {

constexpr std::uint64_t kFirst = 0x87c37b91114253d5, kSecond = 0x4cf5ad432745937f;

std::uint64_t rotate(std::uint64_t value, int bits) { return (value << bits) | (value >> (64 - bits)); }

std::uint64_t finish(std::uint64_t value) {
  value = (value ^ (value >> 33)) * 0xff51afd7ed558ccd;
  value = (value ^ (value >> 33)) * 0xc4ceb9fe1a85ec53;
  return value ^ (value >> 33);
}

}  // namespace

Hash hash_bytes(const void* bytes, std::size_t count, std::uint64_t seed) {
  const auto* from = static_cast<const unsigned char*>(bytes);
  std::uint64_t low = seed, high = seed;
  std::size_t left = count;
  for (; left >= 16; left -= 16, from += 16) {
    std::uint64_t words[2];
    std::memcpy(words, from, 16);
    low ^= rotate(words[0] * kFirst, 31) * kSecond;
    low = (rotate(low, 27) + high) * 5 + 0x52dce729;
    high ^= rotate(words[1] * kSecond, 33) * kFirst;
    high = (rotate(high, 31) + low) * 5 + 0x38495ab5;
  }
  std::uint64_t words[2] = {0, 0};
  std::memcpy(words, from, left);
  low ^= rotate(words[0] * kFirst, 31) * kSecond;
  high ^= rotate(words[1] * kSecond, 33) * kFirst;
  low ^= count;
  high ^= count;
  low += high;
  high += low;
  low = finish(low);
  high = finish(high);
  low += high;
  high += low;
  return {low, high};
}

std::string name_of(const Hash& hash) {
  char text[17];
  std::snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(hash.low));
  return text;
}

}  // namespace tilescope::capture
