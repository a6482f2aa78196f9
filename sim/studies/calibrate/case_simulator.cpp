#include "sim/studies/calibrate/case_simulator.h"

#include <fmt/format.h>

#include <set>
#include <stdexcept>
#include <utility>

#include "sim/studies/batch.h"

namespace tilescope::calibrate {

CaseSimulator::CaseSimulator(const GpuFile& file, const std::vector<ChosenParameter>& parameters,
                             const std::vector<TrainingCase>& cases, SimulatorOptions options)
    : file_(file), parameters_(parameters), cases_(cases), options_(std::move(options)) {}

std::vector<double> CaseSimulator::predict_case(const GpuSpec& gpu, const TrainingCase& one,
                                                const std::function<void(const Progress&)>& on_progress) const {
  try {
    RunOptions options;
    options.sample = options_.sample;
    options.on_progress = on_progress;
    const RunOutcome outcome = simulate(gpu, *one.kernel, options);
    const MetricSource source{gpu, one.kernel->launch(), outcome};
    std::vector<double> predicted;
    for (const Target& target : one.targets) {
      predicted.push_back(target.metric->value(source));
      if (!(predicted.back() > 0))
        throw std::runtime_error(
            fmt::format("{} is predicted as {}; a ratio needs more than zero", target.metric->name, predicted.back()));
    }
    return predicted;
  } catch (const std::invalid_argument& error) {
    throw std::invalid_argument(one.label + ": " + error.what());
  } catch (const std::exception& error) {
    throw std::runtime_error(one.label + ": " + error.what());
  }
}

std::vector<std::vector<double>> CaseSimulator::predict(const std::vector<Point>& points) {
  struct Task {
    const GpuSpec* gpu;
    const TrainingCase* one;
    std::vector<double> predicted;
  };
  std::set<Point> wanted;
  std::vector<Point> fresh;
  for (const Point& point : points)
    if (known_.count(point) == 0 && wanted.insert(point).second) fresh.push_back(point);

  std::vector<GpuSpec> gpus;
  for (const Point& point : fresh) {
    std::vector<Override> values;
    for (std::size_t j = 0; j < point.size(); ++j)
      values.push_back({parameters_[j].key, value_text(parameters_[j], point[j])});
    auto gpu = spec_with(file_, values);
    if (!gpu) throw DiagnosticsError(gpu.error());
    gpus.push_back(std::move(*gpu));
  }
  std::vector<Task> tasks;
  for (const GpuSpec& gpu : gpus)
    for (const TrainingCase& one : cases_) tasks.push_back({&gpu, &one, {}});

  BatchOptions batch;
  batch.threads = options_.threads;
  for (const Task& task : tasks) batch.work.push_back(task.one->instructions + 1);
  if (options_.on_progress)
    batch.on_progress = [&](const BatchProgress& now) { options_.on_progress(simulations_ + now.done); };
  const BatchEnd end = run_batch(
      tasks.size(),
      [&](const BatchCase& one) {
        Task& task = tasks[one.number()];
        task.predicted = predict_case(*task.gpu, *task.one, [&one](const Progress& p) { one.at(p.fraction); });
      },
      batch);
  simulations_ += tasks.size();
  end.rethrow_first();

  for (std::size_t p = 0; p < fresh.size(); ++p) {
    std::vector<double>& all = known_[fresh[p]];
    for (std::size_t c = 0; c < cases_.size(); ++c) {
      const auto& predicted = tasks[p * cases_.size() + c].predicted;
      all.insert(all.end(), predicted.begin(), predicted.end());
    }
  }
  std::vector<std::vector<double>> answer;
  answer.reserve(points.size());
  for (const Point& point : points) answer.push_back(known_.at(point));
  return answer;
}

}  // namespace tilescope::calibrate
