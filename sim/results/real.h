// A count as a number to divide and to take shares of.
#pragma once

#include <cstdint>

namespace tilescope {

inline double real(std::uint64_t count) { return static_cast<double>(count); }

}  // namespace tilescope
