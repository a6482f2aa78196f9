#include "sim/studies/sweep/stored_json.h"

namespace tilescope::sweep {

std::optional<nlohmann::ordered_json> stored_object(const std::string& text) {
  using Json = nlohmann::ordered_json;
  constexpr int most_levels = 16;
  bool deep = false;
  Json value = Json::parse(
      text,
      [&deep](int depth, Json::parse_event_t, Json&) {
        deep = deep || depth > most_levels;
        return !deep;
      },
      false);
  if (deep || !value.is_object()) return std::nullopt;
  return value;
}

}  // namespace tilescope::sweep
