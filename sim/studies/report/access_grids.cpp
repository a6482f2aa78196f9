#include "sim/studies/report/access_grids.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>

#include "models/shared_banks.h"
#include "sim/results/source_files.h"
#include "sim/studies/explain/access_survey.h"
#include "sim/studies/explain/access_words.h"

namespace tilescope::report {
namespace {

using GridJson = nlohmann::ordered_json;
using explain::ExampleAccess;
using explain::SurveyedAccess;

struct CountedAccess {
  const SurveyedAccess* access = nullptr;    // the one farthest from its ideal
  std::int64_t instructions = 0;             // static ones
  double requests = 0, cost = 0, ideal = 0;  // of the launch
};

std::int64_t address_of(const ExampleAccess& example, int lane) {
  return static_cast<std::int64_t>(example.base) + example.pattern.offset[static_cast<std::size_t>(lane)];
}

// The pass in which a bank serves its word, from 1; 0: not in this phase.
std::int64_t pass_of(const BankPhase& phase, std::size_t bank, std::int64_t word) {
  const auto& words = phase.words[bank];
  const auto found = std::find(words.begin(), words.end(), word);
  return found == words.end() ? 0 : found - words.begin() + 1;
}

void add_banks(GridJson& json, const SharedBanks& banks, const ExampleAccess& example, bool load) {
  for (const char* column : {"lane", "bank", "pass"}) json[column] = GridJson::array();
  for (const BankPhase& phase : banks.phases(example.pattern, load ? SharedOp::load : SharedOp::store, example.base))
    for (int lane = 0; lane < kLanes; ++lane) {
      if ((phase.lanes >> static_cast<unsigned>(lane) & 1U) == 0) continue;
      const std::int64_t at = address_of(example, lane);
      for (std::int64_t word = at / banks.bytes(); word <= (at + example.pattern.bytes - 1) / banks.bytes(); ++word) {
        const auto bank = static_cast<std::size_t>(word % banks.banks());
        const std::int64_t pass = pass_of(phase, bank, word);
        if (pass == 0) continue;
        json["lane"].push_back(lane);
        json["bank"].push_back(bank);
        json["pass"].push_back(pass);
      }
    }
}

// Lines are numbered from 0, in the order of their addresses; words of 4 B within a line.
void add_words(GridJson& json, const ExampleAccess& example) {
  std::map<std::int64_t, std::int64_t> number_of;
  for (int lane = 0; lane < kLanes; ++lane) {
    if (!example.pattern.is_active(lane)) continue;
    const std::int64_t at = address_of(example, lane);
    for (std::int64_t line = at / kLineBytes; line <= (at + example.pattern.bytes - 1) / kLineBytes; ++line)
      number_of[line] = 0;
  }
  std::int64_t lines = 0;
  for (auto& [line, number] : number_of) number = lines++;
  json["lines"] = lines;
  for (const char* column : {"lane", "line", "word"}) json[column] = GridJson::array();
  for (int lane = 0; lane < kLanes; ++lane) {
    if (!example.pattern.is_active(lane)) continue;
    const std::int64_t at = address_of(example, lane);
    for (std::int64_t word = at / 4; word <= (at + example.pattern.bytes - 1) / 4; ++word) {
      json["lane"].push_back(lane);
      json["line"].push_back(number_of.at(word * 4 / kLineBytes));
      json["word"].push_back(word * 4 % kLineBytes / 4);
    }
  }
}

GridJson place_json(const Kernel& kernel, SourceFiles& files, std::size_t instruction) {
  const InstructionSource source = kernel.source_of(instruction);
  GridJson json = {{"index", source.index}};
  if (!source.file.empty()) json["file"] = source.file;
  if (!source.file.empty()) json["line"] = source.line;
  if (source.address) json["address"] = fmt::format("0x{:04x}", *source.address);
  const std::string line = source.file.empty() ? "" : files.text_of(source.file, source.line);
  json["text"] = line.empty() ? source.text : line;
  return json;
}

// Accesses of one source line belong together; where lines are not known, those alike: to one array, at one cost.
using AccessKey = std::tuple<AccessKind, std::string, int, int, std::int64_t>;

std::vector<CountedAccess> counted(const Kernel& kernel, const explain::Survey& survey, const RunOutcome& outcome) {
  std::map<AccessKey, std::size_t> group_of;
  std::vector<CountedAccess> all;
  for (const SurveyedAccess& access : survey.accesses) {
    if (access.kind == AccessKind::async_store || access.kind == AccessKind::none || access.cost == 0) continue;
    const AccessCounters& counters = outcome.instructions[access.instruction].of(access.kind);
    if (counters.requests == 0) continue;
    const InstructionSource source = kernel.source_of(access.instruction);
    const bool known = !source.file.empty();
    const auto [at, is_new] = group_of.try_emplace(
        {access.kind, source.file, source.line, known ? -1 : access.array, known ? 0 : access.worst.cost}, all.size());
    if (is_new) all.push_back({&access});
    CountedAccess& group = all[at->second];
    const auto cost = static_cast<double>(is_shared(access.kind) ? counters.wavefronts : counters.sectors);
    ++group.instructions;
    group.requests += static_cast<double>(counters.requests);
    group.cost += cost;
    group.ideal += cost * static_cast<double>(access.ideal) / static_cast<double>(access.cost);
    const ExampleAccess& worst = group.access->worst;
    if (access.worst.cost - access.worst.ideal > worst.cost - worst.ideal) group.access = &access;
  }
  std::stable_sort(all.begin(), all.end(), [](const CountedAccess& a, const CountedAccess& b) {
    const double excess_a = a.cost - a.ideal, excess_b = b.cost - b.ideal;
    return excess_a != excess_b ? excess_a > excess_b : a.cost > b.cost;
  });
  return all;
}

}  // namespace

GridJson access_grids(const GpuSpec& gpu, const Kernel& kernel, const RunOutcome& outcome, std::size_t most) {
  const explain::Survey survey = explain::survey(gpu, kernel);
  const std::vector<CountedAccess> all = counted(kernel, survey, outcome);
  const SharedBanks banks(gpu.shared);
  SourceFiles files(kernel.source_folder());
  GridJson json = {{"of", all.size()}, {"walked_ctas", survey.ctas}, {"banks", banks.banks()}};
  json["grids"] = GridJson::array();
  for (std::size_t i = 0; i < std::min(most, all.size()); ++i) {
    const SurveyedAccess& access = *all[i].access;
    const bool shared = is_shared(access.kind);
    GridJson example = {{"cost", access.worst.cost},
                        {"ideal", access.worst.ideal},
                        {"bytes_per_lane", static_cast<int>(access.worst.pattern.bytes)}};
    GridJson one = {{"access", explain::name_of(access.kind)}, {"shared", shared}};
    one["place"] = place_json(kernel, files, access.instruction);
    one["instructions"] = all[i].instructions;
    one["requests"] = all[i].requests;
    one["cost"] = all[i].cost;
    one["ideal"] = all[i].ideal;
    if (shared) {
      const bool load = is_load(access.kind);
      one["why"] = access.worst.cost > access.worst.ideal ? explain::why_lanes_collide(banks, access.worst, load) : "";
      add_banks(example, banks, access.worst, load);
    } else {
      add_words(example, access.worst);
    }
    one["example"] = std::move(example);
    json["grids"].push_back(std::move(one));
  }
  return json;
}

}  // namespace tilescope::report
