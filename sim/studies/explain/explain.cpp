#include "sim/studies/explain/explain.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "sim/results/launch_bytes.h"
#include "sim/results/occupancy_report.h"
#include "sim/results/views/number_text.h"
#include "sim/studies/explain/changed_kernel.h"
#include "sim/studies/explain/parameter_fixes.h"
#include "sim/studies/explain/problems.h"
#include "sim/studies/explain/shared_layout.h"
#include "traces/kernels/registry.h"

namespace tilescope::explain {
namespace {

constexpr std::uint64_t kWalkedForLeast = 16'000'000;  // accesses: beyond, the least of HBM is not known
constexpr std::uint64_t kAllBanks = 128;               // byte
constexpr const char* kSameInstructions = "instructions for the new addresses are not counted";

class Explainer {
 public:
  Explainer(const GpuSpec& gpu, const Kernel& kernel, const ExplainOptions& options)
      : gpu_(gpu), kernel_(kernel), options_(options), banks_(gpu.shared) {}

  Explanation explain(const std::string& word) {
    RunOptions run = run_options("the launch as it is");
    run.by_instruction = true;
    const RunOutcome outcome = simulate(gpu_, kernel_, run);
    before_ = static_cast<double>(outcome.cycles);
    survey_ = survey(gpu_, kernel_);
    const LaunchBytes bytes = launch_bytes(kernel_, kWalkedForLeast);
    Explanation all;
    all.kernel = word;
    all.result = make_result(gpu_, kernel_.launch(), run, outcome);
    std::vector<Found> found = problems({gpu_, kernel_, outcome, all.result, survey_, bytes});
    if (found.size() > options_.top) {
      all.left_out = static_cast<std::int64_t>(found.size() - options_.top);
      found.erase(found.begin() + static_cast<std::ptrdiff_t>(options_.top), found.end());
    }
    for (Found& one : found) {
      work_out(one);
      all.findings.push_back(std::move(one.finding));
    }
    // Of two that the same change helps most, the one that names what is wasted comes before the one that names the
    // wait.
    std::stable_sort(all.findings.begin(), all.findings.end(), [](const Finding& a, const Finding& b) {
      if (a.saved_pct() != b.saved_pct()) return a.saved_pct() > b.saved_pct();
      return a.problem != Problem::latency && b.problem == Problem::latency;
    });
    all.tried_anyway = famous_fixes(all);
    if (!bytes.least_read)
      all.notes.emplace_back("the launch is too large to find out which sectors it needs at least");
    return all;
  }

 private:
  RunOptions run_options(const std::string& what) const {
    RunOptions run;
    run.sample = options_.sample;
    run.threads = options_.threads;
    if (options_.on_progress)
      run.on_progress = [this, what](const Progress& progress) { options_.on_progress(what, progress.fraction); };
    return run;
  }

  Trial tried(Trial::How how, const std::string& what, const Kernel& changed, const std::string& note = "") const {
    Trial trial;
    trial.how = how;
    trial.what = what;
    trial.note = note;
    const CtaResources cta = cta_resources(changed.launch());
    trial.shared_bytes = cta.shared_bytes - cta_resources(kernel_.launch()).shared_bytes;
    trial.verdict = Verdict::not_launchable;
    const std::vector<std::string> problems = launch_problems(gpu_, cta);
    if (!problems.empty()) {
      trial.note = problems.front();
      return trial;
    }
    const RunOptions options = run_options(what);
    const RunOutcome outcome = simulate(gpu_, changed, options);
    trial.cycles = static_cast<double>(outcome.cycles);
    trial.saved_pct = 100 * (1 - trial.cycles / before_);
    trial.hbm_read = make_result(gpu_, changed.launch(), options, outcome).metric("dram__bytes_read.sum").value_or(0);
    trial.verdict = trial.saved_pct >= kModelErrorPct    ? Verdict::worth_it
                    : trial.saved_pct <= -kModelErrorPct ? Verdict::slower
                                                         : Verdict::no_difference;
    return trial;
  }

  Trial changed(Trial::How how, const std::string& what, const Change& change, const std::string& note = "") const {
    return tried(how, what, ChangedKernel(kernel_, change, banks_), note);
  }

  std::vector<Trial> parameters(Problem problem) const {
    std::vector<Trial> trials;
    if (!options_.generator) return trials;
    for (const ParameterFix& fix : parameter_fixes(gpu_, kernel_.launch(), problem)) {
      const auto kernel = make_kernel(kernel_.launch().kernel, fix.parameters);
      if (kernel) trials.push_back(tried(Trial::How::parameters, fix.what, **kernel));
    }
    return trials;
  }

  void work_out(Found& found) {
    Finding& finding = found.finding;
    finding.fixes = parameters(finding.problem);
    switch (finding.problem) {
      case Problem::bank_conflicts:
        conflicts(found);
        break;
      case Problem::wasted_sectors:
        sectors(found);
        break;
      case Problem::refetched_lines:
        order(finding);
        break;
      case Problem::occupancy:
        resources(finding);
        break;
      case Problem::latency:
        waits(finding);
        break;
      case Problem::idle_sms:
        break;
    }
    if (finding.fixes.empty() && !finding.bound && finding.unproved.empty())
      finding.unproved = "there is no change to this kernel that the model can apply";
    std::stable_sort(finding.fixes.begin(), finding.fixes.end(),
                     [](const Trial& a, const Trial& b) { return a.saved_pct > b.saved_pct; });
  }

  void conflicts(Found& found) {
    Finding& finding = found.finding;
    if (std::string why_not; !can_move_lanes(kernel_, why_not)) {
      finding.unproved = why_not;
      return;
    }
    Change none;
    none.without_conflicts.insert(found.instructions.begin(), found.instructions.end());
    finding.bound = changed(Trial::How::bound, "without these conflicts", none);
    if (!finding.fixes.empty()) return;  // the generator's own layouts
    const SharedArray& array = survey_.arrays[static_cast<std::size_t>(found.array)];
    for (const SharedLayout& layout : layouts(banks_, survey_, array)) {
      Change change;
      change.shared_map = layout.map();
      change.more_shared_bytes = layout.more_bytes();
      finding.fixes.push_back(changed(Trial::How::addresses, layout.sentence(), change, kSameInstructions));
    }
  }

  void sectors(Found& found) {
    Finding& finding = found.finding;
    if (std::string why_not; !can_move_lanes(kernel_, why_not)) {
      finding.unproved = why_not;
      return;
    }
    Change packed;
    packed.side_by_side.insert(found.instructions.begin(), found.instructions.end());
    finding.bound = changed(Trial::How::bound, "with its lanes' words side by side", packed);
  }

  void waits(Finding& finding) {
    Change none;
    none.without_waits = true;
    finding.bound = changed(Trial::How::bound, "if no warp waited for global memory", none);
  }

  void order(Finding& finding) {
    if (!finding.fixes.empty()) return;
    const Launch& launch = kernel_.launch();
    if (launch.clustered()) {
      finding.unproved = "CTAs of clusters are not put into another order";
      return;
    }
    if (launch.grid.x < 2 || launch.grid.y < 2) {
      finding.unproved = "the grid has one row: its order is made inside of the kernel";
      return;
    }
    std::vector<std::int64_t> groups;
    for (const std::int64_t group : {4, 8, 16})
      if (group < launch.grid.y) groups.push_back(group);
    groups.push_back(launch.grid.y);
    for (const std::int64_t group : groups) {
      Change change;
      change.raster_group = group;
      finding.fixes.push_back(changed(Trial::How::order,
                                      group == launch.grid.y ? std::string("CTAs column by column")
                                                             : fmt::format("CTAs in bands of {} rows", group),
                                      change, "instructions that work out the place are not counted"));
    }
  }

  void resources(Finding& finding) {
    const OccupancyReport report = occupancy_report(gpu_, cta_resources(kernel_.launch()));
    const std::int64_t now = report.now.ctas_per_sm;
    if (report.registers_for_more) {
      Change fewer;
      fewer.registers_per_thread = *report.registers_for_more;
      finding.fixes.push_back(
          changed(Trial::How::launch,
                  fmt::format("{} registers per thread ({} less): {} CTAs", *report.registers_for_more,
                              report.cta.registers_per_thread - *report.registers_for_more,
                              report.with_those_registers.ctas_per_sm),
                  fewer, "same instructions: what is spilled is not counted"));
    }
    if (report.shared_for_more) {
      Change fewer;
      fewer.more_shared_bytes = *report.shared_for_more - report.cta.shared_bytes;
      finding.fixes.push_back(changed(
          Trial::How::launch,
          fmt::format("{} B of shared memory: {} CTAs", *report.shared_for_more, report.with_that_shared.ctas_per_sm),
          fewer, "same instructions: as if smaller tiles did the same work"));
    }
    if (!report.registers_for_more && !report.shared_for_more)
      finding.unproved = fmt::format("no single limit stands between {} and {} CTAs", now, now + 1);
  }

  // What tutorials advise whatever the kernel.
  std::vector<Trial> famous_fixes(const Explanation& all) const {
    std::vector<Trial> trials;
    const auto has = [&](Problem problem) {
      return std::any_of(all.findings.begin(), all.findings.end(),
                         [&](const Finding& one) { return one.problem == problem; });
    };
    if (!has(Problem::bank_conflicts) && !survey_.arrays.empty()) {
      trials = parameters(Problem::bank_conflicts);
      if (!options_.generator) pad_anyway(trials);
      std::erase_if(trials, [](const Trial& one) { return one.what == "transpose_a=0"; });
    }
    if (!has(Problem::refetched_lines) && options_.generator)
      for (const ParameterFix& fix : parameter_fixes(gpu_, kernel_.launch(), Problem::refetched_lines))
        if (fix.what == "raster=grouped")
          trials.push_back(
              tried(Trial::How::parameters, fix.what, **make_kernel(kernel_.launch().kernel, fix.parameters)));
    return trials;
  }

  // Rows of 128 B, all banks once, a word further apart in every array, though nothing collides there: wider accesses
  // are broken into words, as a compiler has to.
  void pad_anyway(std::vector<Trial>& trials) const {
    std::string why_not;
    if (!can_move_lanes(kernel_, why_not)) return;
    Change change;
    std::vector<SharedLayout> padded;
    for (const SharedArray& array : survey_.arrays) {
      if (!can_be_laid_out(array) || array.to - array.from <= kAllBanks) continue;
      SharedLayout layout;
      layout.from = array.from / sizeof(float) * sizeof(float);
      layout.to = array.to;
      layout.pitch = kAllBanks;
      layout.padding = sizeof(float);
      for (const std::size_t i : array.accesses) {
        const SurveyedAccess& access = survey_.accesses[i];
        const OpClass op = kernel_.code()[access.instruction].op;
        if (access.bytes <= 4) continue;
        if (op != OpClass::shared_load && op != OpClass::shared_store) return;  // such rows can not be read at all
        change.in_words[access.instruction] = access.bytes / 4;
      }
      change.more_shared_bytes += layout.more_bytes();
      padded.push_back(layout);
    }
    if (padded.empty()) return;
    std::reverse(padded.begin(), padded.end());  // those behind first: an array moves what lies behind it
    change.shared_map = [padded](std::uint64_t address) {
      for (const SharedLayout& layout : padded) address = layout.moved(address);
      return address;
    };
    const std::size_t broken = change.in_words.size();
    trials.push_back(changed(Trial::How::addresses, "pad rows of 128 B by 4 B", change,
                             broken == 0
                                 ? std::string(kSameInstructions)
                                 : fmt::format("{} accesses of 8 or 16 B become several of 4 B, as rows that are "
                                               "not aligned to them ask for",
                                               broken)));
  }

  const GpuSpec& gpu_;
  const Kernel& kernel_;
  const ExplainOptions& options_;
  SharedBanks banks_;
  Survey survey_;
  double before_ = 0;  // cycles
};

}  // namespace

Explanation explain(const GpuSpec& gpu, const Kernel& kernel, const std::string& word, const ExplainOptions& options) {
  return Explainer(gpu, kernel, options).explain(word);
}

}  // namespace tilescope::explain
