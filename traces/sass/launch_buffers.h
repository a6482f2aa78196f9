// The memory of a launch: buffers of their own for arguments, and named ones, at the addresses that the program had.
#pragma once

#include <yaml-cpp/yaml.h>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "models/support/yaml_section.h"
#include "traces/kernels/device_buffers.h"
#include "traces/sass/file_sizes.h"
#include "traces/sass/launch_facts.h"
#include "traces/sass/limits.h"
#include "traces/sass/memory_image.h"
#include "traces/sass/named_files.h"

namespace tilescope::sass {

class LaunchBuffers {
 public:
  // With `sizes`, files are measured and nothing is filled. All of them outlive this.
  LaunchBuffers(const NamedFiles& files, const Limits& limits, FileSizes* sizes, DeviceMemory& memory,
                Diagnostics& errors)
      : files_(files), limits_(limits), sizes_(sizes), memory_(memory), errors_(errors) {}

  // `buffers:`, before any argument: {a: {size: 4MiB, address: 0x7f0000000000, contents: [{at: 0, file: a.zst}]}}.
  // Those without an address lie like cudaMalloc's, away from those with one. None may lie over another.
  void read_section(const YAML::Node& section, const Place& place);

  // {buffer: 4MiB, name: a, init: zero}: a buffer of its own. Its address; nullopt once there are too many.
  std::optional<std::uint64_t> add(const YamlSection::Entry& size, YamlSection& section);

  // Of a buffer that was named before.
  const BufferFacts* find(const std::string& name) const;
  std::vector<std::string> names() const;

  // In the order of the file. REQUIRES: finish().
  const std::vector<BufferFacts>& facts() const { return facts_; }
  // Puts the memory's buffers in order.
  void finish();

 private:
  struct Part {                      // of a buffer's contents
    std::uint64_t at = 0, size = 0;  // byte, from the buffer's first
    std::string bytes;               // none where files are only measured
    Place place;
  };
  void error(const Place& place, const std::string& message) { errors_.push_back(place.error(about_ + message)); }
  void read_named(const YamlSection::Entry& entry, std::optional<std::uint64_t> address, std::uint64_t size);
  std::optional<std::uint64_t> address_in(const YamlSection::Entry& address, std::uint64_t size);
  void refuse_overlaps(const std::vector<Place>& places);
  std::uint64_t free_address(std::uint64_t size);
  bool count_addresses(std::uint64_t size, const Place& place);
  // `init`, `below`, `stride` and `file` of a buffer.
  void fill_as_said(YamlSection& section, DeviceBuffer& buffer, BufferFacts& facts);
  void load(const YamlSection::Entry& file, DeviceBuffer& buffer, BufferFacts& facts);
  void load_parts(const YamlSection::Entry& contents, const DeviceBuffer& buffer, BufferFacts& facts);
  void keep_parts(const DeviceBuffer& whole, std::vector<Part> parts);
  std::optional<Part> read_file(const YamlSection::Entry& file, std::uint64_t most);
  void fill(const YamlSection::Entry& init, const YamlSection::Entry* below, DeviceBuffer& buffer);
  void chain(const YamlSection::Entry* stride, const Place& place, DeviceBuffer& buffer);
  bool set_aside(std::uint64_t bytes, const Place& place);
  void keep(DeviceBuffer buffer, BufferFacts facts, const Place& name_place);

  const NamedFiles& files_;
  const Limits& limits_;
  FileSizes* sizes_;
  DeviceMemory& memory_;
  Diagnostics& errors_;
  std::string about_;  // what errors begin with: "args: " or "buffers.a: "
  DeviceBuffers addresses_;
  std::vector<std::pair<std::uint64_t, std::uint64_t>> fixed_;  // [first, end) of buffers with an address, in order
  std::vector<BufferFacts> facts_;
  std::map<std::string, std::size_t, std::less<>> by_name_;  // of facts_
  std::uint64_t filled_ = 0;                                 // byte of buffers with contents
  std::uint64_t addressed_ = 0;                              // byte of all buffers
};

}  // namespace tilescope::sass
