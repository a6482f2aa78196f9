// The compiled samples of kernels that have a generator, as parts of the program: the files of traces/samples/sass/gpu
// that gpu/listings/make_listings.sh makes, for sm_90 and of some families for sm_80. They are the only place where
// compiled code is written down; generators read theirs from here.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tilescope {

struct CompiledListing {
  std::string_view family;  // gemm_tiled
  std::string_view sass;    // text of cuobjdump -sass
  std::string_view elf;     // what launches need of cuobjdump -elf
  int architecture = 90;    // sm_90
};

// REQUIRES: one of the families that are embedded, for this architecture.
const CompiledListing& compiled_listing(std::string_view family, int architecture = 90);

// The symbols of a listing's functions, in its order.
std::vector<std::string> compiled_functions(const CompiledListing& listing);
std::vector<std::string> compiled_functions(std::string_view family, int architecture = 90);  // that is embedded

// The text of one function, as a listing of its own. REQUIRES: a symbol of compiled_functions().
std::string compiled_function_text(const CompiledListing& listing, const std::string& function);

}  // namespace tilescope
