// What `tilescope banks` prints.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "sim/results/banks/bank_report.h"

namespace tilescope {

// 32-bit load, 32 active lanes: 2 wavefronts, ideal 1
//
// phase 1 of 1: lanes 0-31, 2 wavefronts
//   bank     0  1  2  3 ...
//   pass 1   0     1    ...      the lane, or the first of several that share a word: 0+
//   pass 2  16    17    ...
//   collide in bank 0: lanes 0 | 16
//   ...
// hint: pad each row of 2 by 1 (pitch 3): ...
//
// The grid is at most 110 columns wide. `colour` marks the banks with collisions, for terminals.
std::string bank_table(const BankReport& report, bool colour);

// {"schema": "tilescope.banks/1", "width": 32, "op": "ld", "wavefronts": 2, "ideal": 1, ...}; docs/banks.md
nlohmann::ordered_json bank_json(const BankReport& report);

// "0-3 8 10-31"
std::string lane_ranges(std::uint32_t lanes);

}  // namespace tilescope
