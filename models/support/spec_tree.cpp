#include "models/support/spec_tree.h"

#include "models/support/accepted.h"
#include "models/support/suggest.h"

namespace tilescope {
namespace {

class TreeBuilder : public SpecFields {
 public:
  TreeBuilder(std::vector<SpecNode>& nodes, bool blank) : nodes_(nodes), blank_(blank) {}

  void integer(std::string_view key, std::int64_t& value, Range<std::int64_t> range, std::string_view unit,
               std::string_view meaning) override {
    if (blank_) value = placeholder(range);
    add(key, "integer", unit, range_text(range), meaning, value);
  }

  void real(std::string_view key, double& value, Range<double> range, std::string_view unit,
            std::string_view meaning) override {
    if (blank_) value = placeholder(range);
    add(key, "real", unit, range_text(range), meaning, value);
  }

  void boolean(std::string_view key, bool& value, std::string_view meaning) override {
    add(key, "boolean", "", "true or false", meaning, value);
  }

  void text(std::string_view key, std::string& value, std::string_view meaning) override {
    add(key, "text", "", "", meaning, value);
  }

  void choice(std::string_view key, std::int64_t& value, const std::vector<std::string>& names,
              std::string_view meaning) override {
    if (blank_) value = 0;
    const bool valid = value >= 0 && static_cast<std::size_t>(value) < names.size();
    add(key, "choice", "", list_of(names), meaning, valid ? names[static_cast<std::size_t>(value)] : "");
  }

  void integers(std::string_view key, std::vector<std::int64_t>& values, Range<std::int64_t> range,
                std::string_view unit, std::string_view meaning) override {
    if (blank_) values.assign(1, placeholder(range));
    add(key, "integers", unit, "each " + range_text(range), meaning, values);
  }

  void section(std::string_view key, std::string_view meaning, const std::function<void(SpecFields&)>& body) override {
    add(key, "section", "", "", meaning, nullptr);
    TreeBuilder inner(nodes_.back().children, blank_);
    body(inner);
  }

  void require(bool, std::string_view, const std::string&) override {}

 private:
  void add(std::string_view key, std::string_view type, std::string_view unit, std::string accepted,
           std::string_view meaning, nlohmann::ordered_json value) {
    nodes_.push_back({std::string(key),
                      std::string(type),
                      std::string(unit),
                      std::move(accepted),
                      std::string(meaning),
                      std::move(value),
                      {}});
  }

  std::vector<SpecNode>& nodes_;
  bool blank_;
};

std::vector<SpecNode> build(const std::function<void(SpecFields&)>& body, bool blank) {
  std::vector<SpecNode> nodes;
  TreeBuilder builder(nodes, blank);
  body(builder);
  return nodes;
}

void visit_values(const std::vector<SpecNode>& nodes, const std::string& prefix,
                  const std::function<void(const std::string&, const SpecNode&)>& visit) {
  for (const SpecNode& node : nodes) {
    if (node.type == "section") {
      visit_values(node.children, prefix + node.key + ".", visit);
    } else {
      visit(prefix + node.key, node);
    }
  }
}

}  // namespace

std::vector<SpecNode> tree_of_fields(const std::function<void(SpecFields&)>& body) { return build(body, false); }

std::vector<SpecNode> blank_tree_of_fields(const std::function<void(SpecFields&)>& body) { return build(body, true); }

void each_value(const std::vector<SpecNode>& nodes,
                const std::function<void(const std::string&, const SpecNode&)>& visit) {
  visit_values(nodes, "", visit);
}

}  // namespace tilescope
