// Whether bytes are UTF-8 text.
#pragma once

#include <cstddef>
#include <string_view>

namespace tilescope {

// Where the first byte stands that is no part of a character as RFC 3629 allows it: no overlong forms, no surrogates,
// nothing above U+10FFFF. `npos` when all of it is UTF-8.
std::size_t find_not_utf8(std::string_view text);

}  // namespace tilescope
