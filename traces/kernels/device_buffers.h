// Addresses like those cudaMalloc hands out for large arrays: high, aligned to 2 MiB, one after the other with a gap.
#pragma once

#include <cstdint>

namespace tilescope {

class DeviceBuffers {
 public:
  static constexpr std::uint64_t kFirst = 0x7f0000000000;
  static constexpr std::uint64_t kAlignment = std::uint64_t{2} << 20U;

  // The base address of the next buffer of `bytes`.
  std::uint64_t allocate(std::int64_t bytes) {
    const std::uint64_t base = next_;
    next_ += (static_cast<std::uint64_t>(bytes) + kAlignment - 1) / kAlignment * kAlignment + kAlignment;
    return base;
  }

 private:
  std::uint64_t next_ = kFirst;
};

}  // namespace tilescope
