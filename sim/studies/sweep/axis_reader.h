// The map `parameters` of a study file: names and values with their places, not yet held against kernels and GPUs.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "models/support/yaml_section.h"
#include "sim/studies/sweep/study.h"

namespace tilescope::sweep {

struct PlacedAxis {
  Axis axis;
  std::string key;  // as written: "M,N,K"
  Place place;
  std::vector<Place> value_places;  // of axis.values
};

inline constexpr std::size_t most_axis_texts = 1'000'000;  // values of all axes of a map, times the names of each

// `prefix` begins every message: "parameters.". Values that cannot be read go to `errors`, and their axis is left out.
std::vector<PlacedAxis> read_axes(const YAML::Node& map, const Place& place, const std::string& prefix,
                                  Diagnostics& errors);

}  // namespace tilescope::sweep
