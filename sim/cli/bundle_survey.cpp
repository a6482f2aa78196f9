#include "sim/cli/bundle_survey.h"

#include "sim/cli/progress.h"
#include "sim/studies/batch.h"
#include "traces/bundle/bundle_reader.h"

namespace tilescope::cli {

std::vector<sass::ReadLaunch> survey_launches(const bundle::Bundle& bundle, const std::vector<std::size_t>& launches,
                                              const sass::Limits& limits, int threads) {
  std::vector<sass::ReadLaunch> surveys(launches.size());
  bundle::BundleReader reader(bundle, limits);
  ProgressLine progress(bundle.folder);
  BatchOptions batch;
  batch.threads = threads;
  batch.on_progress = [&progress](const BatchProgress& now) { progress.show(now.fraction); };
  run_batch(
      launches.size(), [&](const BatchCase& one) { surveys[one.number()] = reader.survey(launches[one.number()]); },
      batch)
      .rethrow_first();
  return surveys;
}

}  // namespace tilescope::cli
