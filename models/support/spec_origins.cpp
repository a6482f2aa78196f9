#include "models/support/spec_origins.h"

#include <fmt/core.h>

#include "models/support/spec_layers.h"

namespace tilescope {
namespace {

void collect(const SpecLayer& layer, const YAML::Node& map, const std::string& prefix,
             std::map<std::string, std::string>& origins) {
  for (const auto& entry : map) {
    if (!entry.first.IsScalar()) continue;
    const std::string key = prefix + entry.first.Scalar();
    if (entry.second.IsMap())
      collect(layer, entry.second, key + ".", origins);
    else
      origins.try_emplace(key, fmt::format("{}:{}", layer.file, entry.first.Mark().line + 1));
  }
}

}  // namespace

std::map<std::string, std::string> value_origins(const std::string& text, const std::string& name) {
  std::map<std::string, std::string> origins;
  const auto layers = spec_layers(text, name);
  if (!layers || layers->size() < 2) return origins;
  for (const SpecLayer& layer : *layers) collect(layer, layer.map, "", origins);
  return origins;
}

}  // namespace tilescope
