#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "sim/results/views/bank_view.h"

namespace tilescope {
namespace {

constexpr const char* kRed = "\x1b[31m";
constexpr const char* kPlain = "\x1b[0m";

std::string plural(int count, const std::string& word) {
  return fmt::format("{} {}{}", count, word, count == 1 ? "" : "s");
}

std::string painted(const std::string& text, bool paint) { return paint ? kRed + text + kPlain : text; }

void trim(std::string& line) { line.erase(line.find_last_not_of(' ') + 1); }

std::string grid(const PhaseReport& phase, bool colour) {
  std::string text = "  bank    ";
  for (int bank = 0; bank < kBanks; ++bank)
    text += painted(fmt::format("{:>2} ", bank), colour && phase.banks[static_cast<std::size_t>(bank)].size() > 1);
  trim(text);
  text += "\n";
  for (int pass = 0; pass < phase.wavefronts; ++pass) {
    std::string line = fmt::format("  pass {:<3}", pass + 1);
    for (const auto& bank : phase.banks) {
      if (static_cast<std::size_t>(pass) >= bank.size()) {
        line += "   ";
        continue;
      }
      const BankWord& word = bank[static_cast<std::size_t>(pass)];
      line += painted(fmt::format("{:>2}{}", word.lanes.front(), word.lanes.size() > 1 ? "+" : " "),
                      colour && bank.size() > 1);
    }
    trim(line);
    text += line + "\n";
  }
  return text;
}

std::string lanes_of(const BankWord& word) {
  std::uint32_t lanes = 0;
  for (const int lane : word.lanes) lanes |= 1U << lane;
  return lane_ranges(lanes);
}

// Banks in which the same lanes collide are named together.
std::string collisions(const PhaseReport& phase) {
  std::vector<std::pair<std::string, std::uint32_t>> groups;
  for (std::size_t b = 0; b < phase.banks.size(); ++b) {
    if (phase.banks[b].size() < 2) continue;
    std::string lanes;
    for (const BankWord& word : phase.banks[b]) lanes += (lanes.empty() ? "" : " | ") + lanes_of(word);
    auto known = std::find_if(groups.begin(), groups.end(), [&](const auto& group) { return group.first == lanes; });
    if (known == groups.end()) known = groups.insert(groups.end(), {lanes, 0});
    known->second |= 1U << b;
  }
  std::string text;
  for (const auto& [lanes, banks] : groups)
    text += fmt::format("  collide in bank{} {}: lanes {}\n", std::has_single_bit(banks) ? "" : "s", lane_ranges(banks),
                        lanes);
  return text;
}

}  // namespace

std::string lane_ranges(std::uint32_t lanes) {
  std::string text;
  for (int from = 0; from < kLanes; ++from) {
    if ((lanes >> from & 1U) == 0) continue;
    int to = from;
    while (to + 1 < kLanes && (lanes >> (to + 1) & 1U) != 0) ++to;
    text += (text.empty() ? "" : " ") + (to == from ? std::to_string(from) : fmt::format("{}-{}", from, to));
    from = to;
  }
  return text;
}

std::string bank_table(const BankReport& report, bool colour) {
  int active = 0;
  for (const std::int64_t index : report.map) active += index == kInactive ? 0 : 1;
  const int conflicts = report.cost.wavefronts - report.cost.ideal;
  std::string text =
      fmt::format("{}-bit {}, {}: {}, ideal {}, {}\n", report.bytes * 8, report.op == SharedOp::load ? "load" : "store",
                  plural(active, "active lane"), plural(report.cost.wavefronts, "wavefront"), report.cost.ideal,
                  conflicts == 0 ? "no conflict" : plural(conflicts, "conflict"));
  for (std::size_t i = 0; i < report.phases.size(); ++i) {
    const PhaseReport& phase = report.phases[i];
    text += fmt::format("\nphase {} of {}: lanes {}, {}\n", i + 1, report.phases.size(), lane_ranges(phase.lanes),
                        plural(phase.wavefronts, "wavefront"));
    text += grid(phase, colour) + collisions(phase);
  }
  for (std::size_t i = 0; i < report.fixes.size(); ++i)
    text += (i == 0 ? "\nhint: " : "hint: ") + report.fixes[i].sentence() + "\n";
  if (!report.fixes.empty()) text += "      (for this access; every other access to the array changes with it)\n";
  return text;
}

}  // namespace tilescope
