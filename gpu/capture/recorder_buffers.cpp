// The recorder's part for what arguments point to: allocations that it has seen, and those that the driver knows.
#include "recorder.h"

namespace tilescope::capture {
namespace {

constexpr std::size_t kMostStrangers = 1 << 16;
constexpr unsigned kRegionBits = 21;  // memory that other processes share comes in pages of 2 MiB

}  // namespace

// Addresses that lie in memory whose allocation was seen; the others in `unknown`, unless their region is known to be
// none of the device.
void Recorder::find_buffers(const std::vector<PossibleAddress>& addresses, Buffers& buffers,
                            std::vector<PossibleAddress>& unknown) const {
  const auto [low, high] = allocations_.range();
  for (const PossibleAddress& possible : addresses) {
    const std::uint64_t address = possible.value;
    if (address >= low && address < high) {
      if (const auto place = allocations_.find(address)) {
        buffers.try_emplace(place->address).first->second.place = *place;
        continue;
      }
    }
    if (address >> 32U != 0 && strangers_.count(address >> kRegionBits) == 0) unknown.push_back(possible);
  }
}

// Those that the driver knows join `buffers`; returns the others. Called without the lock.
std::vector<PossibleAddress> Recorder::ask_for_buffers(const std::vector<PossibleAddress>& unknown,
                                                       Buffers& buffers) const {
  std::vector<PossibleAddress> strangers;
  for (const PossibleAddress& possible : unknown) {
    CUdeviceptr begin = 0;
    std::size_t bytes = 0;
    if (driver_.address_range != nullptr && driver_.address_range(&begin, &bytes, possible.value) == CUDA_SUCCESS &&
        bytes > 0)
      buffers[begin].place = {begin, bytes};
    else
      strangers.push_back(possible);
  }
  return strangers;
}

// What the driver did not know, of arguments of this kernel.
void Recorder::remember(const std::vector<PossibleAddress>& strangers, Kernel& kernel) {
  if (strangers_.size() > kMostStrangers) strangers_.clear();
  for (const PossibleAddress& stranger : strangers) {
    strangers_.insert(stranger.value >> kRegionBits);
    kernel.was_no_address(stranger.at);
  }
}

}  // namespace tilescope::capture
