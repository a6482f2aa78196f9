#include "traces/sass/program.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "traces/sass/constant_lines.h"
#include "traces/sass/control_codes.h"
#include "traces/sass/floating_loads.h"
#include "traces/sass/limits.h"
#include "traces/sass/memory_access.h"
#include "traces/sass/ops.h"
#include "traces/sass/polled_loads.h"
#include "traces/sass/register_reads.h"
#include "traces/sass/resolve_names.h"
#include "traces/sass/slice.h"
#include "traces/sass/value_use.h"

namespace tilescope::sass {
namespace {

// An instruction with the same address is looked for so many instructions back.
constexpr std::uint32_t kFurthestBack = 4096;
// That Instruction::line can hold; further ones are not known.
constexpr std::uint32_t kLastLine = 0xffffff;

class Builder {
 public:
  Builder(const LinkedCode& linked, LaunchState launch, bool all_values, bool products)
      : linked_(linked), all_values_(all_values), products_(products) {
    program_.launch = std::move(launch);
    program_.listing = linked.file;
    program_.outside = linked.outside;
  }

  tl::expected<Program, Diagnostics> build() {
    refuse_size();
    if (!errors_.empty()) return tl::unexpected(errors_);
    decode_all();
    if (!errors_.empty()) return tl::unexpected(errors_);
    find_successors();
    if (!errors_.empty()) return tl::unexpected(errors_);
    const Slice slice = slice_of(program_.code, successors_, all_values_);
    refuse_missing_values(slice);
    if (!errors_.empty()) return tl::unexpected(errors_);
    if (program_.launch.unrecorded && !all_values_) find_floating_loads(slice);
    const std::vector<bool> polled = polled_loads(program_.code, successors_, slice);
    program_.ctas_wait = std::find(polled.begin(), polled.end(), true) != polled.end();
    assign_slots(slice);
    make_blocks(slice, polled);
    keep_sources();
    program_.needs_global = slice.global;
    program_.needs_memory = slice.global || slice.shared;
    program_.needs_local = slice.local;
    program_.ctas_exchange = slice.ctas_exchange;
    program_.whole_cta = slice.shared || slice.global_changes || slice.barrier_results || meets();
    return std::move(program_);
  }

 private:
  // Do warps wait for each other, or for copies, in a way that only executing them together brings out?
  bool meets() const {
    return std::any_of(program_.code.begin(), program_.code.end(), [](const Decoded& one) {
      return one.async.kind != AsyncKind::none || one.flow == Flow::cluster_wait;
    });
  }

  void error(const ListedInstruction& at, std::string message) {
    errors_.push_back({linked_.file, at.line, at.column, std::move(message)});
  }

  void refuse_size() {
    const std::uint64_t most = program_.launch.limits.function_instructions, all = linked_.instructions();
    const auto refuse = [this](const ListedFunction& function, const std::string& why) {
      errors_.push_back({linked_.file, function.line, 1, "function " + in_quotes(function.name) + " " + why});
    };
    for (const LinkedFunction& function : linked_.functions)
      if (function.listed->code.empty()) refuse(*function.listed, "holds no instruction");
    if (all > most || all >= kOutsidePlace)
      refuse(*linked_.functions.front().listed, (linked_.functions.size() > 1 ? "and those it calls hold " : "holds ") +
                                                    std::to_string(all) + " instructions; " +
                                                    limit_met("function_instructions", most));
  }

  void decode_all() {
    ConstantPool pool(program_.launch);
    pool.of(0);
    program_.code.reserve(linked_.instructions());
    for (const LinkedFunction& function : linked_.functions) {
      ReuseCache reuse;
      for (const ListedInstruction& listed : function.listed->code) {
        if (errors_.size() >= kMostErrors) return;
        listed_.push_back(&listed);
        function_of_.push_back(&function);
        const std::string problem = append(listed, function, pool, reuse);
        if (problem.empty()) continue;
        if (function.by_address)
          refuse_when_reached(listed, problem);
        else
          error(listed, problem);
      }
    }
    for (Decoded& decoded : program_.code) {
      decoded.values_missing = decoded.values_missing || (decoded.product && !products_);
      program_.instructions.push_back(decoded.instruction);
    }
  }

  void find_floating_loads(const Slice& slice) {
    program_.launch.unrecorded->expect(program_.code.size());
    const std::vector<bool> floating = floating_loads(program_.code, successors_, slice);
    for (std::size_t i = 0; i < floating.size(); ++i) {
      if (!floating[i]) continue;
      program_.code[i].op.run = load_floating_lanes;
      program_.keeps_stored = program_.keeps_stored || program_.code[i].access.coherent;
    }
  }

  // Appends the instruction. Returns what is wrong with it; empty: nothing.
  std::string append(const ListedInstruction& listed, const LinkedFunction& function, ConstantPool& pool,
                     ReuseCache& reuse) {
    auto parsed = parse_instruction(listed);
    program_.code.emplace_back();
    if (!parsed) return "got " + in_quotes(parsed.error()) + "; must be an instruction of sm_80 or sm_90";
    std::string problem = resolve_names(*parsed, *function.listed, linked_);
    Decoder decoder(*parsed, function, linked_, program_.launch, pool);
    std::string mnemonic = parsed->opcode;
    for (const std::string& modifier : parsed->modifiers) mnemonic += "." + modifier;
    const DecodeFunction decode = decode_function(parsed->opcode);
    if (decode == nullptr)
      return "unknown opcode: got " + in_quotes(mnemonic) + "; docs/sass.md lists those that are executed";
    decode(decoder);
    if (const std::string other = decoder.finish(); problem.empty()) problem = other;
    if (!problem.empty()) problem = "not executed: got " + in_quotes(listed.text) + ": " + problem;
    decoder.decoded.op.instruction = static_cast<std::uint32_t>(program_.code.size()) - 1;
    find_value_use(*parsed, decoder.decoded);
    program_.code.back() = std::move(decoder.decoded);
    add_control_codes(listed);
    Instruction& instruction = program_.code.back().instruction;
    if (fetches_operands(instruction.op)) instruction.register_reads = reuse.reads_of(*parsed);
    if (uses_load_store_unit(instruction.op)) instruction.register_reads = single_read(*parsed);
    if (fetches_operands(instruction.op) || instruction.op == OpClass::uniform)
      instruction.uniform_rows = uniform_rows(*parsed) & 3U;
    instruction.constant = constant_lines_.read_by(*parsed);
    return problem;
  }

  // Nothing but an address leads to the instruction, which may never run.
  void refuse_when_reached(const ListedInstruction& listed, const std::string& problem) {
    const auto index = static_cast<std::uint32_t>(program_.code.size()) - 1;
    program_.refused[index] = problem;
    Decoded& decoded = program_.code.back() = {};
    decoded.flow = Flow::refused;
    decoded.op.instruction = index;
    decoded.instruction.op = OpClass::nop;
    add_control_codes(listed);
  }

  void keep_sources() {
    for (std::size_t i = 0; i < listed_.size(); ++i) {
      const ListedInstruction& listed = *listed_[i];
      const ListedFunction& function = *function_of_[i]->listed;
      InstructionSource source;
      source.index = i;
      source.text = listed.text;
      source.address = listed.address;
      source.listing_line = static_cast<std::uint32_t>(listed.line);
      program_.columns.push_back(listed.column);
      if (listed.source_file >= 0) source.file = function.source_files[static_cast<std::size_t>(listed.source_file)];
      source.line = listed.source_line;
      program_.sources.push_back(std::move(source));
    }
  }

  void add_control_codes(const ListedInstruction& listed) {
    const ControlCodes codes = control_codes(listed.high);
    Instruction& instruction = program_.code.back().instruction;
    instruction.stall = codes.stall;
    instruction.yield = codes.yield & 1U;
    instruction.write_scoreboard = codes.write_scoreboard;
    instruction.read_scoreboard = codes.read_scoreboard;
    instruction.wait_mask |= codes.wait_mask;  // DEPBAR names scoreboards as operands, too
    const auto line = static_cast<std::uint32_t>(listed.line);
    instruction.line = line <= kLastLine ? line & kLastLine : 0;
  }

  // Loads and stores fetch theirs on a path of their own.
  static bool fetches_operands(OpClass op) {
    return op == OpClass::fma || op == OpClass::imad || op == OpClass::imad_wide || op == OpClass::alu ||
           op == OpClass::half || op == OpClass::half_tensor || op == OpClass::fp64;
  }

  bool is_place(std::uint32_t address) const {
    return address % kInstructionBytes == 0 && address / kInstructionBytes < program_.code.size();
  }

  // A branch stays in its function; only calls and jumps by name leave it.
  bool is_target(std::uint32_t i) const {
    const Decoded& decoded = program_.code[i];
    const LinkedFunction& own = *function_of_[i];
    const std::uint32_t place = decoded.target / kInstructionBytes;
    if (decoded.elsewhere) return is_place(decoded.target) || leaves_file(decoded);
    return is_place(decoded.target) && place >= own.first && place - own.first < own.listed->code.size();
  }

  static bool leaves_file(const Decoded& decoded) {
    return decoded.elsewhere && decoded.target / kInstructionBytes >= kOutsidePlace;
  }

  void find_successors() {
    const std::vector<Decoded>& code = program_.code;
    successors_.of.resize(code.size());
    successors_.jumps.resize(code.size());
    leaders_.insert(0);
    bool jumps = false;
    for (std::uint32_t i = 0; i < code.size(); ++i) {
      const Decoded& decoded = code[i];
      if (decoded.flow == Flow::next) continue;
      leaders_.insert(i + 1);
      if (decoded.flow == Flow::jump || decoded.flow == Flow::gather) leaders_.insert(i);  // it may be executed again
      jumps = jumps || decoded.flow == Flow::jump;
      const bool goes = decoded.flow == Flow::branch || decoded.flow == Flow::call;
      if (!goes && decoded.flow != Flow::open) continue;
      if (!is_target(i))
        error(*listed_[i], "the target of " + in_quotes(listed_[i]->text) + " lies outside the function");
      else if (!leaves_file(decoded))
        leaders_.insert(decoded.target / kInstructionBytes);
    }
    std::vector<std::uint32_t>& jump_targets = successors_.jump_targets;
    if (jumps) {
      find_jump_targets(jump_targets);
      leaders_.insert(jump_targets.begin(), jump_targets.end());
    }
    leaders_.erase(static_cast<std::uint32_t>(code.size()));
    std::sort(jump_targets.begin(), jump_targets.end());
    jump_targets.erase(std::unique(jump_targets.begin(), jump_targets.end()), jump_targets.end());
    if (!jump_targets.empty() && jump_targets.back() == code.size()) jump_targets.pop_back();
    for (std::uint32_t i = 0; i < code.size(); ++i) {
      const Decoded& decoded = code[i];
      const bool conditional = decoded.op.guard != 7 || decoded.op.guard_inverted || decoded.condition.index != 7 ||
                               decoded.condition.inverted || decoded.op.flags != 0;
      const bool stops = decoded.flow == Flow::exit || decoded.flow == Flow::trap || decoded.flow == Flow::branch ||
                         decoded.flow == Flow::call || decoded.flow == Flow::jump || decoded.flow == Flow::refused;
      // A system call returns at once.
      if ((!stops || conditional || leaves_file(decoded)) && i + 1 < code.size()) successors_.of[i].push_back(i + 1);
      if ((decoded.flow == Flow::branch || decoded.flow == Flow::call) && is_place(decoded.target))
        successors_.of[i].push_back(decoded.target / kInstructionBytes);
      successors_.jumps[i] = decoded.flow == Flow::jump;
    }
  }

  // A jump to a register's address goes behind a call, to an address that the code or the kernel's table holds as a
  // number, or to a function whose address somebody holds.
  void find_jump_targets(std::vector<std::uint32_t>& jump_targets) const {
    const std::vector<Decoded>& code = program_.code;
    for (std::uint32_t i = 0; i < code.size(); ++i) {
      if (code[i].flow == Flow::call || code[i].flow == Flow::jump) jump_targets.push_back(i + 1);
      if (code[i].flow != Flow::next || code[i].is_memory) continue;
      for (const Source& source : code[i].op.in) {
        if (source.low >= 0) continue;
        const std::int32_t in_pool = ~source.low;
        const std::uint32_t value = program_.launch.pool[static_cast<std::size_t>(in_pool)][0];
        const std::uint32_t own = function_of_[i]->first * kInstructionBytes;
        if (value != 0 && is_place(value)) jump_targets.push_back(value / kInstructionBytes);
        if (value != 0 && own != 0 && is_place(own + value)) jump_targets.push_back((own + value) / kInstructionBytes);
      }
    }
    for (const std::uint32_t address : linked_.table) jump_targets.push_back(address / kInstructionBytes);
    for (const LinkedFunction& function : linked_.functions)
      if (function.first != 0) jump_targets.push_back(function.first);
  }

  void refuse_missing_values(const Slice& slice) {
    for (std::size_t i = 0; i < program_.code.size(); ++i)
      if (slice.executed[i] && program_.code[i].values_missing)
        error(*listed_[i], "the values of " + in_quotes(listed_[i]->text) + " are not computed here, and " +
                               (all_values_ ? "all values were asked for" : "an address or a branch depends on them"));
  }

  void assign_slots(const Slice& slice) {
    LaunchState& launch = program_.launch;
    const auto give = [&launch](const std::vector<RegisterId>& ids) {
      for (const RegisterId id : ids)
        if (!is_zero(id) && !is_predicate(id) && launch.slot[id] == kTrashSlot)
          launch.slot[id] = static_cast<std::uint16_t>(launch.slots++);
    };
    for (std::size_t i = 0; i < program_.code.size(); ++i) {
      const Decoded& decoded = program_.code[i];
      give(decoded.always_uses);
      if (!slice.executed[i]) continue;
      give(decoded.uses);
      give(decoded.data_uses);
    }
    const auto read = [&launch](std::int32_t& index) {
      if (index >= 0)
        index = is_zero(static_cast<RegisterId>(index)) ? kZeroSlot : launch.slot[static_cast<std::size_t>(index)];
    };
    const auto written = [&launch](std::int32_t& index) {
      index = is_zero(static_cast<RegisterId>(index)) ? kTrashSlot : launch.slot[static_cast<std::size_t>(index)];
    };
    for (Decoded& decoded : program_.code) {
      for (Source& source : decoded.op.in) read(source.low), read(source.high);
      written(decoded.op.out);
      written(decoded.op.out_high);
      for (AddressRule* rule : {&decoded.access.at, &decoded.access.to})
        for (std::int32_t* index : {&rule->low, &rule->high, &rule->uniform_low, &rule->uniform_high}) read(*index);
    }
  }

  void make_blocks(const Slice& slice, const std::vector<bool>& polled) {
    for (std::uint32_t i = 0; i < program_.code.size(); ++i)
      if ((slice.executed[i] && receives(program_.code[i])) || waits(program_.code[i])) leaders_.insert(i);
    program_.block_at.assign(program_.code.size(), -1);
    for (auto leader = leaders_.begin(); leader != leaders_.end(); ++leader) {
      const auto after = std::next(leader);
      const std::uint32_t end = after == leaders_.end() ? static_cast<std::uint32_t>(program_.code.size()) : *after;
      program_.block_at[*leader] = static_cast<std::int32_t>(program_.blocks.size());
      program_.blocks.push_back({.first = *leader, .length = end - *leader, .steps = {}});
      program_.blocks.back().receives = slice.executed[*leader] && receives(program_.code[*leader]);
      program_.blocks.back().polls = polled[*leader];
      program_.blocks.back().waits = waits(program_.code[*leader]);
      fill_steps(program_.blocks.back(), slice);
    }
  }

  static bool waits(const Decoded& decoded) { return decoded.async.kind == AsyncKind::barrier_test; }

  void fill_steps(Block& block, const Slice& slice) {
    for (std::uint32_t i = block.first; i < block.first + block.length; ++i) {
      const Decoded& decoded = program_.code[i];
      const bool executed = slice.executed[i];
      program_.executed_share += executed ? 1 : 0;
      program_.computes_products = program_.computes_products || (executed && decoded.product);
      if (decoded.is_memory) {
        Step step;
        step.op = &decoded.op;
        step.memory = static_cast<std::int32_t>(program_.memory.size());
        step.moves_data = executed && !slice.stores_unknown[i];
        step.forgets = executed && slice.stores_unknown[i];
        if (decoded.loads_box() || decoded.stores_into_cluster()) step.moves_data = slice.shared;
        if (decoded.stores_box()) step.moves_data = slice.global_changes;
        find_same_address(step, i, block.first);
        program_.memory.push_back({&decoded, decoded.access.at, decoded.access.to});
        memory_of_[i] = step.memory;
        block.steps.push_back(step);
      } else if (executed && decoded.op.run != nullptr && decoded.flow == Flow::next) {
        block.steps.push_back({.op = &decoded.op});
      }
    }
  }

  // Loads of a block often differ in their constant offsets alone.
  void find_same_address(Step& step, std::uint32_t at, std::uint32_t first) const {
    const Decoded& mine = program_.code[at];
    if (mine.access.kind == MemoryKind::async_copy || mine.access.at.space == Space::generic ||
        mine.access.kind == MemoryKind::asynchronous || mine.access.at.space == Space::local || step.moves_data ||
        step.forgets)
      return;
    for (std::uint32_t other = at; other-- > first && at - other <= kFurthestBack;) {
      const Decoded& theirs = program_.code[other];
      if (changes_address(theirs, mine)) return;
      if (!theirs.is_memory) continue;
      const AddressRule &a = mine.access.at, &b = theirs.access.at;
      const bool same = theirs.access.kind != MemoryKind::async_copy &&
                        theirs.access.kind != MemoryKind::asynchronous && a.space == b.space && a.low == b.low &&
                        a.high == b.high && a.uniform_low == b.uniform_low && a.uniform_high == b.uniform_high &&
                        a.wide == b.wide && a.uniform_wide == b.uniform_wide && a.shift == b.shift &&
                        a.bytes == b.bytes && lanes_of(mine) == lanes_of(theirs) && mine.op.guard == theirs.op.guard &&
                        mine.op.guard_inverted == theirs.op.guard_inverted;
      if (!same) continue;
      step.same_address = memory_of_.at(other);
      step.distance =
          static_cast<std::int64_t>(static_cast<std::uint64_t>(a.offset) - static_cast<std::uint64_t>(b.offset));
      return;
    }
  }

  // A matrix load takes only as many lanes as it has rows.
  static unsigned lanes_of(const Decoded& decoded) {
    const bool matrix =
        decoded.access.kind == MemoryKind::matrix_load || decoded.access.kind == MemoryKind::matrix_store;
    return matrix ? 8 * (decoded.op.flags & 255U) : 32;
  }

  static bool changes_address(const Decoded& one, const Decoded& mine) {
    return std::any_of(one.defines.begin(), one.defines.end(), [&mine](RegisterId id) {
      return std::find(mine.always_uses.begin(), mine.always_uses.end(), id) != mine.always_uses.end();
    });
  }

  const LinkedCode& linked_;
  bool all_values_, products_;
  Program program_;
  Diagnostics errors_;
  ConstantLines constant_lines_;
  std::vector<const ListedInstruction*> listed_;    // of each instruction
  std::vector<const LinkedFunction*> function_of_;  // the same
  std::set<std::uint32_t> leaders_;                 // instructions at which a block begins
  Successors successors_;
  std::map<std::uint32_t, std::int32_t> memory_of_;
};

}  // namespace

DecodeFunction decode_function(std::string_view opcode) {
  static const std::map<std::string_view, DecodeFunction> table = [] {
    std::map<std::string_view, DecodeFunction> all;
    for (const auto group : {integer_ops, logic_ops, compare_ops, single_ops, double_ops, half_ops, convert_ops,
                             lane_ops, special_ops, memory_ops, tensor_ops, control_ops, order_ops, async_ops})
      for (const OpEntry& entry : group()) all.emplace(entry.opcode, entry.decode);
    return all;
  }();
  const auto found = table.find(opcode);
  return found == table.end() ? nullptr : found->second;
}

tl::expected<Program, Diagnostics> build_program(const LinkedCode& code, LaunchState launch, bool all_values,
                                                 bool products) {
  return Builder(code, std::move(launch), all_values, products).build();
}

tl::expected<Program, Diagnostics> build_program(const ListedFunction& function, const std::string& file,
                                                 LaunchState launch, bool all_values) {
  return build_program(link_alone(function, file), std::move(launch), all_values);
}

}  // namespace tilescope::sass
