// Which partition of L2 each SM sits beside, and which one is home to each 4 KiB of a buffer. Atomics are done at home,
// so how long they take tells.
#pragma once

#include <cstddef>
#include <vector>

namespace tilescope::gpu {

constexpr unsigned kPlace = 4096;  // bytes, which have one home

struct Homes {
  std::vector<int> of_sm;           // partition, 0: where the first place is at home
  std::vector<int> of_place;        // partition
  std::vector<unsigned> places[2];  // by partition, in ascending order
};

// Places of an SM: at home in its partition, in the other one, in either in turn.
enum class Whose { own, other, both };
const char* name_of(Whose whose);

// Of a buffer of `bytes`.
Homes find_homes(unsigned* data, std::size_t bytes);

// `count` places of each SM, one SM after the other, from the place `from` of each home's list on, each in one SM's
// list only.
std::vector<unsigned> lists_of_places(const Homes& homes, Whose whose, int count, std::size_t from);

// The same `places`, in lists of `count` for each SM, one SM after the other, of places whose home is the SM's own
// partition: SMs that read theirs bring them there and nowhere else. Shorter ones begin again; an SM beside which there
// is no home of any has the first place.
std::vector<unsigned> lists_beside_home(const Homes& homes, const std::vector<unsigned>& places, int count);

}  // namespace tilescope::gpu
