// What the simulator throws, as tilescope.TilescopeError.
#pragma once

namespace tilescope::python {

void translate_errors();

}  // namespace tilescope::python
