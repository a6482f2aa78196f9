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
  void map(std::uint64_t address, std::uint64_t bytes) { mapped_[address] = bytes; }
  void unmap(std::uint64_t address, std::uint64_t bytes);
  // The one that holds the address.
  std::optional<Allocation> find(std::uint64_t address) const;
  // From the lowest address to the end of the highest.
  std::pair<std::uint64_t, std::uint64_t> range() const;

 private:
  std::map<std::uint64_t, std::uint64_t> whole_, mapped_;  // address -> bytes
};

}  // namespace tilescope::capture
