// Listings of the code in a bundle, by nvdisasm.
#pragma once

#include <string>

namespace tilescope::capture {

// $TILESCOPE_NVDISASM, the PATH, $CUDA_HOME/bin, $CUDA_PATH/bin, /usr/local/cuda/bin; empty: there is none.
std::string find_nvdisasm();

struct Listing {
  std::string text;
  std::string error;  // empty: none
};

// The text of `nvdisasm -hex -g`, or without line numbers where it refuses that.
Listing disassemble(const std::string& nvdisasm, const std::string& cubin);

}  // namespace tilescope::capture
