// One map of a YAML file, its keys marked as they are used: knows duplicates, unknown keys and positions.
#pragma once

#include <yaml-cpp/yaml.h>

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "models/support/diagnostic.h"

namespace tilescope {

struct Place {
  std::string file;
  int line = 0;
  int column = 0;

  Diagnostic error(std::string message) const { return {file, line, column, std::move(message)}; }
};

// Where `node` begins; `otherwise` for an empty value, which has no position of its own.
Place place_of(const YAML::Node& node, const Place& otherwise);

class YamlSection {
 public:
  struct Entry {
    std::string key;
    YAML::Node value;
    Place key_place;
    bool known = false;
  };

  // REQUIRES: `node` is a map or undefined (a section that is not there). Duplicate keys and keys that are no scalars
  // go to `errors`, named with `prefix` ("l2.").
  YamlSection(const YAML::Node& node, const std::string& prefix, const Place& place, Diagnostics& errors);

  // The entry of `key`, known from now on, or null.
  const Entry* take(std::string_view key);
  const Entry* find(std::string_view key) const;
  const std::vector<Entry>& entries() const { return entries_; }
  const Place& place() const { return place_; }
  // An error for each key that nobody has taken; `keys`: those there are.
  void refuse_unknown(const std::vector<std::string>& keys, Diagnostics& errors) const;

 private:
  std::vector<Entry> entries_;
  std::map<std::string, std::size_t, std::less<>> numbers_;  // of entries_, by key
  Place place_;
};

}  // namespace tilescope
