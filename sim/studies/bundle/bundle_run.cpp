#include "sim/studies/bundle/bundle_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <new>
#include <set>
#include <utility>

#include "models/occupancy.h"
#include "sim/studies/batch.h"
#include "traces/bundle/bundle_reader.h"

namespace tilescope {
namespace {

constexpr std::size_t kMostKinds = 5;  // of problems, in the words for them

LaunchRun ended(LaunchRun::End end, const Diagnostics& problems) {
  std::string reason = to_string(problems.front());
  if (problems.size() > 1) reason += fmt::format(" (and {} more)", problems.size() - 1);
  return {end, std::nullopt, std::move(reason), kind_of_problem(problems)};
}

LaunchRun failed(const std::string& reason) { return {LaunchRun::End::failed, std::nullopt, reason, reason}; }

LaunchRun run_one(const GpuSpec& gpu, const Kernel& kernel, const RunOptions& options) {
  const auto problems = launch_problems(gpu, cta_resources(kernel.launch()));
  if (!problems.empty()) {
    const std::string reason = "can not be launched on " + gpu.name + ": " + problems.front();
    return {LaunchRun::End::refused, std::nullopt, reason, reason};
  }
  try {
    return {LaunchRun::End::done, make_result(gpu, kernel.launch(), options, simulate(gpu, kernel, options)), "", ""};
  } catch (const DiagnosticsError& error) {
    return ended(LaunchRun::End::failed, error.diagnostics());
  } catch (const std::bad_alloc&) {
    return failed("out of memory");
  } catch (const std::exception& error) {
    return failed(error.what());
  }
}

// "file: 'a.zst': is too large" -> "file: is too large"; "the values of 'X' are" -> "the values of ... are"
std::string without_quotes(std::string text) {
  for (std::size_t from = text.find('\''); from != std::string::npos; from = text.find('\'', from)) {
    const std::size_t end = text.find('\'', from + 1);
    if (end == std::string::npos) break;
    const bool more = text.compare(end + 1, 2, ": ") == 0;
    text.replace(from, end + 1 - from + (more ? 2 : 0), more ? "" : "...");
  }
  return text;
}

// What a message says without what it quotes, and the first word of that: "unknown opcode", "SYNCS".
std::pair<std::string, std::string> parts_of(const std::string& message) {
  const std::size_t got = message.find(": got '");
  const std::size_t accepted = message.find("'; ");
  if (message.starts_with("got '") && accepted != std::string::npos) return {message.substr(accepted + 3), ""};
  if (got == std::string::npos) return {without_quotes(message.substr(0, message.find(';'))), ""};
  std::size_t from = got + std::string(": got '").size();
  if (message[from] == '@') from = std::min(message.find(' ', from), message.size() - 1) + 1;  // a guard
  std::string word = message.substr(from, message.find_first_of(". '", from) - from);
  const bool opcode = word.size() > 1 &&
                      word.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789") == std::string::npos &&
                      word.find_first_of("ABCDEFGHIJKLMNOPQRSTUVWXYZ") == 0;
  if (opcode) return {message.substr(0, got), std::move(word)};
  return {message.substr(0, message.find(';')), ""};
}

}  // namespace

std::string kind_of_problem(const Diagnostics& problems) {
  std::map<std::string, std::set<std::string>> kinds;
  for (const Diagnostic& problem : problems) {
    auto [what, word] = parts_of(problem.message);
    auto& words = kinds[std::move(what)];
    if (!word.empty()) words.insert(std::move(word));
  }
  std::string text;
  std::size_t count = 0;
  for (const auto& [what, words] : kinds) {
    if (count++ == kMostKinds) return text + "; ...";
    text += (text.empty() ? "" : "; ") + what;
    if (!words.empty()) text += fmt::format(": {}", fmt::join(words, ", "));
  }
  return text;
}

std::size_t BundleRun::ended(LaunchRun::End end) const {
  std::size_t count = 0;
  for (const auto& by_gpu : runs)
    count += static_cast<std::size_t>(
        std::count_if(by_gpu.begin(), by_gpu.end(), [end](const LaunchRun& run) { return run.end == end; }));
  return count;
}

BundleRun run_bundle(bundle::Bundle bundle, std::vector<std::size_t> launches, const std::vector<GpuSpec>& gpus,
                     const RunOptions& options, const sass::Limits& limits) {
  BundleRun all;
  all.bundle = std::move(bundle);
  all.launches = std::move(launches);
  all.options = options;
  for (const GpuSpec& gpu : gpus) all.gpus.push_back(gpu.name);
  all.runs.resize(all.launches.size());

  BatchOptions batch;
  batch.threads = options.threads;
  for (const std::size_t launch : all.launches) {
    const bundle::BundleLaunch& one = all.bundle.launches[launch];
    batch.work.push_back(static_cast<double>(one.grid.count()) * static_cast<double>(one.block.count()));
  }
  if (options.on_progress) batch.on_progress = [&](const BatchProgress& now) { options.on_progress({now.fraction}); };
  bundle::BundleReader reader(all.bundle, limits);
  const auto simulate_one = [&](const BatchCase& one) {
    auto& runs = all.runs[one.number()];
    sass::ReadLaunch read = reader.open(all.launches[one.number()]);
    if (!read.launch) {
      const bool wrong = !read.errors.empty();
      runs.assign(gpus.size(),
                  ended(wrong ? LaunchRun::End::failed : LaunchRun::End::refused, wrong ? read.errors : read.refused));
      return;
    }
    const std::unique_ptr<Kernel> kernel = sass::kernel_of(*std::move(read.launch));
    RunOptions own = options;
    own.threads = 1;
    for (std::size_t i = 0; i < gpus.size(); ++i) {
      const auto share = [&](double fraction) {
        return (static_cast<double>(i) + fraction) / static_cast<double>(gpus.size());
      };
      own.on_progress = [&](const Progress& p) { one.at(share(p.fraction)); };
      runs.push_back(run_one(gpus[i], *kernel, own));
    }
  };
  run_batch(all.launches.size(), simulate_one, batch).rethrow_first();
  return all;
}

}  // namespace tilescope
