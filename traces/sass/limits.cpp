#include "traces/sass/limits.h"

#include <fmt/format.h>

#include <charconv>
#include <vector>

#include "models/support/diagnostic.h"
#include "models/support/suggest.h"

namespace tilescope::sass {

std::span<const LimitName> limit_names() {
  static constexpr LimitName names[] = {
      {"listing_bytes", &Limits::listing_bytes, "byte of a listing or an ELF text"},
      {"function_instructions", &Limits::function_instructions, "instructions of the function that is launched"},
      {"grid_ctas", &Limits::grid_ctas, "CTAs of a grid"},
      {"warp_instructions", &Limits::warp_instructions, "instructions that one warp executes"},
      {"cta_instructions", &Limits::cta_instructions, "instructions that one CTA executes whose warps exchange values"},
      {"kept_runs", &Limits::kept_runs, "straight runs kept of resident CTAs whose warps exchange values"},
      {"buffer_bytes", &Limits::buffer_bytes, "byte of buffers that are filled"},
      {"written_bytes", &Limits::written_bytes, "byte of memory that resident CTAs write over"},
      {"grid_instructions", &Limits::grid_instructions, "instructions that CTAs execute to learn what they pass on"},
      {"passed_bytes", &Limits::passed_bytes, "byte of memory kept of what CTAs pass on"},
  };
  return names;
}

tl::expected<void, std::string> set_limit(Limits& limits, const std::string& assignment) {
  const std::size_t equals = assignment.find('=');
  const std::string name = assignment.substr(0, equals);
  std::vector<std::string> known;
  for (const LimitName& limit : limit_names()) {
    known.emplace_back(limit.name);
    if (limit.name != name) continue;
    const std::string text = equals == std::string::npos ? "" : assignment.substr(equals + 1);
    std::uint64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    constexpr std::uint64_t most = std::uint64_t{1} << 40U;
    if (text.empty() || error != std::errc() || end != text.data() + text.size() || value < 1 || value > most)
      return tl::unexpected(
          fmt::format("{}: got {}; must be a whole number from 1 to {}", name, in_quotes(text), most));
    limits.*limit.value = value;
    return {};
  }
  return tl::unexpected(
      fmt::format("got {}; must be {}=VALUE{}", in_quotes(name), fmt::join(known, ", "), did_you_mean(name, known)));
}

std::string limit_met(std::string_view name, std::uint64_t value) {
  return fmt::format("the limit is {}={}; --limit {}=N changes it", name, value, name);
}

}  // namespace tilescope::sass
