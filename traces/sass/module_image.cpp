#include "traces/sass/module_image.h"

#include <fmt/format.h>

#include "traces/sass/limits.h"

namespace tilescope::sass {

bool holds_variables(std::string_view section) { return section == ".nv.global" || section == ".nv.global.init"; }

bool holds_constants(std::string_view section) {
  constexpr std::string_view before = ".nv.constant";
  if (!section.starts_with(before) || section.size() <= before.size()) return false;
  const char bank = section[before.size()];
  return bank >= '1' && bank <= '9' && (section.size() == before.size() + 1 || section[before.size() + 1] == '.');
}

bool holds_code(std::string_view section) { return section.starts_with(".text."); }

std::string refuse_variable_bytes(std::uint64_t bytes) {
  if (bytes <= kMostVariableBytes) return {};
  return fmt::format("variables of {} byte or more; a module's must have at most {}", bytes, kMostVariableBytes);
}

std::string refuse_variable_contents(std::uint64_t bytes) {
  if (bytes <= kMostVariableContents) return {};
  return fmt::format("contents of variables of {} byte or more; must have at most {}", bytes, kMostVariableContents);
}

}  // namespace tilescope::sass
