#include "sim/studies/explain/problems.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <tuple>

#include "sim/results/occupancy_report.h"
#include "sim/results/source_files.h"
#include "sim/results/views/number_text.h"
#include "sim/studies/explain/access_words.h"

namespace tilescope::explain {
namespace {

constexpr double kLeastShare = 0.01;     // of all wavefronts or sectors: less is not a problem
constexpr double kMuchRefetched = 1.15;  // HBM reads over the least
constexpr double kSectorsPerCycle = 2;   // that one SM takes from L2 at best

const AccessCounters& counters_of(const RunOutcome& outcome, const SurveyedAccess& access) {
  return outcome.instructions[access.instruction].of(access.kind);
}

// Accesses that belong together: of one source line, or alike where lines are not known.
using GroupKey = std::tuple<int, std::string, int, int, int, std::int64_t>;

class Finder {
 public:
  explicit Finder(const Launched& l) : l_(l), files_(l.kernel.source_folder()), sms_(static_cast<double>(gpu_sms())) {}

  std::vector<Found> all() {
    accesses(Problem::bank_conflicts);
    accesses(Problem::wasted_sectors);
    refetched();
    occupancy();
    latency();
    idle();
    std::stable_sort(found_.begin(), found_.end(), [](const Found& a, const Found& b) {
      return a.finding.estimate_cycles > b.finding.estimate_cycles;
    });
    return std::move(found_);
  }

 private:
  std::int64_t gpu_sms() const { return std::max<std::int64_t>(1, l_.gpu.sm.count()); }

  double metric(std::string_view name) const { return l_.result.metric(name).value_or(0); }
  double cycles() const { return static_cast<double>(l_.outcome.cycles); }

  Place place_of(const std::vector<std::size_t>& instructions) {
    Place place;
    const InstructionSource source = l_.kernel.source_of(instructions.front());
    place.file = source.file;
    place.line = source.line;
    place.text = source.file.empty() ? source.text : files_.text_of(source.file, source.line);
    place.address = source.address;
    place.instructions = instructions.size();
    return place;
  }

  // Bank conflicts or wasted sectors, a finding for each group of accesses that have them.
  void accesses(Problem problem) {
    const bool banks = problem == Problem::bank_conflicts;
    std::map<GroupKey, std::vector<std::size_t>> groups;  // of l_.survey.accesses
    double all = 0;
    for (std::size_t i = 0; i < l_.survey.accesses.size(); ++i) {
      const SurveyedAccess& access = l_.survey.accesses[i];
      if (is_shared(access.kind) != banks || access.kind == AccessKind::async_store) continue;
      const AccessCounters& counters = counters_of(l_.outcome, access);
      all += static_cast<double>(banks ? counters.wavefronts : counters.sectors);
      if (access.cost <= access.ideal) continue;
      const InstructionSource source = l_.kernel.source_of(access.instruction);
      const bool known = !source.file.empty();
      groups[{known ? 0 : 1, source.file, source.line, static_cast<int>(access.kind), known ? -1 : access.array,
              known ? 0 : access.worst.cost}]
          .push_back(i);
    }
    for (const auto& [key, members] : groups) add_group(problem, members, all);
  }

  void add_group(Problem problem, const std::vector<std::size_t>& members, double all) {
    const bool banks = problem == Problem::bank_conflicts;
    Found found;
    Finding& finding = found.finding;
    finding.problem = problem;
    const SurveyedAccess* worst = nullptr;
    double used = 0, fetched = 0;
    for (const std::size_t i : members) {
      const SurveyedAccess& access = l_.survey.accesses[i];
      const AccessCounters& counters = counters_of(l_.outcome, access);
      finding.requests += static_cast<double>(counters.requests);
      const auto cost = static_cast<double>(banks ? counters.wavefronts : counters.sectors);
      finding.cost += cost;
      finding.ideal += cost * static_cast<double>(access.ideal) / static_cast<double>(access.cost);
      found.instructions.push_back(access.instruction);
      if (worst == nullptr || access.worst.cost - access.worst.ideal > worst->worst.cost - worst->worst.ideal)
        worst = &access;
      used += static_cast<double>(distinct_bytes(access.worst.pattern));
      fetched += static_cast<double>(access.worst.cost * kSectorBytes);
    }
    const double excess = finding.cost - finding.ideal;
    if (excess < kLeastShare * all || finding.requests <= 0) return;
    finding.access = worst->kind;
    finding.example = worst->worst;
    finding.place = place_of(found.instructions);
    found.array = worst->array;
    finding.headline =
        fmt::format("{}: {:.2f} {} per request, {:.2f} would do ({} requests, {} {} too many)", name_of(worst->kind),
                    finding.cost / finding.requests, banks ? "wavefronts" : "sectors", finding.ideal / finding.requests,
                    grouped(finding.requests), grouped(excess), banks ? "wavefronts" : "sectors");
    finding.why = banks ? why_lanes_collide(SharedBanks(l_.gpu.shared), worst->worst, is_load(worst->kind))
                        : why_sectors_are_wasted(worst->worst, 100 * used / fetched);
    finding.estimate_cycles = excess / sms_ / (banks ? 1 : kSectorsPerCycle);
    found_.push_back(std::move(found));
  }

  void refetched() {
    // HBM gives pairs of sectors: a launch that wants one of each reads twice its least and nothing twice.
    if (!l_.bytes.least_read_in_pairs || *l_.bytes.least_read_in_pairs <= 0) return;
    const double read = metric("dram__bytes_read.sum"), least = *l_.bytes.least_read_in_pairs;
    if (read < kMuchRefetched * least) return;
    Found found;
    Finding& finding = found.finding;
    finding.problem = Problem::refetched_lines;
    finding.cost = read;
    finding.ideal = least;
    finding.requests = metric("lts__t_sectors_srcunit_tex_op_read.sum");
    finding.headline = fmt::format("HBM reads {}, {:.2f} times the {} of distinct data", scaled(read, "B"),
                                   read / least, scaled(least, "B"));
    finding.why = fmt::format(
        "Lines are fetched again after L2 ({:.3g} MiB) has dropped them; of the sectors that SMs ask L2 for, {}.",
        l_.gpu.l2.size_mib, who_asks());
    const double bytes_per_cycle = l_.gpu.hbm.bandwidth_gbs * 1000 / l_.gpu.clock.sm_mhz;
    finding.estimate_cycles = (read - least) / std::max(1.0, bytes_per_cycle);
    found_.push_back(std::move(found));
  }

  // "61 % come from gemm.cuh:31, 39 % from gemm.cuh:37"
  std::string who_asks() {
    std::map<std::pair<std::string, std::size_t>, double> by;  // source line or instruction
    double all = 0;
    for (std::size_t i = 0; i < l_.outcome.instructions.size(); ++i) {
      const auto sectors = static_cast<double>(l_.outcome.instructions[i].fill_sectors);
      if (sectors == 0) continue;
      const InstructionSource source = l_.kernel.source_of(i);
      by[{source.file, source.file.empty() ? i : static_cast<std::size_t>(source.line)}] += sectors;
      all += sectors;
    }
    std::vector<std::pair<double, std::string>> ranked;
    ranked.reserve(by.size());
    for (const auto& [who, sectors] : by)
      ranked.emplace_back(-sectors, who.first.empty()
                                        ? fmt::format("{} ({})", l_.kernel.source_of(who.second).text, who.second)
                                        : fmt::format("{}:{}", base_name(who.first), who.second));
    std::sort(ranked.begin(), ranked.end());
    std::string text;
    for (std::size_t i = 0; i < std::min<std::size_t>(3, ranked.size()); ++i)
      text += fmt::format("{}{:.0f} % {} {}", i == 0 ? "" : ", ", -100 * ranked[i].first / all,
                          i == 0 ? "come from" : "from", ranked[i].second);
    return text.empty() ? "none is known by instruction" : text;
  }

  static std::string base_name(const std::string& file) { return file.substr(file.rfind('/') + 1); }

  void occupancy() {
    const Occupancy& now = l_.outcome.occupancy;
    if (now.limiter != "registers" && now.limiter != "shared memory") return;
    const std::int64_t ctas = l_.kernel.launch().grid.count();
    if (ctas <= now.ctas_per_sm * gpu_sms()) return;  // all are resident
    Found found;
    Finding& finding = found.finding;
    finding.problem = Problem::occupancy;
    finding.cost = now.percent;
    finding.ideal = 100;
    const CtaResources cta = cta_resources(l_.kernel.launch());
    finding.headline =
        fmt::format("{} keep{} an SM at {} CTA{} ({:.0f} % of its warps)",
                    now.limiter == "registers" ? "Registers" : "Shared memory", now.limiter == "registers" ? "" : "s",
                    now.ctas_per_sm, now.ctas_per_sm == 1 ? "" : "s", now.percent);
    finding.why = fmt::format("{} registers per thread and {} bytes of shared memory in a CTA of {} threads.",
                              cta.registers_per_thread, grouped(static_cast<double>(cta.shared_bytes)), cta.threads);
    finding.estimate_cycles =
        l_.result.bottleneck && l_.result.bottleneck->name.starts_with("latency_") ? cycles() * 0.3 : cycles() * 0.02;
    found_.push_back(std::move(found));
  }

  double busiest() const {
    double most = 0;
    for (const Utilisation& one : l_.result.utilisation) most = std::max(most, one.percent);
    return most;
  }

  void latency() {
    if (!l_.result.bottleneck) return;
    const bool idle = l_.result.bottleneck->name == "idle_sms";
    if (!idle && l_.result.bottleneck->name != "latency_long_scoreboard") return;
    // The line in front of which warps stand longest for memory.
    std::map<std::pair<std::string, std::size_t>, std::vector<std::size_t>> lines;
    std::map<std::pair<std::string, std::size_t>, double> waits;
    double all = 0;
    for (std::size_t i = 0; i < l_.outcome.instructions.size(); ++i) {
      const auto& stalls = l_.outcome.instructions[i].stall_cycles;
      for (const std::uint64_t cycles : stalls) all += static_cast<double>(cycles);
      const auto waited = static_cast<double>(stalls[static_cast<std::size_t>(Stall::long_scoreboard)]);
      if (waited == 0) continue;
      const InstructionSource source = l_.kernel.source_of(i);
      const auto key =
          std::make_pair(source.file, source.file.empty() ? source.index : static_cast<std::size_t>(source.line));
      waits[key] += waited;
      lines[key].push_back(i);
    }
    if (waits.empty() || all <= 0) return;
    const auto worst =
        std::max_element(waits.begin(), waits.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
    const double share = worst->second / all;
    if (share < (idle ? 0.3 : 0.1)) return;
    Found found;
    Finding& finding = found.finding;
    finding.problem = Problem::latency;
    found.instructions = lines[worst->first];
    finding.place = place_of(found.instructions);
    finding.cost = 100 * share;
    finding.headline =
        fmt::format("warps spend {:.0f} % of their time in front of this, waiting for memory", 100 * share);
    finding.why = fmt::format(
        "Nothing is busy for more than {:.0f} % of the time: more warps, or more loads before the first use "
        "of one, would hide the wait.",
        busiest());
    finding.estimate_cycles = cycles() * share * 0.05;  // other warps use most of the time
    found_.push_back(std::move(found));
  }

  void idle() {
    if (!l_.result.bottleneck || l_.result.bottleneck->name != "idle_sms") return;
    Found found;
    Finding& finding = found.finding;
    finding.problem = Problem::idle_sms;
    finding.cost = static_cast<double>(l_.kernel.launch().grid.count());
    finding.ideal = static_cast<double>(gpu_sms());
    finding.headline = fmt::format("{} CTA{}, where the GPU's {} SMs hold {} at once", grouped(finding.cost),
                                   finding.cost == 1 ? "" : "s", gpu_sms(),
                                   grouped(static_cast<double>(gpu_sms() * l_.outcome.occupancy.ctas_per_sm)));
    finding.why = capital(l_.result.bottleneck->reason) + ".";
    finding.estimate_cycles = cycles() * 0.4;
    found_.push_back(std::move(found));
  }

  const Launched& l_;
  SourceFiles files_;
  double sms_;
  std::vector<Found> found_;
};

}  // namespace

std::vector<Found> problems(const Launched& launched) { return Finder(launched).all(); }

}  // namespace tilescope::explain
