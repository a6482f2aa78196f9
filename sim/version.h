#pragma once

namespace tilescope {

// "0.1.0": written into every result's provenance.
const char* version();

}  // namespace tilescope
