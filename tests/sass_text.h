// Compiled kernels written down instruction by instruction, for tests: what cuobjdump would print of them.
#pragma once

#include <fmt/format.h>

#include <string>
#include <tl/expected.hpp>
#include <vector>

#include "traces/sass/listing.h"
#include "traces/sass/program.h"

namespace tilescope::test {

// Control codes: one cycle, no scoreboard.
inline constexpr std::uint64_t plain_control =
    std::uint64_t{1} << 41U | std::uint64_t{1} << 45U | std::uint64_t{7} << 46U | std::uint64_t{7} << 49U;

// The listing of one function `k`.
inline std::string sass_text(const std::vector<std::string>& code, const std::string& architecture = "sm_90") {
  std::string text = "code for " + architecture + "\n\tFunction : k\n";
  for (std::size_t i = 0; i < code.size(); ++i)
    text += fmt::format("        /*{:04x}*/  {} ;  /* 0x0000000000000000 */\n    /* {:#018x} */\n", 16 * i, code[i],
                        plain_control);
  return text;
}

// The same, decoded for a launch of one warp.
inline tl::expected<sass::Program, Diagnostics> sass_program(const std::vector<std::string>& code) {
  auto listing = sass::read_listing(sass_text(code), "k.sass");
  if (!listing) return tl::unexpected(listing.error());
  sass::LaunchState launch;
  launch.block.x = 32;
  launch.constants[0].assign(1024, 0);
  return sass::build_program(listing->functions.front(), listing->file, std::move(launch), false);
}

// What is wrong with one instruction in front of an EXIT; empty: nothing.
inline std::string sass_refusal(const std::string& instruction) {
  const auto program = sass_program({instruction, "EXIT"});
  return program ? "" : to_string(program.error());
}

}  // namespace tilescope::test
