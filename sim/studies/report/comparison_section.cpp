#include "sim/studies/report/comparison_section.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <vector>

#include "models/support/diagnostic.h"

namespace tilescope::report {
namespace {

using CaseJson = nlohmann::ordered_json;

constexpr int kDeepest = 16;  // of nested values; a comparison has five

// What is wrong, for its reader.
struct WrongShape {
  std::string sentence;
};

CaseJson parsed(const std::string& file, const std::string& text) {
  const auto shallow = [](int depth, CaseJson::parse_event_t, CaseJson&) {
    if (depth > kDeepest) throw WrongShape{fmt::format("more than {} levels of nesting", kDeepest)};
    return true;
  };
  try {
    return CaseJson::parse(text, shallow);
  } catch (const nlohmann::json::parse_error& error) {
    const auto until =
        text.begin() + static_cast<std::ptrdiff_t>(std::min(text.size(), error.byte > 0 ? error.byte - 1 : 0));
    const auto line = static_cast<int>(1 + std::count(text.begin(), until, '\n'));
    const auto begin = std::find(std::make_reverse_iterator(until), text.rend(), '\n').base();
    throw DiagnosticsError({{file, line, static_cast<int>(until - begin) + 1, "is no JSON here"}});
  } catch (const nlohmann::json::exception& error) {
    throw std::invalid_argument(fmt::format("{}: {}", file, error.what()));
  }
}

const CaseJson& member(const CaseJson& json, const char* name, const std::string& of) {
  if (!json.is_object() || !json.contains(name)) throw WrongShape{fmt::format("{} has no '{}'", of, name)};
  return json[name];
}

// A number, or null.
CaseJson number_of(const CaseJson& json, const char* name, const std::string& of) {
  if (!json.is_object() || !json.contains(name)) return nullptr;
  if (!json[name].is_number() && !json[name].is_null()) throw WrongShape{fmt::format("{}.{} is no number", of, name)};
  return json[name];
}

std::string text_of(const CaseJson& json, const char* name, const std::string& of) {
  const CaseJson& value = member(json, name, of);
  if (!value.is_string()) throw WrongShape{fmt::format("{}.{} is no text", of, name)};
  return value.get<std::string>();
}

CaseJson cases_as_columns(const CaseJson& cases, const CaseJson& totals) {
  if (!cases.is_array()) throw WrongShape{"cases is no list"};
  CaseJson columns = {{"case", CaseJson::array()}, {"family", CaseJson::array()}, {"program", CaseJson::array()}};
  columns["metrics"] = CaseJson::object();
  bool programs = false;
  for (std::size_t i = 0; i < cases.size(); ++i) {
    const std::string of = fmt::format("cases[{}]", i);
    columns["case"].push_back(text_of(cases[i], "case", of));
    columns["family"].push_back(text_of(cases[i], "family", of));
    const bool known = cases[i].contains("program");
    programs = programs || known;
    columns["program"].push_back(known ? text_of(cases[i], "program", of) : "");
  }
  if (!programs) columns.erase("program");
  for (const auto& [name, total] : totals.items()) {
    CaseJson& metric = columns["metrics"][name];
    for (const char* key : {"predicted", "measured", "error"}) {
      metric[key] = CaseJson::array();
      for (std::size_t i = 0; i < cases.size(); ++i) {
        const std::string of = fmt::format("cases[{}].metrics.{}", i, name);
        const CaseJson& metrics = member(cases[i], "metrics", fmt::format("cases[{}]", i));
        const bool has = metrics.is_object() && metrics.contains(name);
        metric[key].push_back(has ? number_of(metrics[name], key, of) : CaseJson());
      }
    }
  }
  return columns;
}

CaseJson totals_of(const CaseJson& totals) {
  if (!totals.is_object()) throw WrongShape{"totals is no object"};
  CaseJson all = CaseJson::object();
  for (const auto& [name, total] : totals.items()) {
    const std::string of = "totals." + name;
    CaseJson& one =
        all[name] = {{"unit", text_of(total, "unit", of)}, {"error_unit", text_of(total, "error_unit", of)}};
    for (const char* key : {"cases", "equal", "undefined", "mean", "median", "p90", "bias", "within_5_pct",
                            "within_10_pct", "within_20_pct", "log_correlation"})
      one[key] = number_of(total, key, of);
    if (total.contains("worst_case")) one["worst_case"] = text_of(total, "worst_case", of);
  }
  return all;
}

CaseJson words_of(const CaseJson& comparison) {
  CaseJson words = CaseJson::array();
  const CaseJson& measured = member(comparison, "measured", "the comparison");
  if (!measured.is_array()) throw WrongShape{"measured is no list"};
  for (const CaseJson& file : measured) {
    if (!file.is_string()) throw WrongShape{"measured holds what is no text"};
    words.push_back(file);
  }
  return words;
}

}  // namespace

CaseJson comparison_section(const std::string& file, const std::string& text) {
  try {
    const CaseJson comparison = parsed(file, text);
    const auto schema = comparison.is_object() ? comparison.find("schema") : comparison.end();
    const bool known = comparison.is_object() && schema != comparison.end() && *schema == "tilescope.compare/1";
    if (!known)
      throw std::invalid_argument(
          fmt::format("{}: is no comparison; must be what tilescope compare --format json writes, of schema "
                      "tilescope.compare/1",
                      file));
    CaseJson json = {{"kind", "comparison"}, {"file", file}, {"gpu", text_of(comparison, "gpu", "the comparison")}};
    json["measured"] = words_of(comparison);
    for (const char* key : {"config_hash", "mode", "sample"}) json[key] = text_of(comparison, key, "the comparison");
    json["sm_mhz"] = number_of(comparison, "sm_mhz", "the comparison");
    json["totals"] = totals_of(member(comparison, "totals", "the comparison"));
    json["cases"] = cases_as_columns(member(comparison, "cases", "the comparison"), json["totals"]);
    const CaseJson& unmatched = member(comparison, "unmatched", "the comparison");
    json["unmatched"] = unmatched.is_array() ? unmatched.size() : 0;
    return json;
  } catch (const WrongShape& wrong) {
    throw std::invalid_argument(
        fmt::format("{}: {}; must be what tilescope compare --format json writes", file, wrong.sentence));
  }
}

}  // namespace tilescope::report
