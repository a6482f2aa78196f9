#include "sim/studies/sweep/text_hash.h"

#include <fmt/format.h>

namespace tilescope::sweep {

__extension__ using Wide = unsigned __int128;

void TextHash::add(std::string_view text) {
  constexpr Wide prime = (Wide{1} << 88U) + 0x13b;
  Wide hash = (Wide{high_} << 64U) | low_;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * prime;
  high_ = static_cast<std::uint64_t>(hash >> 64U);
  low_ = static_cast<std::uint64_t>(hash);
}

std::string TextHash::text() const { return fmt::format("{:016x}{:016x}", high_, low_); }

}  // namespace tilescope::sweep
