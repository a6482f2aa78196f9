#include "sim/studies/measured/measured_unit.h"

#include <algorithm>
#include <array>
#include <utility>

#include "models/support/lower_case.h"

namespace tilescope {
namespace {

constexpr std::array<std::pair<std::string_view, double>, 13> kTimes{{{"ns", 1},
                                                                      {"nsecond", 1},
                                                                      {"us", 1e3},
                                                                      {"usecond", 1e3},
                                                                      {"ms", 1e6},
                                                                      {"msecond", 1e6},
                                                                      {"s", 1e9},
                                                                      {"sec", 1e9},
                                                                      {"second", 1e9},
                                                                      {"minute", 60e9},
                                                                      {"hour", 3600e9},
                                                                      {"ps", 1e-3},
                                                                      {"psecond", 1e-3}}};

// What is counted: taken as it stands, with or without a prefix.
constexpr std::array<std::string_view, 18> kCounted{
    "byte", "hz",     "cycle", "inst",   "instruction", "sector",   "request", "wavefront", "warp",
    "cta",  "thread", "block", "access", "transaction", "register", "op",      "flop",      "bit"};

std::optional<double> time_in_ns(const std::string& word) {
  for (const auto& [name, factor] : kTimes)
    if (word == name || word == std::string(name) + "s") return factor;
  return std::nullopt;
}

double prefix_factor(char prefix) {
  switch (prefix) {
    case 'k':
      return 1e3;
    case 'm':
      return 1e6;
    case 'g':
      return 1e9;
    case 't':
      return 1e12;
    default:
      return 0;
  }
}

std::optional<MeasuredUnit> counted(const std::string& word) {
  for (const std::string_view name : kCounted)
    if (word == name || word == std::string(name) + "s") return MeasuredUnit{std::string(name), 1};
  if (word == "b") return MeasuredUnit{"byte", 1};
  return std::nullopt;
}

std::optional<MeasuredUnit> single(const std::string& word) {
  if (word.empty() || word == "%" || word == "ratio") return MeasuredUnit{word == "ratio" ? "" : word, 1};
  if (const auto ns = time_in_ns(word)) return MeasuredUnit{"ns", *ns};
  if (auto unit = counted(word)) return unit;
  const double factor = prefix_factor(word.front());
  if (factor == 0) return std::nullopt;
  auto unit = counted(word.substr(1));
  if (unit) unit->factor = factor;
  return unit;
}

}  // namespace

std::optional<MeasuredUnit> measured_unit(std::string_view text) {
  const std::string word = lower_case(text);
  const std::size_t slash = word.find('/');
  if (slash == std::string::npos) return single(word);
  const std::string below = word.substr(slash + 1);
  auto unit = single(word.substr(0, slash));
  auto divisor = single(below);
  if (!unit || !divisor || slash == 0 || below.empty()) return std::nullopt;
  const bool rate = divisor->base == "ns";
  unit->base += "/" + (rate ? "second" : divisor->base);
  unit->factor /= rate ? divisor->factor / 1e9 : divisor->factor;
  return unit;
}

}  // namespace tilescope
