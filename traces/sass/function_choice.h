// Which function of a listing a launch file means.
#pragma once

#include <string>
#include <tl/expected.hpp>

#include "traces/sass/listing.h"

namespace tilescope::sass {

// `name` may be the symbol, the C++ name ("ns::gemm<32>(float*, int)"), or a part of either that only one function
// has; empty when there is only one. `architecture` (0: any) chooses among several. Or one sentence that lists what is
// there.
tl::expected<const ListedFunction*, std::string> choose_function(const Listing& listing, const std::string& name,
                                                                 int architecture);

// "void ns::gemm<32>(float*, int)" of a mangled name, else the name.
std::string readable_name(const std::string& symbol);

}  // namespace tilescope::sass
