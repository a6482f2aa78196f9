// Why an access costs more than it need, in words.
#pragma once

#include <string>

#include "models/isa/operation.h"
#include "models/shared_banks.h"
#include "sim/studies/explain/access_survey.h"

namespace tilescope::explain {

// "shared load", "global store"
std::string name_of(AccessKind kind);

// With an upper-case first letter.
std::string capital(std::string sentence);

// Which lanes meet in the fullest bank, and how far apart neighbouring lanes are.
std::string why_lanes_collide(const SharedBanks& banks, const ExampleAccess& example, bool load);

// `used_pct`: of the bytes in the sectors that are fetched.
std::string why_sectors_are_wasted(const ExampleAccess& example, double used_pct);

}  // namespace tilescope::explain
