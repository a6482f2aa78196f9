#include "sim/version.h"

namespace tilescope {

const char* version() { return TILESCOPE_VERSION; }

}  // namespace tilescope
