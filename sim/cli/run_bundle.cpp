#include "sim/cli/run_bundle.h"

#include <fmt/format.h>

#include "models/support/diagnostic.h"
#include "sim/cli/limit_option.h"
#include "sim/cli/output.h"
#include "sim/cli/parse.h"
#include "sim/cli/progress.h"
#include "sim/cli/usage_error.h"
#include "sim/studies/bundle/bundle_run.h"
#include "sim/studies/bundle/bundle_run_view.h"
#include "traces/open_kernel.h"

namespace tilescope::cli {

bool is_table_of_launches(const std::string& word) {
  if (kernel_kind(word) != KernelKind::bundle) return false;
  const auto name = bundle::bundle_name(word);
  return !name->selection || name->selection->empty() ||
         name->selection->find_first_not_of("0123456789") != std::string::npos;
}

int run_bundle_launches(const Values& values, const std::string& word, const std::vector<GpuSpec>& gpus,
                        RunOptions options, std::ostream& out) {
  for (const char* option : {"by", "top", "timeline", "timeline-cta", "param", "wall"})
    if (values.count(option) != 0)
      throw UsageError(fmt::format("--{} is for one launch; got {}", option, in_quotes(word)),
                       "one launch is DIR#ID; see: tilescope bundle list DIR");
  const std::string format = chosen(values, "format", {"table", "json", "csv"});
  const auto name = bundle::bundle_name(word);
  auto bundle = bundle::read_bundle(name->folder);
  if (!bundle) throw DiagnosticsError(bundle.error());
  auto launches = bundle::select_launches(*bundle, name->selection);
  if (!launches) throw UsageError(in_quotes(word) + ": " + launches.error());
  if (launches->empty()) throw UsageError(in_quotes(word) + ": the bundle has no launch");
  bool all_well = false;
  with_output(values, out, [&](std::ostream& stream) {
    ProgressLine progress(fmt::format("{}, {} launches", word, launches->size()));
    options.on_progress = [&progress](const Progress& p) { progress.show(p.fraction); };
    const BundleRun run = run_bundle(*std::move(bundle), *std::move(launches), gpus, options, limits_from(values));
    progress.done();
    stream << (format == "json" ? bundle_run_json(run) : format == "csv" ? bundle_run_csv(run) : bundle_run_table(run));
    all_well = run.ended(LaunchRun::End::failed) == 0 && run.ended(LaunchRun::End::done) > 0;
  });
  return all_well ? ok : work_failed;
}

}  // namespace tilescope::cli
