// Memory contents, for loads whose values matter: the launch's buffers, what the running CTA wrote over them, and its
// shared memory.
//
// A CTA sees the buffers as the launch file filled them and its own writes, never those of another CTA: results do not
// depend on the order in which CTAs run. An executor of the whole grid (execute_grid) lets all CTAs write into one
// image instead, in order.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

namespace tilescope::sass {

// One buffer of the launch. Contents beyond `bytes.size()` are zero.
struct DeviceBuffer {
  std::uint64_t base = 0;
  std::uint64_t size = 0;  // byte
  std::vector<std::uint8_t> bytes;
};

// The memory of the device at the start of the launch. Not changed while CTAs run from several threads.
struct DeviceMemory {
  std::vector<DeviceBuffer> buffers;  // by base

  const DeviceBuffer* find(std::uint64_t address, std::uint64_t bytes) const;
};

class CtaMemory {
 public:
  // `shared`: byte. With `write_through`, global writes change `device` itself.
  CtaMemory(DeviceMemory& device, std::size_t shared, bool write_through)
      : device_(&device), write_through_(write_through), shared_(shared) {}

  // Little-endian, up to 16 byte. Outside every buffer: zeros are read, writes are dropped (false is returned).
  bool read_global(std::uint64_t address, void* to, std::size_t bytes) const;
  bool write_global(std::uint64_t address, const void* from, std::size_t bytes);
  bool read_shared(std::uint32_t address, void* to, std::size_t bytes) const;
  bool write_shared(std::uint32_t address, const void* from, std::size_t bytes);
  void clear();

 private:
  static constexpr std::uint64_t kPage = 4096;
  using Page = std::vector<std::uint8_t>;
  Page& page_of(std::uint64_t address);

  DeviceMemory* device_;
  bool write_through_;
  std::vector<std::uint8_t> shared_;
  std::unordered_map<std::uint64_t, Page> written_;  // by page number
};

}  // namespace tilescope::sass
