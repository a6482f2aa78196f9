// What the recorder makes of a callback of CUPTI.
#pragma once

#include <cupti.h>

#include "recorder.h"

namespace tilescope::capture {

// Driver calls that the recorder must hear of.
const std::vector<CUpti_CallbackId>& driver_calls();
const std::vector<CUpti_CallbackId>& resource_events();

void on_driver_call(Recorder& recorder, CUpti_CallbackId id, const CUpti_CallbackData& data);
void on_resource_event(Recorder& recorder, CUpti_CallbackId id, const CUpti_ResourceData& data);

}  // namespace tilescope::capture
