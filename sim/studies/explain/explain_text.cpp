#include <fmt/format.h>

#include <algorithm>
#include <sstream>

#include "models/support/units.h"
#include "sim/results/banks/bank_report.h"
#include "sim/results/views/aligned_columns.h"
#include "sim/results/views/bank_view.h"
#include "sim/results/views/number_text.h"
#include "sim/studies/explain/explain_view.h"

namespace tilescope::explain {
namespace {

constexpr int kPassesShown = 4, kLinesShown = 4;
constexpr std::size_t kLongestLine = 150;

// The lane x bank grid of `tilescope banks`, its first passes.
std::string bank_grid(const ExampleAccess& example, bool load) {
  const int bytes = std::max<int>(4, example.pattern.bytes);
  LaneMap map;
  map.fill(kInactive);
  for (int lane = 0; lane < kLanes; ++lane)
    if (example.pattern.is_active(lane))
      map[static_cast<std::size_t>(lane)] =
          (static_cast<std::int64_t>(example.base % 128) + example.pattern.offset[static_cast<std::size_t>(lane)]) /
          bytes;
  std::istringstream lines(bank_table(bank_report(map, bytes, load ? SharedOp::load : SharedOp::store), false));
  std::string text;
  int passes = 0, left_out = 0;
  bool first_phase = true;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("phase") && passes > 0) first_phase = false;
    if (!first_phase) break;
    const bool pass = line.starts_with("  pass");
    if (pass && ++passes > kPassesShown) {
      ++left_out;
      continue;
    }
    if (left_out > 0 && !pass) break;
    if (line.starts_with("  bank") || pass) text += "   " + line + "\n";
  }
  if (left_out > 0) text += fmt::format("     ... {} more\n", left_out);
  return text;
}

// The lines that an access to global memory touches, a character for each word: '#' asked for, '-' fetched with it.
std::string line_grid(const ExampleAccess& example) {
  std::map<std::uint64_t, std::string> lines;
  const auto line_bytes = static_cast<std::uint64_t>(kLineBytes), sector = static_cast<std::uint64_t>(kSectorBytes);
  const auto mark = [&](std::uint64_t at, char with) {
    std::string& line = lines.try_emplace(at / line_bytes, std::string(32, '.')).first->second;
    char& word = line[at % line_bytes / 4];
    if (word != '#') word = with;
  };
  for (int lane = 0; lane < kLanes; ++lane) {
    if (!example.pattern.is_active(lane)) continue;
    const std::uint64_t at =
        example.base + static_cast<std::uint64_t>(example.pattern.offset[static_cast<std::size_t>(lane)]);
    const std::uint64_t end = (at + example.pattern.bytes + sector - 1) / sector * sector;
    for (std::uint64_t b = at / sector * sector; b < end; b += 4) mark(b, '-');
    for (std::uint64_t b = at / 4 * 4; b < at + example.pattern.bytes; b += 4) mark(b, '#');
  }
  std::string text;
  int shown = 0;
  for (const auto& [line, words] : lines) {
    if (++shown > kLinesShown) continue;
    std::string parted;
    for (std::size_t i = 0; i < words.size(); ++i) {
      if (i % 8 == 0 && i > 0) parted += ' ';
      parted += words[i];
    }
    text += fmt::format("     line {:<2} {}\n", shown, parted);
  }
  if (shown > kLinesShown) text += fmt::format("     ... {} more\n", shown - kLinesShown);
  return text + "     # asked for, - fetched with it; a character for each 4 B\n";
}

std::string bytes_text(std::int64_t bytes) {
  return bytes == 0 ? "-" : fmt::format("{}{} B", bytes > 0 ? "+" : "-", grouped(static_cast<double>(std::abs(bytes))));
}

std::vector<std::string> row_of(const Trial& trial, const char* title, bool hbm) {
  const bool ran = trial.verdict != Verdict::not_launchable;
  std::vector<std::string> row = {fmt::format("   {}", title), trial.what, ran ? grouped(trial.cycles) : "-",
                                  ran ? fmt::format("{:.1f} %", trial.saved_pct) : "-", bytes_text(trial.shared_bytes)};
  if (hbm) row.push_back(ran ? scaled(trial.hbm_read, "B") : "-");
  row.push_back(trial.how == Trial::How::bound ? "at most" : std::string(name(trial.verdict)));
  return row;
}

// The trials of one finding, with their notes below.
std::string trials_text(const std::optional<Trial>& bound, const std::vector<Trial>& fixes, bool hbm) {
  if (!bound && fixes.empty()) return "";
  std::vector<std::vector<std::string>> rows = {{"   ", "", "cycles", "saved", "shared memory"}};
  if (hbm) rows.front().emplace_back("HBM read");
  rows.front().emplace_back("");
  if (bound) rows.push_back(row_of(*bound, "bound", hbm));
  std::vector<std::string> notes;
  for (const Trial& fix : fixes) {
    rows.push_back(row_of(fix, "fix", hbm));
    if (!fix.note.empty()) {
      auto known = std::find(notes.begin(), notes.end(), fix.note);
      if (known == notes.end()) known = notes.insert(notes.end(), fix.note);
    }
  }
  std::string text = aligned_columns(rows, 2);
  for (const std::string& note : notes) text += "   (" + note + ")\n";
  return text;
}

std::string finding_text(const Finding& finding, std::size_t number) {
  const double saved = finding.saved_pct();
  std::string text = fmt::format("\n{}. {}: {}\n", number, title_of(finding.problem),
                                 saved > 0 ? fmt::format("up to {:.1f} % of the cycles", saved)
                                 : finding.problem == Problem::latency && finding.bound && finding.bound->saved_pct > 0
                                     ? fmt::format("no fix, at most {:.1f} % of the cycles", finding.bound->saved_pct)
                                 : finding.fixes.empty() && !finding.bound ? "nothing tried"
                                                                           : "nothing gained");
  if (finding.place) text += "   " + place_text(*finding.place) + "\n";
  text += fmt::format("   {}\n   {}\n", finding.headline, finding.why);
  if (finding.example && finding.problem == Problem::bank_conflicts)
    text += bank_grid(*finding.example, is_load(finding.access));
  if (finding.example && finding.problem == Problem::wasted_sectors) text += line_grid(*finding.example);
  text += trials_text(finding.bound, finding.fixes, finding.problem == Problem::refetched_lines);
  if (!finding.unproved.empty()) text += "   not tried: " + finding.unproved + "\n";
  return text;
}

}  // namespace

std::string title_of(Problem problem) {
  std::string title(name(problem));
  std::replace(title.begin(), title.end(), '_', ' ');
  return title == "idle sms" ? "idle SMs" : title;
}

std::string place_text(const Place& place) {
  std::string text = place.file.empty() ? place.text
                                        : fmt::format("{}:{}  {}", place.file.substr(place.file.rfind('/') + 1),
                                                      place.line, place.text);
  if (place.file.empty() && place.address) text += fmt::format(" at 0x{:x}", *place.address);
  if (place.instructions > 1)
    text += place.file.empty() ? fmt::format(" and {} more like it", place.instructions - 1)
                               : fmt::format("  ({} instructions)", place.instructions);
  return text.size() > kLongestLine ? text.substr(0, kLongestLine - 3) + "..." : text;
}

std::string explain_text(const Explanation& all) {
  const auto ns = all.result.metric("gpu__time_duration.sum");
  std::string text = fmt::format("{} on {}: {} cycles{}\n", all.kernel, all.result.gpu,
                                 grouped(all.result.metric("gpc__cycles_elapsed.max").value_or(0)),
                                 ns ? fmt::format(", {:.4g} us", *ns / 1000) : "");
  if (all.result.bottleneck) text += "bottleneck: " + all.result.bottleneck->reason + "\n";
  if (all.findings.empty())
    text += "\nnothing found that costs time and that an access, an order or a limit explains\n";
  for (std::size_t i = 0; i < all.findings.size(); ++i) text += finding_text(all.findings[i], i + 1);
  if (all.left_out > 0) text += fmt::format("\n{} more not worked out (--top)\n", all.left_out);
  if (!all.tried_anyway.empty())
    text += "\nfamous fixes that nothing above asks for\n" + trials_text(std::nullopt, all.tried_anyway, false);
  text += fmt::format(
      "\nsaved: predicted, by running the launch with the change; less than {:.0f} % either way is within the "
      "model's error\n",
      kModelErrorPct);
  for (const std::string& note : all.notes) text += note + "\n";
  for (const std::string& note : all.result.approximations) text += "approximation: " + note + "\n";
  return text;
}

}  // namespace tilescope::explain
