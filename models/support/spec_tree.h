// A Spec's description as data: what `config show`, the schema page and the configuration hash are made from.
#pragma once

#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "models/support/spec_fields.h"

namespace tilescope {

struct SpecNode {
  std::string key;
  std::string type;      // integer, real, boolean, text, choice, integers, section
  std::string unit;      // may be empty
  std::string accepted;  // "1 to 4096", "lru or random"; empty for text and sections
  std::string meaning;
  nlohmann::ordered_json value;    // null for a section; a choice's is its name
  std::vector<SpecNode> children;  // a section's
};

// The nodes in the order of the description. Values are those held by the object that `body` describes; the object is
// not changed.
std::vector<SpecNode> tree_of_fields(const std::function<void(SpecFields&)>& body);

// Calls `visit(path, node)` for every node that is no section, depth first: path is "l2.size_mib".
void each_value(const std::vector<SpecNode>& nodes,
                const std::function<void(const std::string& path, const SpecNode& node)>& visit);

template <class Spec>
std::vector<SpecNode> spec_tree(const Spec& spec) {
  Spec copy = spec;
  return tree_of_fields([&copy](SpecFields& fields) { copy.fields(fields); });
}

// Of a Spec without values: every value is a placeholder.
std::vector<SpecNode> blank_tree_of_fields(const std::function<void(SpecFields&)>& body);

template <class Spec>
std::vector<SpecNode> blank_tree() {
  Spec spec;
  return blank_tree_of_fields([&spec](SpecFields& fields) { spec.fields(fields); });
}

}  // namespace tilescope
