#include "traces/bundle/bundle_facts.h"

#include <fmt/format.h>

#include <algorithm>

#include "models/support/suggest.h"
#include "models/support/yaml_section.h"
#include "models/support/yaml_text.h"
#include "traces/sass/launch_numbers.h"

namespace tilescope::bundle {
namespace {

constexpr const char* kSchema = "tilescope.bundle/1";

}  // namespace

BundleFacts read_facts(const std::string& text, const std::string& path, Diagnostics& errors) {
  BundleFacts facts;
  const auto root = parse_yaml(text, path);
  if (!root || !root->IsMap()) {
    errors.push_back(root ? Diagnostic{path, 1, 1, fmt::format("got {}; must be a map", seen(*root))} : root.error());
    return facts;
  }
  const Place top{path, 1, 1};
  YamlSection section(*root, "", top, errors);
  const auto text_of = [&](const char* name) -> std::string {
    const auto* entry = section.take(name);
    if (entry == nullptr) return {};
    if (entry->value.IsScalar()) return entry->value.Scalar();
    errors.push_back(place_of(entry->value, entry->key_place)
                         .error(fmt::format("{}: got {}; must be a text", name, seen(entry->value))));
    return {};
  };
  const auto refuse = [&](const char* name, const std::string& got, const std::string& must) {
    const auto* entry = section.find(name);
    errors.push_back((entry != nullptr ? place_of(entry->value, entry->key_place) : top)
                         .error(fmt::format("{}: got {}; must be {}", name, tilescope::in_quotes(got), must)));
  };
  if (const std::string schema = text_of("schema"); schema != kSchema) refuse("schema", schema, kSchema);
  facts.gpu = text_of("gpu");
  facts.architecture = text_of("architecture");
  facts.memory = text_of("memory");
  const std::vector<std::string> memories = {"", "none", "inputs", "all"};
  if (std::find(memories.begin(), memories.end(), facts.memory) == memories.end())
    refuse("memory", facts.memory, "none, inputs or all");
  facts.exit = text_of("exit");
  if (const std::string driver = text_of("driver"); !driver.empty()) {
    facts.driver = sass::whole_in(driver);
    if (!facts.driver) refuse("driver", driver, "a number such as 13000");
  }
  if (const auto* program = section.take("program")) {
    if (program->value.IsScalar())
      facts.program = {program->value.Scalar()};
    else if (!program->value.IsSequence())
      errors.push_back(place_of(program->value, program->key_place)
                           .error(fmt::format("program: got {}; must be a list of words", seen(program->value))));
    else
      for (const YAML::Node& word : program->value) facts.program.push_back(word.IsScalar() ? word.Scalar() : "");
  }
  return facts;  // keys that a later recorder adds say nothing that is needed here
}

}  // namespace tilescope::bundle
