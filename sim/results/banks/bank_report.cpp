#include "sim/results/banks/bank_report.h"

#include <algorithm>

namespace tilescope {
namespace {

PhaseReport phase_report(const BankPhase& phase, const LaneMap& map, int bytes) {
  PhaseReport report{phase.lanes, phase.wavefronts, {}};
  for (int lane = 0; lane < kLanes; ++lane) {
    if ((phase.lanes >> lane & 1U) == 0) continue;
    const std::int64_t first = map[static_cast<std::size_t>(lane)] * (bytes / kBankBytes);
    for (std::int64_t word = first; word < first + bytes / kBankBytes; ++word) {
      auto& bank = report.banks[static_cast<std::size_t>(word % kBanks)];
      auto known = std::find_if(bank.begin(), bank.end(), [word](const BankWord& one) { return one.word == word; });
      if (known == bank.end()) known = bank.insert(bank.end(), BankWord{word, {}});
      known->lanes.push_back(lane);
    }
  }
  return report;
}

}  // namespace

BankReport bank_report(const LaneMap& map, int bytes, SharedOp op) {
  BankReport report;
  report.map = map;
  report.bytes = bytes;
  report.op = op;
  const BasedPattern based = pattern_of(map, bytes);
  report.cost = SharedBanks().cost(based.pattern, op);
  for (const BankPhase& phase : SharedBanks().phases(based.pattern, op, based.base))
    report.phases.push_back(phase_report(phase, map, bytes));
  return report;
}

}  // namespace tilescope
