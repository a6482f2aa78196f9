// Which shape of the tables a recorded segment has; adds it when it is the first of its kind.
#pragma once

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "traces/file/trace_tables.h"

namespace tilescope::trace {

class ShapeFinder {
 public:
  // `tables` must outlive this.
  explicit ShapeFinder(Tables& tables) : tables_(tables) {}

  // `likely` is tried first. Throws Malformed for a segment that is empty, lies outside the code or lacks operands.
  std::uint32_t find(std::span<const Instruction> code, const Segment& segment, std::uint32_t likely);

 private:
  struct Id {
    std::uint32_t offset = 0, length = 0, key = 0;
    bool operator==(const Id&) const = default;
  };
  struct Hash {
    std::size_t operator()(const Id& id) const {
      return ((id.offset * 0x9E3779B97F4A7C15ULL + id.length) * 0x9E3779B97F4A7C15ULL + id.key) * 0x9E3779B97F4A7C15ULL;
    }
  };
  // Keys are renumbered in order of first use, because a kernel may give them out in the order of its threads.
  std::uint32_t renumbered(std::uint32_t key);

  Tables& tables_;
  std::unordered_map<Id, std::uint32_t, Hash> known_;  // by the kernel's keys
  std::vector<Id> ids_{Id{}};                          // by shape
  std::unordered_map<std::uint32_t, std::uint32_t> keys_{{0, 0}};
};

}  // namespace tilescope::trace
