// The one interface between whatever makes instructions (generators, SASS, trace files) and the engine that times them.
//
// A kernel is a launch, a table of static instructions and, per warp, a stream of segments. A segment is a straight run
// of static instructions together with the operands of its memory instructions, in order. Segments are what makes
// streams cheap: one virtual call per loop iteration instead of one per instruction, and the static part is shared by
// all warps.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "models/isa/async_operand.h"
#include "models/isa/instruction.h"
#include "models/isa/instruction_source.h"
#include "models/isa/lane_pattern.h"
#include "models/isa/pattern_table.h"

namespace tilescope {

struct Dim3 {
  std::int64_t x = 1, y = 1, z = 1;
  std::int64_t count() const { return x * y * z; }
  bool operator==(const Dim3&) const = default;
};

struct Launch {
  std::string kernel;  // name
  Dim3 grid;           // CTA
  Dim3 block;          // thread
  Dim3 cluster;        // CTA
  std::int64_t registers_per_thread = 32;
  std::int64_t static_smem_bytes = 0;
  std::int64_t dynamic_smem_bytes = 0;
  double flop = 0;  // useful floating-point operations of the launch; 0 when unknown
  std::vector<std::pair<std::string, std::string>> parameters;  // as resolved, for provenance

  // The CTAs of a cluster lie side by side in the grid. Clusters are numbered like CTAs, x fastest, and so are the CTAs
  // of one: by rank.
  bool clustered() const { return cluster.count() > 1; }
  std::int64_t clusters() const { return grid.count() / cluster.count(); }
  std::int64_t cluster_of(std::int64_t cta) const {
    if (!clustered()) return cta;
    const std::int64_t wide = grid.x / cluster.x, high = grid.y / cluster.y;
    return cta % grid.x / cluster.x +
           wide * (cta / grid.x % grid.y / cluster.y + high * (cta / grid.x / grid.y / cluster.z));
  }
  std::int64_t rank_in_cluster(std::int64_t cta) const {
    return cta % grid.x % cluster.x +
           cluster.x * (cta / grid.x % grid.y % cluster.y + cluster.y * (cta / grid.x / grid.y % cluster.z));
  }
  std::int64_t cta_at(std::int64_t number, std::int64_t rank) const {
    if (!clustered()) return number;
    const std::int64_t wide = grid.x / cluster.x, high = grid.y / cluster.y;
    const std::int64_t x = number % wide * cluster.x + rank % cluster.x;
    const std::int64_t y = number / wide % high * cluster.y + rank / cluster.x % cluster.y;
    const std::int64_t z = number / wide / high * cluster.z + rank / cluster.x / cluster.y;
    return x + grid.x * (y + grid.y * z);
  }
  std::int64_t warps_per_cta() const { return (block.count() + kLanes - 1) / kLanes; }
};

struct Segment {
  const Instruction* code = nullptr;
  const MemoryOperand* operands = nullptr;  // memory_operands(op) of each instruction, in order
  std::uint32_t length = 0;                 // instructions
  // Non-zero: any two segments of this kernel with the same key have the same code and the same patterns in
  // shared-memory operands, hence the same instruction mix and wavefronts. Lets counting be done once per key.
  std::uint32_t key = 0;
  bool complete = false;  // all operands are set, also when only those of global memory were asked for
  // From WarpStream::next_run alone: the segment stands for so many, one after the other, in which the base of operand
  // i moves by advance[i] byte from each to the next.
  std::uint32_t repeats = 1;
  const std::int64_t* advance = nullptr;       // not set for a single one
  const AsyncOperand* asynchronous = nullptr;  // of each instruction for which takes_async_operands(op), in order
};

// Which operands the reader needs. With `global`, those of instructions for shared memory alone may be left unset.
enum class Operands : std::uint8_t { all, global };

// The instructions of one warp of one CTA, first to last.
class WarpStream {
 public:
  virtual ~WarpStream() = default;
  // Begins again at the first instruction of warp `warp` of CTA `cta` (linear index: x fastest).
  virtual void start(std::int64_t cta, int warp, Operands operands) = 0;
  // The next segment, or false when the warp has exited. The pointers stay valid until the next call on this stream.
  // ENSURES: the last instruction of the last segment is EXIT.
  virtual bool next(Segment& segment) = 0;
  // As next(), but may give a run of equal segments at once (Segment::repeats), whose addresses move evenly.
  virtual bool next_run(Segment& segment) {
    if (!next(segment)) return false;
    segment.repeats = 1;
    return true;
  }
};

class Kernel {
 public:
  virtual ~Kernel() = default;
  virtual const Launch& launch() const = 0;
  // Every static instruction; each Segment::code points into it.
  virtual std::span<const Instruction> code() const = 0;
  // Of its machine code; 0 where it is none.
  virtual std::int64_t code_bytes() const { return 0; }
  // The patterns that operands refer to. Safe to use from several threads.
  virtual const PatternTable& patterns() const = 0;
  // A stream that is not started yet. Several streams of one kernel may be used from different threads at once.
  virtual std::unique_ptr<WarpStream> make_stream() const = 0;

  // What people call a static instruction. REQUIRES: an index in code(). The default knows its class.
  virtual InstructionSource source_of(std::size_t instruction) const;
  // Where relative names of source files are looked for too; empty: nowhere.
  virtual std::string source_folder() const { return {}; }
  // What its streams leave out of the launch, a sentence each: as far as they have run.
  virtual std::vector<std::string> approximations() const { return {}; }
};

// Does an instruction access memory, but on no lane? `operands`: its own.
inline bool on_no_lane(OpClass op, const MemoryOperand* operands) {
  const int count = memory_operands(op);
  for (int i = 0; i < count; ++i)
    if (operands[i].pattern != 0) return false;
  return count != 0;
}

// Whether any of these runs on tensor cores.
inline bool uses_tensor_cores(std::span<const Instruction> code) {
  return std::any_of(code.begin(), code.end(),
                     [](const Instruction& one) { return traits(one.op).pipe == Pipe::tensor; });
}

// Warp instructions that all warps of one CTA execute.
std::int64_t instructions_of_cta(const Kernel& kernel, std::int64_t cta);

}  // namespace tilescope
