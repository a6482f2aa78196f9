#include "models/replacement/chosen.h"

namespace tilescope {
namespace {

enum Name : std::size_t { nru_first, nru_random, lru, random_way };

}  // namespace

const std::vector<std::string>& ChosenReplacement::names() {
  static const std::vector<std::string> all = {"nru_first", "nru_random", "lru", "random"};
  return all;
}

ChosenReplacement::Policy ChosenReplacement::made(std::size_t policy, std::size_t sets, std::size_t ways) {
  switch (policy) {
    case lru:
      return LeastRecentlyUsed(sets, ways);
    case random_way:
      return RandomChoice(sets, ways);
    case nru_random:
      return NotRecentlyUsed(sets, ways, NotRecentlyUsed::Victim::random);
    case nru_first:
    default:
      return NotRecentlyUsed(sets, ways, NotRecentlyUsed::Victim::first);
  }
}

}  // namespace tilescope
