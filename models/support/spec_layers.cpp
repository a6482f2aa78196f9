#include "models/support/spec_layers.h"

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>

#include "models/support/suggest.h"
#include "models/support/text_file.h"
#include "models/support/yaml_section.h"
#include "models/support/yaml_text.h"

namespace tilescope {
namespace {

namespace fs = std::filesystem;

bool is_path(const std::string& base) {
  return base.ends_with(".yaml") || base.ends_with(".yml") || base.find('/') != std::string::npos;
}

fs::path file_of(const std::string& base, const fs::path& directory) {
  return is_path(base) ? directory / base : directory / (base + ".yaml");
}

std::vector<std::string> names_beside(const fs::path& directory) {
  std::vector<std::string> names;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(directory.empty() ? fs::path(".") : directory, error))
    if (entry.path().extension() == ".yaml") names.push_back(entry.path().stem().string());
  std::sort(names.begin(), names.end());
  return names;
}

// The same for every way to write the path of a file.
std::string identity(const std::string& path) {
  std::error_code error;
  const fs::path whole = fs::weakly_canonical(path, error);
  return error ? path : whole.string();
}

tl::expected<SpecLayer, Diagnostic> layer(std::string text, const std::string& name) {
  const auto document = parse_yaml(text, name);
  if (!document) return tl::unexpected(document.error());
  const Place top{name, 1, 1};
  if (!document->IsMap())
    return tl::unexpected(
        place_of(*document, top).error(fmt::format("got {}; must be a map of keys", seen(*document))));
  return SpecLayer{name, std::move(text), *document};
}

// The value of the first key that is `base`; a second one is the reader's to refuse.
const YAML::Node base_of(const SpecLayer& layer) {
  for (const auto& entry : layer.map)
    if (entry.first.IsScalar() && entry.first.Scalar() == kBaseKey) return entry.second;
  return YAML::Node(YAML::NodeType::Undefined);
}

}  // namespace

tl::expected<std::vector<SpecLayer>, Diagnostics> spec_layers(const std::string& text, const std::string& name) {
  std::vector<SpecLayer> layers;
  std::vector<std::string> identities = {identity(name)};
  auto made = layer(text, name);
  if (!made) return tl::unexpected(Diagnostics{made.error()});
  layers.push_back(std::move(*made));
  while (true) {
    const SpecLayer& last = layers.back();
    const YAML::Node base = base_of(last);
    if (!base.IsDefined()) return layers;
    const Place place = place_of(base, {last.file, 1, 1});
    const auto refuse = [&place](std::string why) {
      return tl::unexpected(Diagnostics{place.error("base: " + std::move(why))});
    };
    if (!base.IsScalar() || base.Scalar().empty())
      return refuse(fmt::format("got {}; must be the name of a GPU beside this file, or a path", seen(base)));
    const fs::path directory = fs::path(last.file).parent_path();
    const std::string file = file_of(base.Scalar(), directory).lexically_normal().string();
    if (std::find(identities.begin(), identities.end(), identity(file)) != identities.end())
      return refuse(
          fmt::format("got {}; {} is based on this file; must not lead back to it", seen(base), in_quotes(file)));
    if (layers.size() == kMostLayers)
      return refuse(fmt::format("got {}; must be the last of at most {} files", seen(base), kMostLayers));
    auto base_text = read_text_file(file);
    if (!base_text)
      return refuse(fmt::format("got {}; {} {}{}", seen(base), in_quotes(file), base_text.error().message,
                                is_path(base.Scalar()) ? "" : did_you_mean(base.Scalar(), names_beside(directory))));
    auto next = layer(std::move(*base_text), file);
    if (!next) return tl::unexpected(Diagnostics{next.error()});
    identities.push_back(identity(file));
    layers.push_back(std::move(*next));
  }
}

}  // namespace tilescope
