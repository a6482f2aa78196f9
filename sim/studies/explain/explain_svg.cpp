#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "models/shared_banks.h"
#include "models/support/units.h"
#include "sim/results/views/number_text.h"
#include "sim/results/views/svg_picture.h"
#include "sim/studies/explain/access_words.h"
#include "sim/studies/explain/explain_view.h"

namespace tilescope::explain {
namespace {

constexpr double kMargin = 30, kCell = 14, kGridLeft = 70, kWide = 960;
constexpr const char *kFirst = "#2f66b0", *kNeedless = "#f3d9ce";
// Passes of a bank beyond its first, the later the darker.
constexpr std::array<const char*, 4> kLater = {"#f2a98f", "#e5734f", "#c9461f", "#8f2a0d"};

const char* colour_of(std::size_t pass, std::size_t passes) {
  if (pass == 0) return kFirst;
  return kLater[std::min(kLater.size() - 1, (pass - 1) * kLater.size() / std::max<std::size_t>(1, passes - 1))];
}

// Lanes down, banks across; the colour is the pass in which a word is served.
double bank_picture(SvgPicture& picture, const ExampleAccess& example, bool load, double y) {
  const SharedBanks banks;
  const double left = kGridLeft, top = y + 20;
  for (int bank = 0; bank < banks.banks(); bank += 4)
    picture.text(left + kCell * (bank + 0.5), y + 14, fmt::format("{}", bank),
                 {.size = 10, .anchor = "middle", .fill = kPaleInk});
  for (int lane = 0; lane < kLanes; lane += 4)
    picture.text(left - 8, top + kCell * (lane + 0.8), fmt::format("{}", lane),
                 {.size = 10, .anchor = "end", .fill = kPaleInk});
  picture.box(left, top, kCell * banks.banks(), kCell * kLanes, kPanel, "#c5cedb");
  std::size_t passes = 1;
  const auto phases = banks.phases(example.pattern, load ? SharedOp::load : SharedOp::store, example.base);
  for (const BankPhase& phase : phases)
    for (const auto& words : phase.words) passes = std::max(passes, words.size());
  for (const BankPhase& phase : phases) {
    for (int lane = 0; lane < kLanes; ++lane) {
      if ((phase.lanes >> static_cast<unsigned>(lane) & 1U) == 0) continue;
      const std::int64_t at =
          static_cast<std::int64_t>(example.base) + example.pattern.offset[static_cast<std::size_t>(lane)];
      for (std::int64_t word = at / banks.bytes(); word <= (at + example.pattern.bytes - 1) / banks.bytes(); ++word) {
        const auto bank = static_cast<std::size_t>(word % banks.banks());
        for (const auto& words : phase.words) {
          const auto found = std::find(words.begin(), words.end(), word);
          if (found == words.end()) continue;
          const auto pass = static_cast<std::size_t>(found - words.begin());
          picture.box(left + kCell * static_cast<double>(bank), top + kCell * lane, kCell - 1, kCell - 1,
                      colour_of(pass, passes), "none", 0,
                      fmt::format("lane {}, bank {}, pass {}", lane, bank, pass + 1));
        }
      }
    }
  }
  const double x = left + kCell * banks.banks() + 24;
  picture.text(x, top + 14, "banks across, lanes down", {.fill = kPaleInk});
  picture.box(x, top + 26, 10, 10, kFirst);
  picture.text(x + 16, top + 35, "served in the first pass of its bank");
  picture.box(x, top + 44, 10, 10, kLater[1]);
  picture.text(x + 16, top + 53, "waits for a later one, the later the darker");
  return 20 + kCell * kLanes + 16;
}

// Lines down, words across.
double line_picture(SvgPicture& picture, const ExampleAccess& example, double y) {
  std::map<std::uint64_t, std::pair<std::set<std::uint64_t>, std::set<std::uint64_t>>> lines;  // words, sectors
  const auto line_bytes = static_cast<std::uint64_t>(kLineBytes);
  for (int lane = 0; lane < kLanes; ++lane) {
    if (!example.pattern.is_active(lane)) continue;
    const std::uint64_t from =
        example.base + static_cast<std::uint64_t>(example.pattern.offset[static_cast<std::size_t>(lane)]);
    for (std::uint64_t at = from / 4 * 4; at < from + example.pattern.bytes; at += 4) {
      lines[at / line_bytes].first.insert(at % line_bytes / 4);
      lines[at / line_bytes].second.insert(at % line_bytes / static_cast<std::uint64_t>(kSectorBytes));
    }
  }
  const double left = kGridLeft, top = y + 6;
  double row = 0;
  for (const auto& [line, touched] : lines) {
    picture.text(left - 8, top + kCell * (row + 0.8), fmt::format("line {}", static_cast<int>(row) + 1),
                 {.size = 10, .anchor = "end", .fill = kPaleInk});
    for (std::uint64_t word = 0; word < line_bytes / 4; ++word) {
      const std::uint64_t sector = word / 8;
      picture.box(left + kCell * static_cast<double>(word) + 4 * static_cast<double>(sector), top + kCell * row,
                  kCell - 1, kCell - 1,
                  touched.first.contains(word)      ? kFirst
                  : touched.second.contains(sector) ? kNeedless
                                                    : kPanel);
    }
    row += 1;
  }
  const double x = left + kCell * 32 + 36;
  picture.box(x, top, 10, 10, kFirst);
  picture.text(x + 16, top + 10, "asked for by a lane");
  picture.box(x, top + 18, 10, 10, kNeedless);
  picture.text(x + 16, top + 28, "fetched with it");
  return 6 + kCell * std::max(row, 3.0) + 16;
}

double height_of(const Finding& finding) {
  if (finding.problem == Problem::bank_conflicts) return 36 + kCell * kLanes;
  std::set<std::uint64_t> lines;
  for (int lane = 0; lane < kLanes; ++lane)
    if (finding.example->pattern.is_active(lane))
      lines.insert((finding.example->base +
                    static_cast<std::uint64_t>(finding.example->pattern.offset[static_cast<std::size_t>(lane)])) /
                   static_cast<std::uint64_t>(kLineBytes));
  return 22 + kCell * std::max(static_cast<double>(lines.size()) + 1, 3.0);
}

std::string clipped(const std::string& text) { return text.size() > 140 ? text.substr(0, 137) + "..." : text; }

// What the best fix, else the bound, brings.
std::string outcome_text(const Finding& finding) {
  for (const Trial& fix : finding.fixes)
    if (fix.verdict == Verdict::worth_it)
      return fmt::format("{}: {} cycles, {:.1f} % fewer", fix.what, grouped(fix.cycles), fix.saved_pct);
  if (finding.bound)
    return fmt::format("{}: {} cycles, at most {:.1f} % fewer", finding.bound->what, grouped(finding.bound->cycles),
                       finding.bound->saved_pct);
  return finding.unproved;
}

}  // namespace

std::string explain_svg(const Explanation& all) {
  std::vector<const Finding*> drawn;
  for (const Finding& finding : all.findings)
    if (finding.example) drawn.push_back(&finding);
  double height = 84;
  for (const Finding* finding : drawn) height += 86 + height_of(*finding);
  SvgPicture picture(kWide, std::max(height, 120.0));
  picture.text(kMargin, 32, clipped(all.kernel + " on " + all.result.gpu), {.size = 18, .bold = true});
  picture.text(kMargin, 54,
               fmt::format("{} cycles; {}", grouped(all.result.metric("gpc__cycles_elapsed.max").value_or(0)),
                           all.result.bottleneck ? clipped(all.result.bottleneck->reason) : ""),
               {.fill = kPaleInk});
  if (drawn.empty()) picture.text(kMargin, 90, "no access to shared or global memory costs more than it need");
  double y = 84;
  for (const Finding* finding : drawn) {
    picture.text(kMargin, y + 8,
                 clipped(title_of(finding->problem) + ": " + (finding->place ? place_text(*finding->place) : "")),
                 {.size = 14, .bold = true});
    picture.text(kMargin, y + 28, clipped(finding->headline));
    picture.text(kMargin, y + 46, clipped(finding->why), {.fill = kPaleInk});
    picture.text(kMargin, y + 64, clipped(outcome_text(*finding)), {.bold = true});
    y += 72;
    y += finding->problem == Problem::bank_conflicts
             ? bank_picture(picture, *finding->example, is_load(finding->access), y)
             : line_picture(picture, *finding->example, y);
    y += 14;
  }
  return picture.take();
}

}  // namespace tilescope::explain
