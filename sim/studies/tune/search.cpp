#include "sim/studies/tune/search.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <limits>
#include <map>
#include <mutex>
#include <numeric>
#include <stdexcept>
#include <utility>

#include "sim/results/result.h"
#include "sim/results/version.h"
#include "sim/results/views/result_json.h"
#include "sim/studies/batch.h"
#include "sim/studies/sweep/plan.h"

namespace tilescope::tune {
namespace {

using Json = nlohmann::ordered_json;

constexpr double kFailed = std::numeric_limits<double>::infinity();

// What a configuration costs in a rung, roughly, in seconds of one thread: for the progress line alone.
constexpr double kShortSeconds = 0.1, kCountingSeconds = 1, kFastSeconds = 3, kLastSeconds = 6;

struct Estimate {
  double cycles = kFailed;
  double cost = kFailed;  // what a rung ranks by: its cycles, or, where they were timed, nanoseconds
  Json result;
  std::string failure;
  bool stored = false;
};

// A configuration in a rung that times.
struct Timed {
  std::size_t configuration = 0;
  Sample sample = Sample::fast;
  std::size_t rung = 0;
  double cycles = 0;
  Json result;
};

class Search {
 public:
  Search(const GpuSpec& gpu, const Problem& problem, std::vector<Configuration> space, const SearchOptions& options)
      : gpu_(gpu), problem_(problem), space_(std::move(space)), options_(options), identity_(sweep::identity_of(gpu)) {
    if (options_.store == nullptr) return;
    options_.store->each_result([this](const sweep::StoredResult& result) {
      if (result.ok) known_[result.key] = result.result;
    });
  }

  Tuned run() {
    tuned_.problem = problem_;
    tuned_.gpu = gpu_.name;
    tuned_.configurations = space_.size();
    std::vector<std::size_t> left(space_.size());
    std::iota(left.begin(), left.end(), std::size_t{0});
    plan(left);
    try {
      if (shapes_first_) left = shapes(left);
      if (counting_next_) left = counting(left);
      left = timed(left, Sample::fast, options_.fast, kFastSeconds);
      if (options_.last != Sample::fast) timed(left, options_.last, {options_.top, 0, options_.top}, kLastSeconds);
      finish();
    } catch (const BatchStopped&) {
      tuned_ = {};
      tuned_.stopped = true;
    }
    return std::move(tuned_);
  }

 private:
  // Which rungs drop anything, and how much work all of it is.
  void plan(const std::vector<std::size_t>& all) {
    std::map<std::string, std::size_t> shapes;
    for (const std::size_t i : all) ++shapes[space_[i].shape];
    std::size_t count = all.size();
    shapes_first_ = shapes.size() > options_.shapes.keep;
    if (shapes_first_) {
      work_ += kShortSeconds * static_cast<double>(shapes.size());
      count = count * options_.shapes.keep / shapes.size();
    }
    counting_next_ = count > options_.counting.keep;
    if (counting_next_) {
      work_ += kCountingSeconds * static_cast<double>(count);
      count = options_.counting.keep;
    }
    work_ += kFastSeconds * static_cast<double>(count);
    if (options_.last != Sample::fast) work_ += kLastSeconds * static_cast<double>(std::min(count, options_.fast.keep));
  }

  std::vector<std::size_t> shapes(const std::vector<std::size_t>& all) {
    std::vector<std::size_t> first;  // of each shape
    std::map<std::string, std::size_t> number;
    for (const std::size_t i : all)
      if (number.try_emplace(space_[i].shape, first.size()).second) first.push_back(i);
    const auto estimates = run_rung("shapes", first, kShortSeconds, [this](std::size_t i, const RunOptions& options) {
      // The multiple of its step that is nearest to the short K, from above; scaled to the whole.
      const std::int64_t step = space_[i].step;
      const std::int64_t k = std::min(problem_.k, (options_.short_k + step - 1) / step * step);
      return counted(i, k, options);
    });
    const std::vector<std::size_t> passed = passed_on(costs_of(estimates), options_.shapes);
    std::vector<bool> keep(first.size(), false);
    for (const std::size_t at : passed) keep[at] = true;
    std::vector<std::size_t> left;
    for (const std::size_t i : all)
      if (keep[number[space_[i].shape]]) left.push_back(i);
    tuned_.rungs.back().kept = passed.size();
    return left;
  }

  std::vector<std::size_t> counting(const std::vector<std::size_t>& all) {
    const auto estimates =
        run_rung("counting", all, kCountingSeconds,
                 [this](std::size_t i, const RunOptions& options) { return counted(i, problem_.k, options); });
    return pass(all, estimates, options_.counting);
  }

  std::vector<std::size_t> timed(const std::vector<std::size_t>& all, Sample sample, const RungWidth& width,
                                 double seconds) {
    auto estimates = run_rung(name(sample), all, seconds, [this, sample](std::size_t i, const RunOptions& options) {
      return timed_one(i, sample, options);
    });
    const std::vector<double> costs = costs_of(estimates);
    std::vector<Timed>& ranked = timed_.emplace_back();
    for (std::size_t at = 0; at < all.size(); ++at)
      if (costs[at] != kFailed && estimates[at].result["provenance"]["sampled_fraction"] == 1.0)
        whole_[all[at]] = estimates[at].result;
    for (const std::size_t at : passed_on(costs, {all.size(), 0, all.size()}))
      ranked.push_back(
          {all[at], sample, tuned_.rungs.size() - 1, estimates[at].cycles, std::move(estimates[at].result)});
    return pass(all, estimates, width);
  }

  // The configurations of the last rung, fastest first, then those of the rung before that did not get there.
  void finish() {
    std::vector<bool> there(space_.size(), false);
    for (auto rung = timed_.rbegin(); rung != timed_.rend(); ++rung)
      for (const Timed& one : *rung) {
        if (tuned_.best.size() >= options_.top || there[one.configuration]) continue;
        there[one.configuration] = true;
        tuned_.best.push_back({space_[one.configuration], one.rung, one.cycles, one.result});
      }
    if (tuned_.best.empty())
      throw std::runtime_error(fmt::format("no configuration can be run: {}", tuned_.first_failure));
    if (options_.store != nullptr) store_points();
  }

  std::vector<std::size_t> pass(const std::vector<std::size_t>& all, const std::vector<Estimate>& estimates,
                                const RungWidth& width) {
    std::vector<std::size_t> left;
    for (const std::size_t at : passed_on(costs_of(estimates), width)) left.push_back(all[at]);
    tuned_.rungs.back().kept = left.size();
    return left;
  }

  static std::vector<double> costs_of(const std::vector<Estimate>& estimates) {
    std::vector<double> costs;
    costs.reserve(estimates.size());
    for (const Estimate& one : estimates) costs.push_back(one.cost);
    return costs;
  }

  template <class Body>
  std::vector<Estimate> run_rung(const std::string& rung, const std::vector<std::size_t>& all, double seconds,
                                 const Body& body) {
    tuned_.rungs.push_back({rung, all.size(), all.size(), 0});
    std::vector<Estimate> estimates(all.size());
    BatchOptions batch;
    batch.threads = std::min<int>(options_.threads, static_cast<int>(all.size()));
    batch.stop = options_.stop;
    const double work = seconds * static_cast<double>(all.size());
    batch.on_progress = [&](const BatchProgress& progress) {
      store_finished();
      if (options_.on_progress) options_.on_progress(rung, std::min(1.0, (done_ + work * progress.fraction) / work_));
    };
    const int inner = std::max(1, options_.threads / std::max(batch.threads, 1));
    const BatchEnd end = run_batch(
        all.size(),
        [&](const BatchCase& one) {
          RunOptions options;
          options.threads = inner;
          options.on_progress = [&one](const Progress& progress) { one.at(progress.fraction); };
          Estimate& estimate = estimates[one.number()];
          try {
            estimate = body(all[one.number()], options);
          } catch (const std::exception& error) {
            estimate.failure = error.what();
          }
        },
        batch);
    store_finished();
    if (end.stopped) throw BatchStopped{};
    end.rethrow_first();
    done_ += work;
    for (std::size_t at = 0; at < all.size(); ++at) {
      const Estimate& one = estimates[at];
      if (one.cycles != kFailed) tuned_.trials.push_back({tuned_.rungs.size() - 1, space_[all[at]].word, one.cycles});
      if (one.stored) ++tuned_.rungs.back().stored;
      if (one.failure.empty()) continue;
      ++tuned_.failed;
      if (tuned_.first_failure.empty()) tuned_.first_failure = one.failure;
    }
    return estimates;
  }

  std::unique_ptr<Kernel> kernel(std::size_t i, std::int64_t k) const {
    auto made = space_[i].make(k);
    if (!made) throw std::invalid_argument(space_[i].word + ": " + made.error());
    return std::move(*made);
  }

  Estimate counted(std::size_t i, std::int64_t k, RunOptions options) const {
    options.mode = Mode::counts;
    options.sample = Sample::fast;
    const auto made = kernel(i, k);
    const RunOutcome outcome = simulate(gpu_, *made, options);
    Estimate estimate;
    // Work grows with K.
    estimate.cycles =
        static_cast<double>(outcome.coarse_cycles) * static_cast<double>(problem_.k) / static_cast<double>(k);
    estimate.cost = estimate.cycles;
    return estimate;
  }

  std::string key(std::size_t i, Sample sample) const {
    const Configuration& one = space_[i];
    return sweep::result_key(Mode::timing, sample, CacheControl::all, identity_, one.store_identity,
                             one.store_parameters);
  }

  Estimate timed_one(std::size_t i, Sample sample, RunOptions options) {
    Estimate estimate;
    const auto whole = whole_.find(i);
    const std::string name = options_.store != nullptr ? key(i, sample) : "";
    if (const auto found = known_.find(name); options_.store != nullptr && found != known_.end()) {
      estimate.result = Json::parse(found->second);
      estimate.stored = true;
    } else if (whole != whole_.end()) {
      estimate.result = whole->second;
    } else {
      const auto began = std::chrono::steady_clock::now();
      options.mode = Mode::timing;
      options.sample = sample;
      const auto made = kernel(i, problem_.k);
      const RunOutcome outcome = simulate(gpu_, *made, options);
      estimate.result = result_json(make_result(gpu_, made->launch(), options, outcome));
      if (options_.store != nullptr) {
        const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
        const std::scoped_lock lock(mutex_);
        finished_.push_back({name, true, "", estimate.result.dump(-1, ' ', false, Json::error_handler_t::replace),
                             seconds, fmt::format("{}+{}", version(), source_hash())});
      }
    }
    const Json& metrics = estimate.result.at("metrics");
    estimate.cycles = metrics.at("gpc__cycles_elapsed.max").get<double>();
    estimate.cost = metrics.at("gpu__time_duration.sum").get<double>();  // tensor cores slow the clock down
    return estimate;
  }

  void store_finished() {
    if (options_.store == nullptr) return;
    std::vector<sweep::StoredResult> now;
    {
      const std::scoped_lock lock(mutex_);
      now = std::exchange(finished_, {});
    }
    if (!now.empty()) options_.store->add_results(now);
  }

  // What was timed, as a study of the store: fastest first, each with its last sample.
  void store_points() {
    std::vector<sweep::StoredPoint> points;
    std::vector<bool> there(space_.size(), false);
    const std::string study = fmt::format("tune_{}_{}x{}x{}", problem_.dtype, problem_.m, problem_.n, problem_.k);
    for (auto rung = timed_.rbegin(); rung != timed_.rend(); ++rung)
      for (const Timed& one : *rung) {
        if (there[one.configuration]) continue;
        there[one.configuration] = true;
        const Configuration& configuration = space_[one.configuration];
        const Sample sample = whole_.count(one.configuration) != 0 ? Sample::fast : one.sample;
        Json parameters = Json::object();
        for (const auto& [name, value] : configuration.store_parameters) parameters[name] = value;
        points.push_back({study, static_cast<std::int64_t>(points.size()) + 1, key(one.configuration, sample),
                          configuration.store_label, gpu_.name, parameters.dump(), "timing", name(sample)});
      }
    options_.store->set_points(points);
  }

  const GpuSpec& gpu_;
  const Problem& problem_;
  std::vector<Configuration> space_;
  const SearchOptions& options_;
  std::string identity_;
  std::map<std::string, std::string> known_;  // of the store: key to result

  bool shapes_first_ = false, counting_next_ = false;
  double work_ = 0, done_ = 0;  // seconds of one thread
  Tuned tuned_;
  std::map<std::size_t, Json> whole_;  // results of launches that were simulated to their end: no other sample differs
  std::vector<std::vector<Timed>> timed_;  // by the rungs that time, each fastest first

  std::mutex mutex_;
  std::vector<sweep::StoredResult> finished_;  // and not yet stored
};

}  // namespace

std::vector<std::size_t> passed_on(const std::vector<double>& costs, const RungWidth& width) {
  std::vector<std::size_t> order(costs.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return costs[a] < costs[b]; });
  std::vector<std::size_t> passed;
  for (const std::size_t i : order) {
    if (costs[i] == kFailed) break;
    const bool close = passed.size() < width.most && costs[i] <= costs[order[0]] * (1 + width.margin);
    if (passed.size() >= width.keep && !close) break;
    passed.push_back(i);
  }
  return passed;
}

Tuned search(const GpuSpec& gpu, const Problem& problem, std::vector<Configuration> space,
             const SearchOptions& options) {
  return Search(gpu, problem, std::move(space), options).run();
}

}  // namespace tilescope::tune
