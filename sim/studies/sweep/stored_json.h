// JSON out of a store, which may be anybody's file.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>

namespace tilescope::sweep {

// nullopt for what is no JSON object, or one with more than 16 levels; a result has four.
std::optional<nlohmann::ordered_json> stored_object(const std::string& text);

}  // namespace tilescope::sweep
