#include "sim/studies/explain/access_words.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <optional>
#include <set>

#include "models/support/units.h"

namespace tilescope::explain {
namespace {

// Byte between neighbouring lanes; nullopt: not the same for all.
std::optional<std::int64_t> stride_of(const LanePattern& pattern) {
  std::optional<std::int64_t> stride;
  for (int lane = 1; lane < kLanes; ++lane) {
    if (!pattern.is_active(lane) || !pattern.is_active(lane - 1)) continue;
    const std::int64_t apart =
        pattern.offset[static_cast<std::size_t>(lane)] - pattern.offset[static_cast<std::size_t>(lane - 1)];
    if (stride && *stride != apart) return std::nullopt;
    stride = apart;
  }
  return stride;
}

}  // namespace

std::string name_of(AccessKind kind) {
  switch (kind) {
    case AccessKind::global_load:
      return "global load";
    case AccessKind::global_store:
      return "global store";
    case AccessKind::prefetch:
      return "prefetch";
    case AccessKind::shared_load:
      return "shared load";
    case AccessKind::shared_store:
      return "shared store";
    default:
      return "access";
  }
}

std::string capital(std::string sentence) {
  if (!sentence.empty()) sentence[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(sentence[0])));
  return sentence;
}

std::string why_lanes_collide(const SharedBanks& banks, const ExampleAccess& example, bool load) {
  std::size_t fullest = 0, words = 0, of_phase = 0, phases = 0;
  const auto all = banks.phases(example.pattern, load ? SharedOp::load : SharedOp::store, example.base);
  for (const BankPhase& phase : all) {
    ++phases;
    for (std::size_t bank = 0; bank < phase.words.size(); ++bank)
      if (phase.words[bank].size() > words) {
        words = phase.words[bank].size();
        fullest = bank;
        of_phase = phases;
      }
  }
  std::string text = fmt::format("{} words of bank {} are asked for at once{}", words, fullest,
                                 all.size() > 1 ? fmt::format(" (pass group {} of {})", of_phase, all.size()) : "");
  if (const auto stride = stride_of(example.pattern); stride && *stride > 0) {
    const std::int64_t row = std::int64_t{banks.banks()} * banks.bytes();
    std::int64_t apart = 1;  // lanes until the same bank comes again
    while (apart < kLanes && apart * *stride % row != 0) ++apart;
    text += apart < kLanes ? fmt::format(": neighbouring lanes are {} B apart, so {} a multiple of {} B apart", *stride,
                                         apart == 1 ? "all are" : fmt::format("every {} lanes are", apart), row)
                           : fmt::format(": neighbouring lanes are {} B apart", *stride);
  }
  return text + ".";
}

std::string why_sectors_are_wasted(const ExampleAccess& example, double used_pct) {
  std::set<std::uint64_t> lines;
  for (int lane = 0; lane < kLanes; ++lane)
    if (example.pattern.is_active(lane))
      lines.insert((example.base + static_cast<std::uint64_t>(example.pattern.offset[static_cast<std::size_t>(lane)])) /
                   static_cast<std::uint64_t>(kLineBytes));
  std::string text = fmt::format("A request touches {} sectors in {} line{} and uses {:.0f} % of their bytes",
                                 example.cost, lines.size(), lines.size() == 1 ? "" : "s", used_pct);
  if (const auto stride = stride_of(example.pattern); stride && *stride != example.pattern.bytes && *stride != 0)
    text += fmt::format(": neighbouring lanes are {} B apart and take {} B each", *stride, example.pattern.bytes);
  else if (example.base % static_cast<std::uint64_t>(kSectorBytes) != 0)
    text += fmt::format(": it begins {} B into a sector", example.base % static_cast<std::uint64_t>(kSectorBytes));
  return text + ".";
}

}  // namespace tilescope::explain
