#include "traces/sass/call_returns.h"

#include "traces/sass/linked_code.h"

namespace tilescope::sass {
namespace {

// What a call executes until it returns; calls within are part of it.
struct Called {
  std::vector<std::uint32_t> returns;
  Registers changed;
  bool known = true;  // it jumps nowhere but back
};

Called called_at(std::uint32_t first, const std::vector<Decoded>& code, const Successors& successors) {
  Called called;
  std::vector<bool> seen(code.size());
  std::vector<std::uint32_t> open = {first};
  seen[first] = true;
  while (!open.empty()) {
    const std::uint32_t i = open.back();
    open.pop_back();
    for (const RegisterId id : code[i].defines)
      if (id < kP0) called.changed.set(id);
    if (code[i].returns) called.returns.push_back(i);
    if (successors.jumps[i] && !code[i].returns) called.known = false;
    const auto go = [&](std::uint32_t next) {
      if (next < code.size() && !seen[next]) open.push_back(next);
      if (next < code.size()) seen[next] = true;
    };
    for (const std::uint32_t next : successors.of[i]) go(next);
    if (code[i].flow == Flow::call) go(i + 1);
  }
  return called;
}

}  // namespace

CallReturns find_call_returns(const std::vector<Decoded>& code, const Successors& successors) {
  CallReturns found;
  std::map<std::uint32_t, Called> called;  // by the place of its first instruction
  for (std::uint32_t i = 0; i < code.size(); ++i) {
    const std::uint32_t place = code[i].target / kInstructionBytes;
    if (code[i].flow != Flow::call || i + 1 == code.size() || place >= code.size()) continue;
    auto known = called.find(place);
    if (known == called.end()) known = called.emplace(place, called_at(place, code, successors)).first;
    if (!known->second.known) continue;
    found.calls[i] = known->second.changed;
    for (const std::uint32_t at : known->second.returns) {
      found.returns[at].places.push_back(i + 1);
      found.returns[at].changed |= known->second.changed;
    }
  }
  for (const auto& [place, one] : called)
    if (!one.known)
      for (const std::uint32_t at : one.returns) found.returns.erase(at);
  return found;
}

}  // namespace tilescope::sass
