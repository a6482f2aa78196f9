// Device-visible memory of a program, by address, as its allocation calls told.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <utility>

namespace tilescope::capture {

struct Allocation {
  std::uint64_t address = 0, bytes = 0;
};

class Allocations {
 public:
  void add(std::uint64_t address, std::uint64_t bytes);
  void remove(std::uint64_t address) { whole_.erase(address); }
  // Mapped parts of a reserved range: neighbours are one allocation.
  void map(std::uint64_t address, std::uint64_t bytes);
  void unmap(std::uint64_t address, std::uint64_t bytes);
  // The one that holds the address.
  std::optional<Allocation> find(std::uint64_t address) const;
  // All allocations that there ever were lie in it.
  std::pair<std::uint64_t, std::uint64_t> range() const { return range_; }

 private:
  void reach(std::uint64_t address, std::uint64_t bytes);

  std::pair<std::uint64_t, std::uint64_t> range_{~std::uint64_t{0}, 0};
  std::map<std::uint64_t, std::uint64_t> whole_, mapped_;  // address -> bytes
};

}  // namespace tilescope::capture
