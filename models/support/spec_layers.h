// A configuration and what it is based on. A file says only what differs from its base:
//
//   base: h200        # configs/gpus/h200.yaml, beside this file; or a path: ../my/gpu.yaml, relative to this file
//   l2:
//     size_mib: 50    # everything else of l2, and of the other sections, is the base's
//
// A base may have a base. Only for the readers' .cpp files: no public header of the library includes yaml-cpp.
#pragma once

#include <yaml-cpp/yaml.h>

#include <string>
#include <tl/expected.hpp>
#include <vector>

#include "models/support/diagnostic.h"

namespace tilescope {

struct SpecLayer {
  std::string file;
  std::string text;
  YAML::Node map;
};

inline constexpr std::string_view kBaseKey = "base";
inline constexpr std::size_t kMostLayers = 8;

// The file itself, then its base, then the base's base. Refuses, each with its place: no YAML map; a base that is no
// word, that cannot be read, or that leads back to a file that is based on it; more than kMostLayers files.
tl::expected<std::vector<SpecLayer>, Diagnostics> spec_layers(const std::string& text, const std::string& name);

}  // namespace tilescope
