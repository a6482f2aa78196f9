#include "models/support/spec_hash.h"

#include <fmt/core.h>

#include <algorithm>

#include "models/support/content_hash.h"

namespace tilescope {
namespace {

std::string canonical(const nlohmann::ordered_json& value) {
  if (!value.is_number_float()) return value.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
  const double number = value.get<double>();
  return fmt::format("{}", number == 0.0 ? 0.0 : number);  // -0 is 0
}

}  // namespace

std::uint64_t config_hash(const std::vector<SpecNode>& nodes) {
  std::vector<std::string> lines;
  each_value(nodes, [&lines](const std::string& path, const SpecNode& node) {
    lines.push_back(path + "=" + canonical(node.value) + "\n");
  });
  std::sort(lines.begin(), lines.end());
  std::string all;
  for (const std::string& line : lines) all += line;
  return short_hash(all);
}

std::string config_hash_text(const std::vector<SpecNode>& nodes) { return fmt::format("{:016x}", config_hash(nodes)); }

}  // namespace tilescope
