#include "sim/studies/tune/compiled_set.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <stdexcept>
#include <tuple>

#include "models/occupancy.h"
#include "models/support/suggest.h"
#include "models/support/text_file.h"
#include "models/support/yaml_section.h"
#include "models/support/yaml_text.h"
#include "sim/simulate.h"
#include "sim/studies/measured/launch_template.h"
#include "sim/studies/sweep/study_kernel.h"
#include "traces/open_kernel.h"

namespace tilescope::tune {

struct CompiledFamily {
  std::string kernel, dtype = "f32";
  std::vector<std::string> columns;
  std::vector<std::vector<std::string>> instances;
  LaunchTemplate name;
  std::vector<RowExpression> multiples;  // of M, N and K; or none
  std::vector<std::pair<std::string, RowExpression>> names;
  LaunchTemplate launch;
};

namespace {

const std::vector<std::string> kKeys = {"kernel", "dtype",     "columns", "instances",
                                        "name",   "multiples", "let",     "launch"};
const std::vector<std::string> kSizes = {"m", "n", "k", "sms"};

class Reader {
 public:
  explicit Reader(const std::string& path) : file_{path, 1, 1} {}

  tl::expected<std::vector<std::shared_ptr<const CompiledFamily>>, Diagnostics> read(const YAML::Node& root) {
    families(root);
    if (errors_.empty()) return std::move(all_);
    std::stable_sort(errors_.begin(), errors_.end(), [](const Diagnostic& a, const Diagnostic& b) {
      return std::tie(a.line, a.column) < std::tie(b.line, b.column);
    });
    return tl::unexpected(std::move(errors_));
  }

 private:
  void error(const Place& place, std::string message) { errors_.push_back(place.error(std::move(message))); }

  void families(const YAML::Node& root) {
    if (!root.IsMap())
      return error(place_of(root, file_), fmt::format("got {}; must be a map with the key families", seen(root)));
    YamlSection section(root, "", file_, errors_);
    const YamlSection::Entry* list = section.take("families");
    section.refuse_unknown({"families"}, errors_);
    if (list == nullptr) return error(file_, "families: missing; must be a list of families of compiled kernels");
    if (!list->value.IsSequence() || list->value.size() == 0)
      return error(list->key_place, fmt::format("families: got {}; must be a list of families of compiled kernels",
                                                list->value.IsSequence() ? "an empty list" : seen(list->value)));
    for (const YAML::Node& node : list->value) family(node);
  }

  void family(const YAML::Node& node) {
    if (!node.IsMap())
      return error(place_of(node, file_), fmt::format("family: got {}; must be a map with kernel", seen(node)));
    YamlSection section(node, "", place_of(node, file_), errors_);
    auto family = std::make_shared<CompiledFamily>();
    const YamlSection::Entry* dtype = section.take("dtype");
    const YamlSection::Entry* multiples = section.take("multiples");
    const YamlSection::Entry* names = section.take("let");
    family->kernel = text(section, "kernel", "the family's name");
    columns(section, *family);
    if (dtype != nullptr) type(*dtype, *family);
    if (names != nullptr) let(*names, *family);
    family->name = words(section, "name", "a name with formulas, such as gemm_${bm}x${bn}", *family);
    family->launch = words(section, "launch", "the text of a launch file (launch: |)", *family);
    if (multiples != nullptr) sides(*multiples, *family);
    section.refuse_unknown(kKeys, errors_);
    all_.push_back(std::move(family));
  }

  std::string text(YamlSection& section, const char* key, const char* wanted) {
    const YamlSection::Entry* entry = section.take(key);
    if (entry != nullptr && entry->value.IsScalar() && !entry->value.Scalar().empty()) return entry->value.Scalar();
    if (entry == nullptr)
      error(section.place(), fmt::format("{}: missing; must be {}", key, wanted));
    else
      error(entry->key_place, fmt::format("{}: got {}; must be {}", key, seen(entry->value), wanted));
    return "";
  }

  void type(const YamlSection::Entry& entry, CompiledFamily& family) {
    family.dtype = entry.value.IsScalar() ? entry.value.Scalar() : "";
    const auto& known = dtypes();
    if (std::find(known.begin(), known.end(), family.dtype) == known.end())
      error(place_of(entry.value, entry.key_place),
            fmt::format("dtype: got {}; must be {}", seen(entry.value), list_of(known)));
  }

  static std::optional<std::vector<std::string>> scalars(const YAML::Node& node) {
    if (!node.IsSequence() || node.size() == 0) return std::nullopt;
    std::vector<std::string> all;
    for (const YAML::Node& one : node) {
      if (!one.IsScalar()) return std::nullopt;
      all.push_back(one.Scalar());
    }
    return all;
  }

  void columns(YamlSection& section, CompiledFamily& family) {
    const YamlSection::Entry* head = section.take("columns");
    const YamlSection::Entry* rows = section.take("instances");
    if (head == nullptr) return error(section.place(), "columns: missing; must be a list of names");
    if (rows == nullptr)
      return error(section.place(), "instances: missing; must be a list of lists, one for each kernel");
    const auto names = scalars(head->value);
    if (!names)
      return error(head->key_place, fmt::format("columns: got {}; must be a list of names", seen(head->value)));
    family.columns = *names;
    if (!rows->value.IsSequence() || rows->value.size() == 0)
      return error(rows->key_place, fmt::format("instances: got {}; must be a list of lists", seen(rows->value)));
    for (const YAML::Node& row : rows->value) {
      const auto cells = scalars(row);
      if (cells && cells->size() == names->size())
        family.instances.push_back(*cells);
      else
        error(place_of(row, rows->key_place),
              fmt::format("instances: got {}; must be a list of {} values, one for each of columns",
                          cells ? fmt::format("{} values", cells->size()) : seen(row), names->size()));
    }
  }

  void check(const RowExpression& formula, const Place& place, const std::string& key, const CompiledFamily& family) {
    std::vector<std::string> known = kSizes;
    known.insert(known.end(), family.columns.begin(), family.columns.end());
    for (const auto& [name, unused] : family.names) known.push_back(name);
    for (const std::string& name : formula.names())
      if (std::find(known.begin(), known.end(), name) == known.end())
        error(place, fmt::format("{}: unknown name {}{}; must be {}", key, in_quotes(name), did_you_mean(name, known),
                                 list_of(known)));
    if (formula.highest_capture() > 0)
      error(place, fmt::format("{}: got ${}; there is no pattern here that captures", key, formula.highest_capture()));
  }

  void let(const YamlSection::Entry& entry, CompiledFamily& family) {
    if (!entry.value.IsMap())
      return error(entry.key_place, fmt::format("let: got {}; must be a map of names and formulas", seen(entry.value)));
    for (const auto& pair : entry.value)
      if (auto formula = formula_of(pair.second, entry, "let." + pair.first.Scalar(), family))
        family.names.emplace_back(pair.first.Scalar(), std::move(*formula));
  }

  std::optional<RowExpression> formula_of(const YAML::Node& node, const YamlSection::Entry& entry,
                                          const std::string& key, const CompiledFamily& family) {
    const Place place = place_of(node, entry.key_place);
    const std::string text = node.IsScalar() ? node.Scalar() : "";
    try {
      RowExpression formula(text);
      check(formula, place, key, family);
      return formula;
    } catch (const ExpressionError& broken) {
      error(place, fmt::format("{}: in the formula {}: {}", key, in_quotes(text), broken.sentence));
      return std::nullopt;
    }
  }

  LaunchTemplate words(YamlSection& section, const char* key, const char* wanted, const CompiledFamily& family) {
    const std::string written = text(section, key, wanted);
    const YamlSection::Entry* entry = section.find(key);
    if (entry == nullptr || written.empty()) return {};
    try {
      LaunchTemplate made(written);
      for (const RowExpression& formula : made.formulas()) check(formula, entry->key_place, key, family);
      return made;
    } catch (const ExpressionError& broken) {
      const std::string before = written.substr(0, broken.column - 1);
      const auto line = std::count(before.begin(), before.end(), '\n') + 1;
      error(entry->key_place, fmt::format("{}: in line {} of its text: {}", key, line, broken.sentence));
      return {};
    }
  }

  void sides(const YamlSection::Entry& entry, CompiledFamily& family) {
    if (!entry.value.IsSequence() || entry.value.size() != 3)
      return error(entry.key_place, fmt::format("multiples: got {}; must be a list of three formulas, for M, N and K",
                                                entry.value.IsSequence() ? fmt::format("{} values", entry.value.size())
                                                                         : seen(entry.value)));
    for (const YAML::Node& one : entry.value)
      if (auto formula = formula_of(one, entry, "multiples", family)) family.multiples.push_back(std::move(*formula));
  }

  Place file_;
  Diagnostics errors_;
  std::vector<std::shared_ptr<const CompiledFamily>> all_;
};

using Values = std::map<std::string, std::string>;

// The values of an instance's names for a problem with this K.
Values values_of(const CompiledFamily& family, std::size_t instance, const GpuSpec& gpu, const Problem& problem,
                 std::int64_t k) {
  Values values{{"m", std::to_string(problem.m)},
                {"n", std::to_string(problem.n)},
                {"k", std::to_string(k)},
                {"sms", std::to_string(gpu.sm.count())}};
  for (std::size_t i = 0; i < family.columns.size(); ++i) values[family.columns[i]] = family.instances[instance][i];
  return values;
}

RowValues reader_of(const Values& values) {
  return {{}, [&values](const std::string& name) -> std::optional<std::string> {
            const auto found = values.find(name);
            return found == values.end() ? std::nullopt : std::optional(found->second);
          }};
}

std::string launch_text(const CompiledFamily& family, std::size_t instance, const GpuSpec& gpu, const Problem& problem,
                        std::int64_t k) {
  Values values = values_of(family, instance, gpu, problem, k);
  for (const auto& [name, formula] : family.names) values[name] = formula.value(reader_of(values));
  return family.launch.filled(reader_of(values));
}

std::int64_t side(const CompiledFamily& family, std::size_t which, const Values& values) {
  return family.multiples.empty() ? 1 : std::stoll(family.multiples[which].value(reader_of(values)));
}

}  // namespace

tl::expected<CompiledSet, Diagnostics> CompiledSet::read(const std::string& path) {
  const auto text = read_text_file(path);
  if (!text) return tl::unexpected(Diagnostics{text.error()});
  return read_text(*text, path);
}

tl::expected<CompiledSet, Diagnostics> CompiledSet::read_text(const std::string& text, const std::string& path) {
  const auto root = parse_yaml(text, path);
  if (!root) return tl::unexpected(Diagnostics{root.error()});
  auto families = Reader(path).read(*root);
  if (!families) return tl::unexpected(families.error());
  CompiledSet set;
  set.path_ = path;
  set.all_ = std::move(*families);
  return set;
}

std::vector<std::string> CompiledSet::families() const {
  std::vector<std::string> names;
  for (const auto& family : all_)
    if (std::find(names.begin(), names.end(), family->kernel) == names.end()) names.push_back(family->kernel);
  return names;
}

std::vector<Configuration> CompiledSet::space(const GpuSpec& gpu, const Problem& problem,
                                              const std::vector<std::string>& families) const {
  std::vector<Configuration> all;
  Misfits misfits;
  for (const auto& family : all_) {
    if (family->dtype != problem.dtype) continue;
    if (std::find(families.begin(), families.end(), family->kernel) == families.end()) continue;
    for (std::size_t i = 0; i < family->instances.size(); ++i) {
      const Values values = values_of(*family, i, gpu, problem, problem.k);
      Configuration one;
      std::string text;
      try {
        const std::int64_t m = side(*family, 0, values), n = side(*family, 1, values), k = side(*family, 2, values);
        misfits.add(m, n, k);
        if (problem.m % m != 0 || problem.n % n != 0 || problem.k % k != 0) continue;
        one.step = k;
        one.word = family->name.filled(reader_of(values));
        text = launch_text(*family, i, gpu, problem, problem.k);
      } catch (const ExpressionError& broken) {
        throw std::invalid_argument(fmt::format("{}: {}: {}", path_, family->kernel, broken.sentence));
      }
      one.family = one.shape = family->kernel;
      for (std::size_t c = 0; c < family->columns.size(); ++c) {
        const std::string& name = family->columns[c];
        if (name == "code") continue;
        one.parameters.emplace_back(name, family->instances[i][c]);
        if (name != "group") one.shape += fmt::format(" {}={}", name, family->instances[i][c]);
        if (name == "group" && family->instances[i][c] != "1")
          one.word += fmt::format(" group {}", family->instances[i][c]);
      }
      one.make = [family, i, gpu, problem,
                  path = path_](std::int64_t k) -> tl::expected<std::unique_ptr<Kernel>, std::string> {
        try {
          auto made = open_kernel_text(launch_text(*family, i, gpu, problem, k), path);
          if (!made) return tl::unexpected(joined_messages(made.error()));
          return std::move(*made);
        } catch (const ExpressionError& broken) {
          return tl::unexpected(broken.sentence);
        }
      };
      const auto made = one.make(problem.k);
      if (!made) throw std::invalid_argument(fmt::format("{}: {}: {}", path_, one.word, made.error()));
      if (!launch_problems(gpu, cta_resources((*made)->launch())).empty()) continue;
      one.store_label = one.word;
      one.store_identity = sweep::launch_content_hash(text, path_);
      one.store_parameters = one.parameters;
      one.store_parameters.insert(
          one.store_parameters.begin(),
          {{"M", std::to_string(problem.m)}, {"N", std::to_string(problem.n)}, {"K", std::to_string(problem.k)}});
      all.push_back(std::move(one));
    }
  }
  if (all.empty()) throw std::invalid_argument(misfits.sentence(problem, path_));
  return all;
}

}  // namespace tilescope::tune
