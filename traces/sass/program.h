// A kernel decoded for one launch: instructions for the executor, instructions for the engine, and which of them have
// to be executed at all.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <tl/expected.hpp>
#include <vector>

#include "models/isa/instruction_source.h"
#include "models/support/diagnostic.h"
#include "traces/sass/decoded.h"
#include "traces/sass/linked_code.h"

namespace tilescope::sass {

// What a step of a block does.
struct Step {
  const MicroOp* op = nullptr;     // compute, or a memory instruction's data movement
  std::int32_t memory = -1;        // index of the memory instruction, -1: none
  std::int32_t same_address = -1;  // an earlier memory instruction of the block with the same lanes and registers
  std::int64_t distance = 0;       // ... and how far this one's address lies from its
  bool moves_data = false;
  bool forgets = false;  // stores what is not computed: its bytes are not known from then on
};

// Instructions that always run one after the other; control may go elsewhere after the last one only.
struct Block {
  std::uint32_t first = 0, length = 0;  // instructions
  std::vector<Step> steps;              // only what has to be executed
  bool receives = false;                // the first instruction may bring a value from another CTA
  bool polls = false;                   // ... and the warp may wait at it for one
  bool waits = false;                   // ... tests an mbarrier
};

struct MemoryInstruction {
  const Decoded* decoded = nullptr;
  AddressRule at, to;  // with slots
};

struct Program {
  LaunchState launch;
  std::vector<Decoded> code;
  std::vector<Instruction> instructions;         // for the engine
  std::vector<InstructionSource> sources;        // of each, for people
  std::vector<int> columns;                      // of each, where it stands in its line of the listing
  std::string listing;                           // the file
  std::vector<std::string> outside;              // functions that the file does not hold, by place behind kOutsidePlace
  std::map<std::uint32_t, std::string> refused;  // instructions that cannot be executed: why
  std::vector<Block> blocks;
  std::vector<std::int32_t> block_at;  // of an instruction, -1 when no block begins there
  std::vector<MemoryInstruction> memory;
  bool whole_cta = false;     // warps exchange values that matter: they must run together
  bool needs_memory = false;  // contents of global or shared memory matter
  bool needs_global = false;  // contents of global memory do
  bool needs_local = false;
  bool ctas_exchange = false;      // values that matter may pass between CTAs, through global memory
  bool ctas_wait = false;          // for values that others write
  bool keeps_stored = false;       // loads tell what the launch has stored from what nobody has recorded
  bool computes_products = false;  // of matrices: some have to be executed
  std::size_t executed_share = 0;  // instructions that have to be executed, of code.size()
  // The same with all products of matrices that this one leaves out; null: it leaves none out (spared_products.h).
  std::unique_ptr<Program> with_products;
};

// `launch` has its dimensions and constants filled. With `all_values` every instruction is executed.
// Fails with every instruction that is not known, each with its line; the first 1,000. An instruction that is not known
// in a function which only its address reaches stops the launch when it is reached.
// Without `products` those of matrices are not computed; fails when an address or a branch depends on one.
tl::expected<Program, Diagnostics> build_program(const LinkedCode& code, LaunchState launch, bool all_values,
                                                 bool products = true);
// Of one function that names no other.
tl::expected<Program, Diagnostics> build_program(const ListedFunction& function, const std::string& file,
                                                 LaunchState launch, bool all_values);

}  // namespace tilescope::sass
