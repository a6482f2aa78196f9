#include "sim/results/version.h"

#include "source_hash.h"

namespace tilescope {

const char* version() { return TILESCOPE_VERSION; }
const char* source_hash() { return TILESCOPE_SOURCE_HASH; }

}  // namespace tilescope
