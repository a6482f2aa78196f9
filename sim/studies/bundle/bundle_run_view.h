// The run of a bundle as text, in each of its formats. docs/bundles.md shows them.
#pragma once

#include <string>

#include "sim/studies/bundle/bundle_run.h"

namespace tilescope {

// A row per launch, totals per kernel, then what was not simulated, counted by reason:
//
//   python3 train.py, recorded on NVIDIA H200: 284 launches, 1,021 calls
//
//   launch                            id  calls      time   share   cycles  bottleneck
//   at::native::cunn_SoftMaxForw...    1      2   12.3 us   4.1 %   21,034  HBM bandwidth
//
//   kernel                      launches  calls      time   share
//   cunn_SoftMaxForward                3      6   36.9 us  12.3 %
//   all that was simulated           255    990    300 us   100 %
//
//   not simulated: 29 launches, 31 calls
//   launches  calls  reason                              ids
//         29     31  refused: unknown opcode: UTMALDG    3, 17, ...
//
// With several GPUs a column of times for each.
std::string bundle_run_table(const BundleRun& run);

// "schema": "tilescope.bundle_run/1"; each launch has a tilescope.result/1 per GPU.
std::string bundle_run_json(const BundleRun& run);

// One line per launch and GPU:
// id,kernel,symbol,grid,block,calls,gpu,end,reason,bottleneck, and every metric and derived value.
std::string bundle_run_csv(const BundleRun& run);

}  // namespace tilescope
