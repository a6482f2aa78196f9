#pragma once

namespace tilescope::gpu {

// MHz of an SM's clock right behind what is on the default stream: half a millisecond of clock64 against globaltimer.
// Waits for the device.
double sm_clock_mhz();

}  // namespace tilescope::gpu
