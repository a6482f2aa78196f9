// The values of one parameter as a study writes them: one value, or a range.
//
//   64            one value
//   0:4:1         start:stop:step, both ends included where the steps reach them
//   256:16384:*2  start, start*2, ... up to stop
#pragma once

#include <string>
#include <tl/expected.hpp>
#include <vector>

namespace tilescope::sweep {

inline constexpr std::size_t most_values = 10'000;  // of one range

// Anything with a ':' is a range. Whole numbers come in plain decimal notation, real ones with at most ten digits.
// Otherwise what is wrong, to stand behind "NAME: ".
tl::expected<std::vector<std::string>, std::string> listed_values(const std::string& text);

}  // namespace tilescope::sweep
