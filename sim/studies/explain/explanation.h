// What costs a launch its time, ranked, and what would change it: the answer of `tilescope explain`.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sim/results/result.h"
#include "sim/studies/explain/access_survey.h"

namespace tilescope::explain {

enum class Problem : std::uint8_t {
  bank_conflicts,   // lanes of an access at different words of one bank
  wasted_sectors,   // sectors of global memory of which lanes ask for a part
  refetched_lines,  // HBM reads beyond the distinct sectors of the launch
  occupancy,        // registers or shared memory keep CTAs off an SM
  latency,          // warps wait for memory while nothing is busy
  idle_sms,         // fewer CTAs than SMs can hold
};
std::string_view name(Problem problem);  // "bank_conflicts": stable, for scripts

// Below it a difference is within what the model gets wrong between variants of a kernel.
inline constexpr double kModelErrorPct = 2;

enum class Verdict : std::uint8_t { worth_it, no_difference, slower, not_launchable };
std::string_view name(Verdict verdict);

// The launch run again with a change.
struct Trial {
  enum class How : std::uint8_t {
    parameters,  // another launch of the generator
    addresses,   // shared-memory addresses moved in what warps execute
    order,       // CTAs take the tiles in another order
    launch,      // other registers or shared memory of a CTA
    bound,       // no fix: what would be gained if the problem went away altogether
  };
  How how = How::parameters;
  std::string what;               // "pad_a=1", "pad rows of 128 B by 4 B"
  double cycles = 0;              // predicted
  double saved_pct = 0;           // of the cycles before; negative: slower
  std::int64_t shared_bytes = 0;  // of a CTA, more than before
  Verdict verdict = Verdict::no_difference;
  std::string note;     // what the cycles leave out, or why it can not be launched
  double hbm_read = 0;  // byte
};
std::string_view name(Trial::How how);

struct Place {
  std::string file;  // source code; empty: not known
  int line = 0;
  std::string text;                      // of the source line, or of the first instruction
  std::size_t instructions = 0;          // static ones
  std::optional<std::uint32_t> address;  // of the first instruction
};

struct Finding {
  Problem problem = Problem::bank_conflicts;
  std::string headline;  // "shared_store: 32.00 wavefronts per request, 1.00 without conflicts"
  std::string why;       // one or two sentences
  std::optional<Place> place;
  AccessKind access = AccessKind::none;      // of bank conflicts and wasted sectors
  double requests = 0, cost = 0, ideal = 0;  // of the launch: wavefronts or sectors; lines fetched again: bytes
  std::optional<ExampleAccess> example;      // of bank conflicts and wasted sectors
  double estimate_cycles = 0;                // before anything is tried: which findings are worth trying
  std::optional<Trial> bound;
  std::vector<Trial> fixes;  // most saved first
  std::string unproved;      // why nothing was tried; empty: something was

  // Cycles saved by the best fix, or by the bound where it saves more; findings are ranked by it. 0: nothing helps. The
  // bound of latency does not count: it takes all waits of the launch away, which no change to one place does.
  double saved_pct() const;
};

struct Explanation {
  std::string kernel;               // as the user wrote it
  Result result;                    // of the launch as it is
  std::vector<Finding> findings;    // what saves most first
  std::vector<Trial> tried_anyway;  // famous fixes that nothing asks for
  std::vector<std::string> notes;
  std::int64_t left_out = 0;  // findings beyond those asked for
};

}  // namespace tilescope::explain
