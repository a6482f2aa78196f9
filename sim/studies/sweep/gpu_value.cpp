#include "sim/studies/sweep/gpu_value.h"

#include <fmt/format.h>

#include "models/support/spec_reader.h"
#include "models/support/spec_tree.h"

namespace tilescope::sweep {
namespace {

// Hands everything on but the rules that span fields.
class WithoutRules : public SpecFields {
 public:
  explicit WithoutRules(SpecFields& behind) : behind_(behind) {}
  void integer(std::string_view key, std::int64_t& value, Range<std::int64_t> range, std::string_view unit,
               std::string_view meaning) override {
    behind_.integer(key, value, range, unit, meaning);
  }
  void real(std::string_view key, double& value, Range<double> range, std::string_view unit,
            std::string_view meaning) override {
    behind_.real(key, value, range, unit, meaning);
  }
  void boolean(std::string_view key, bool& value, std::string_view meaning) override {
    behind_.boolean(key, value, meaning);
  }
  void text(std::string_view key, std::string& value, std::string_view meaning) override {
    behind_.text(key, value, meaning);
  }
  void choice(std::string_view key, std::int64_t& value, const std::vector<std::string>& names,
              std::string_view meaning) override {
    behind_.choice(key, value, names, meaning);
  }
  void integers(std::string_view key, std::vector<std::int64_t>& values, Range<std::int64_t> range,
                std::string_view unit, std::string_view meaning) override {
    behind_.integers(key, values, range, unit, meaning);
  }
  void section(std::string_view key, std::string_view meaning, const std::function<void(SpecFields&)>& body) override {
    behind_.section(key, meaning, [&body](SpecFields& inner) {
      WithoutRules without(inner);
      body(without);
    });
  }
  void require(bool /*holds*/, std::string_view /*key*/, const std::string& /*problem*/) override {}

 private:
  SpecFields& behind_;
};

std::string text_of(const nlohmann::ordered_json& value) {
  if (value.is_string()) return value.get<std::string>();
  if (value.is_number_float()) return fmt::format("{}", value.get<double>());
  if (!value.is_array()) return value.dump();
  std::string text;
  for (const auto& one : value) text += (text.empty() ? "" : ", ") + text_of(one);
  return "[" + text + "]";
}

}  // namespace

std::string gpu_value_problem(const std::string& path, const std::string& value) {
  GpuSpec spec;
  const Override set{path, value};
  // An empty configuration: what it lacks is said under another name than the value's.
  const Diagnostics errors = read_fields("{}", "", {set}, [&spec](SpecFields& fields) {
    WithoutRules without(fields);
    spec.fields(without);
  });
  const std::string label = set.label();
  for (const Diagnostic& error : errors)
    if (error.file == label) return error.message;
  return "";
}

std::string gpu_value_text(const GpuSpec& gpu, const std::string& path) {
  std::string text;
  each_value(spec_tree(gpu), [&](const std::string& at, const SpecNode& node) {
    if (at == path) text = text_of(node.value);
  });
  return text;
}

const std::vector<std::string>& gpu_paths() {
  static const std::vector<std::string> paths = [] {
    std::vector<std::string> all;
    each_value(blank_tree<GpuSpec>(), [&all](const std::string& at, const SpecNode&) { all.push_back(at); });
    return all;
  }();
  return paths;
}

}  // namespace tilescope::sweep
