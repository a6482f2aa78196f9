// Where a kernel stands under the roofs of a GPU: how fast each level of memory and each arithmetic unit would let it
// go, from the bytes that it moved there, and how fast it went.
//
//   shared memory  wavefronts of the data stage, 128 bytes each: bank conflicts count
//   L1             sectors of global and local loads and stores, 32 bytes each
//   L2             sectors that SMs read, write or send atomics for
//   HBM            bytes read and written
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "models/gpu_spec.h"
#include "sim/results/result.h"

namespace tilescope {

// A rate that nothing can exceed. Bandwidths in byte/s, arithmetic in FLOP/s.
struct Ceiling {
  std::string name;                // "hbm", "fp32": stable, for scripts
  std::string label;               // "HBM", "FP32"
  double nominal = 0;              // what the configuration adds up to
  std::optional<double> measured;  // what a kernel reached that does nothing else
  double value() const { return measured.value_or(nominal); }
};

struct Ceilings {
  std::vector<Ceiling> memory;      // shared, l1, l2, hbm: in this order
  std::vector<Ceiling> arithmetic;  // fp64, fp32, tensor; and tensor_mma where products of single warps are slower
};
Ceilings ceilings(const GpuSpec& gpu);

struct LevelPoint {
  std::size_t level = 0;  // in Ceilings::memory
  double bytes = 0;
  double intensity = 0;  // FLOP/byte
  double allows = 0;     // FLOP/s: the level's measured bandwidth times the intensity, its arithmetic at most
};

struct RooflinePoint {
  double flop = 0;
  double seconds = 0;
  double reached = 0;              // FLOP/s
  std::size_t arithmetic = 0;      // in Ceilings::arithmetic: the unit that its work is for
  std::vector<LevelPoint> levels;  // those of which the kernel moved anything
  // The lowest roof above it: an index in `levels`, nullopt: arithmetic.
  std::optional<std::size_t> roof;
  double allows = 0;  // FLOP/s, under that roof
};

// `flop`: the launch's, or what it executed. nullopt: no time (counts mode) or no work is known.
std::optional<RooflinePoint> roofline_point(const Ceilings& ceilings, const Result& result, double flop);

}  // namespace tilescope
