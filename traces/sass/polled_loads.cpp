#include "traces/sass/polled_loads.h"

#include <algorithm>
#include <array>

namespace tilescope::sass {
namespace {

// Of loads that may bring a value from another CTA.
class Repeats {
 public:
  Repeats(const std::vector<Decoded>& code, const Successors& successors, const Slice& slice)
      : code_(code), successors_(successors), loads_(code.size()) {
    for (std::size_t i = 0; i < code.size(); ++i)
      loads_[i] = slice.executed[i] && receives(code[i]) && code[i].access.kind == MemoryKind::load;
  }

  // Does control come from this load to one of the same address, past nothing that changes what the address is made of?
  bool found(std::uint32_t load) const {
    if (!loads_[load] || changes_address(load, load)) return false;
    std::vector<bool> seen(code_.size());
    std::vector<std::uint32_t> open = successors_.of[load];
    while (!open.empty()) {
      const std::uint32_t i = open.back();
      open.pop_back();
      if (loads_[i] && same_address(i, load)) return true;
      if (seen[i] || changes_address(i, load)) continue;
      seen[i] = true;
      open.insert(open.end(), successors_.of[i].begin(), successors_.of[i].end());
    }
    return false;
  }

 private:
  bool same_address(std::uint32_t one, std::uint32_t other) const {
    return code_[one].access.at.offset == code_[other].access.at.offset && address(one) == address(other);
  }
  bool changes_address(std::uint32_t i, std::uint32_t load) const {
    const auto parts = address(load);
    return std::any_of(code_[i].defines.begin(), code_[i].defines.end(), [&](RegisterId id) {
      return !is_zero(id) && std::find(parts.begin(), parts.end(), static_cast<std::int32_t>(id)) != parts.end();
    });
  }
  std::array<std::int32_t, 4> address(std::uint32_t load) const {
    const AddressRule& at = code_[load].access.at;
    return {at.low, at.high, at.uniform_low, at.uniform_high};
  }

  const std::vector<Decoded>& code_;
  const Successors& successors_;
  std::vector<bool> loads_;
};

}  // namespace

std::vector<bool> polled_loads(const std::vector<Decoded>& code, const Successors& successors, const Slice& slice) {
  const Repeats repeats(code, successors, slice);
  std::vector<bool> polled(code.size());
  for (std::uint32_t i = 0; i < code.size(); ++i) polled[i] = repeats.found(i);
  return polled;
}

}  // namespace tilescope::sass
