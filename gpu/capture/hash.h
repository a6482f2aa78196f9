// A 128-bit hash (MurmurHash3, x64, 128 bit; Austin Appleby, public domain) that names contents and tells launches
// apart.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>

namespace tilescope::capture {

struct Hash {
  std::uint64_t low = 0, high = 0;
  bool operator==(const Hash& other) const { return low == other.low && high == other.high; }
};

Hash hash_bytes(const void* bytes, std::size_t count, std::uint64_t seed = 0);

// 16 hexadecimal digits: enough for names of files in one bundle.
std::string name_of(const Hash& hash);

}  // namespace tilescope::capture

template <>
struct std::hash<tilescope::capture::Hash> {
  std::size_t operator()(const tilescope::capture::Hash& hash) const { return hash.low; }
};
