#include <algorithm>

#include "device_probe.cuh"
#include "homes.h"

namespace tilescope::gpu {
namespace {

constexpr unsigned kFarAtomic = 360;  // cycles; near ones take 280, far ones 440

// Least cycles of atomics on the first place, from one SM.
__global__ void time_sm(unsigned* data, int sm, int* claims, unsigned* least) {
  if (claim_sm(sm, 1, claims) < 0) {
    return;
  }
  for (int i = 0; i < 16; ++i) {
    atomicMin(&least[sm], timed_atomic(data));
  }
}

// Of each place, from one SM.
__global__ void time_places(unsigned* data, unsigned places, int sm, int* claims, unsigned* least) {
  if (claim_sm(sm, 1, claims) < 0) {
    return;
  }
  for (unsigned place = threadIdx.x / 32; place < places; place += blockDim.x / 32) {
    if (threadIdx.x % 32 == 0) {
      unsigned* const word = data + static_cast<std::size_t>(place) * (kPlace / 4);
      unsigned shortest = timed_atomic(word);
      for (int i = 0; i < 3; ++i) {
        shortest = min(shortest, timed_atomic(word));
      }
      least[place] = shortest;
    }
  }
}

}  // namespace

const char* name_of(Whose whose) { return whose == Whose::own ? "own" : whose == Whose::other ? "other" : "both"; }

Homes find_homes(unsigned* data, std::size_t bytes) {
  const int sms = sm_count();
  const auto places = static_cast<unsigned>(bytes / kPlace);
  const Recorder<unsigned> sm_times(std::vector<unsigned>(sms, ~0U));
  Recorder<int> claims(1);
  for (int sm = 0; sm < sms; ++sm) {
    claims.clear();
    time_sm<<<4 * sms, 1>>>(data, sm, claims.device(), sm_times.device());
  }
  finish("time_sm");
  Homes homes;
  int near_sm = 0;
  for (const unsigned time : sm_times.host()) {
    homes.of_sm.push_back(time > kFarAtomic ? 1 : 0);
    if (homes.of_sm.back() == 0) {
      near_sm = static_cast<int>(homes.of_sm.size()) - 1;
    }
  }
  claims.clear();
  const Recorder<unsigned> place_times(places);
  time_places<<<4 * sms, 256>>>(data, places, near_sm, claims.device(), place_times.device());
  finish("time_places");
  for (const unsigned time : place_times.host()) {
    const int home = time > kFarAtomic ? 1 : 0;
    homes.places[home].push_back(static_cast<unsigned>(homes.of_place.size()));
    homes.of_place.push_back(home);
  }
  return homes;
}

std::vector<unsigned> lists_of_places(const Homes& homes, Whose whose, int count, std::size_t from) {
  std::size_t next[2] = {from, from};
  std::vector<unsigned> all;
  for (const int partition : homes.of_sm) {
    for (int i = 0; i < count; ++i) {
      const int home = whose == Whose::both ? i % 2 : partition ^ (whose == Whose::other ? 1 : 0);
      all.push_back(homes.places[home].at(next[home]++));
    }
  }
  return all;
}

std::vector<unsigned> lists_beside_home(const Homes& homes, const std::vector<unsigned>& places, int count) {
  std::vector<unsigned> of_home[2];
  for (const unsigned place : places) {
    of_home[homes.of_place[place]].push_back(place);
  }
  const auto first = static_cast<std::size_t>(std::count(homes.of_sm.begin(), homes.of_sm.end(), 0));
  const std::size_t beside[2] = {first, homes.of_sm.size() - first};
  std::size_t rank[2] = {0, 0};
  std::vector<unsigned> all;
  for (const int home : homes.of_sm) {
    const std::vector<unsigned>& list = of_home[home];
    for (int i = 0; i < count; ++i) {
      const std::size_t at = static_cast<std::size_t>(i) * beside[home] + rank[home];
      all.push_back(list.empty() ? places.front() : list[at % list.size()]);
    }
    ++rank[home];
  }
  return all;
}

}  // namespace tilescope::gpu
