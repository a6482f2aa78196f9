#include "traces/sass/warp_executor.h"

#include <fmt/format.h>

#include <bit>
#include <stdexcept>
#include <utility>

#include "traces/sass/address_patterns.h"
#include "traces/sass/address_windows.h"
#include "traces/sass/lanes.h"
#include "traces/sass/limits.h"
#include "traces/sass/system_call.h"

namespace tilescope::sass {
namespace {

constexpr int kLocalWord = 4;  // byte

LaneArray filled(std::uint32_t value) {
  LaneArray lanes;
  lanes.fill(value);
  return lanes;
}

}  // namespace

WarpExecutor::WarpExecutor(const Program& program, PatternTable& patterns)
    : program_(program),
      patterns_(patterns),
      last_pattern_(kMostOperands * program.memory.size()),
      last_operand_(program.memory.size()),
      async_(program.launch, patterns),
      in_cluster_(program.launch.cluster.count() > 1),
      loop_(program),
      failures_(program.code.size()) {
  state_.launch = &program.launch;
  state_.lanes.resize(static_cast<std::size_t>(program.launch.slots));
  if (program.needs_local) state_.local = &local_;
}

void WarpExecutor::start(std::int64_t cta, int warp, CtaMemory* memory) {
  const LaunchState& launch = program_.launch;
  for (LaneArray& lanes : state_.lanes) lanes.fill(0);
  state_.predicates.fill(0);
  state_.predicates[7] = state_.predicates[15] = kAllLanes;
  state_.memory = memory;
  state_.cta = {cta % launch.grid.x, cta / launch.grid.x % launch.grid.y, cta / (launch.grid.x * launch.grid.y)};
  state_.warp = warp;
  const Dim3& cluster = launch.cluster;
  state_.rank = static_cast<std::uint32_t>(
      state_.cta.x % cluster.x + cluster.x * (state_.cta.y % cluster.y + cluster.y * (state_.cta.z % cluster.z)));
  gives_up_ = false;
  state_.executed = 0;
  state_.barrier_result = 0;
  local_.clear();
  received_.assign(program_.ctas_exchange ? program_.memory.size() : 0, {});
  turn_of_cta_ = polled_ = 0;
  last_ = 0;
  turn_at_ = before_ = kNowhere;
  cta_ = cta;
  const std::int64_t threads = std::min<std::int64_t>(kLanes, launch.block.count() - std::int64_t{warp} * kLanes);
  lanes_.start(threads == kLanes ? kAllLanes : (std::uint32_t{1} << threads) - 1);
}

void WarpExecutor::stop(std::uint32_t instruction, const std::string& why) const {
  throw DiagnosticsError(
      {{program_.listing, static_cast<int>(program_.instructions[instruction].line), program_.columns[instruction],
        fmt::format("{}: in CTA {}, warp {}: {}", in_quotes(program_.sources[instruction].text), cta_, state_.warp,
                    why)}});
}

std::uint32_t WarpExecutor::guarded(const MicroOp& op) const {
  if (op.guard == 7 && !op.guard_inverted) return op.whole_warp ? kAllLanes : state_.active;
  const std::uint32_t value = state_.predicates[op.guard];
  const std::uint32_t lanes = (op.guard_inverted ? ~value : value) & state_.active;
  return !op.whole_warp ? lanes : lanes != 0 ? kAllLanes : 0;
}

WarpRun WarpExecutor::next(bool stop_at_barriers) {
  operands_.clear();
  asynchronous_.clear();
  WarpRun run{.first = lanes_.running().place, .length = 0};
  while (true) {
    const std::uint32_t place = lanes_.running().place;
    if (place >= program_.block_at.size() || program_.block_at[place] < 0)
      stop(last_, fmt::format("the code goes to {:#x}, where no instruction is expected",
                              std::uint64_t{place} * kInstructionBytes));
    const Block& block = program_.blocks[static_cast<std::size_t>(program_.block_at[place])];
    state_.active = lanes_.running().lanes;
    state_.exited = lanes_.exited();
    if (block.receives && turn_of_cta_ != 0 && (block.polls ? has_polled(block) : comes_again(block))) {
      run.end = WarpRun::End::again;
      return run;
    }
    if (block.waits && would_wait(block)) {
      run.end = WarpRun::End::polls;
      return run;
    }
    run_block(block);
    run.length += block.length;
    state_.executed += block.length;
    const std::uint32_t last = last_ = block.first + block.length - 1;
    if (const std::uint64_t most = program_.launch.limits.warp_instructions; state_.executed > most)
      stop(last, "the warp does not end; " + limit_met("warp_instructions", most));
    const bool ends = go_on(last, run, stop_at_barriers);
    if (lanes_.stuck()) stop(last, "lanes of the warp wait for others that can not come");
    if (ends || lanes_.running().place != last + 1) return run;
  }
}

void WarpExecutor::run_block(const Block& block) {
  for (const Step& step : block.steps) {
    const std::uint32_t lanes = guarded(*step.op);
    if (observed_) loop_.before(state_, step, lanes);
    if (step.memory >= 0)
      run_memory(step, lanes);
    else if (lanes != 0)
      step.op->run(state_, *step.op, lanes);
    if (observed_) loop_.after(state_, step, lanes);
  }
}

bool WarpExecutor::comes_again(const Block& block) {
  const Step& step = block.steps.front();
  const std::uint32_t lanes = guarded(*step.op);
  if (lanes == 0) return false;
  const auto index = static_cast<std::size_t>(step.memory);
  addresses(program_.memory[index].at, state_.address);
  const Received now{state_.address[static_cast<std::size_t>(std::countr_zero(lanes))], turn_of_cta_};
  const Received before = std::exchange(received_[index], now);
  return before.turn == now.turn && before.address == now.address;
}

bool WarpExecutor::has_polled(const Block& block) {
  if (guarded(*block.steps.front().op) == 0) return false;
  return turn_of_cta_ == 1 || std::exchange(polled_, turn_of_cta_) == turn_of_cta_;
}

bool WarpExecutor::would_wait(const Block& block) {
  const Step& step = block.steps.front();
  const std::uint32_t lanes = guarded(*step.op);
  if (std::exchange(gives_up_, false) || lanes == 0) return false;
  const MemoryInstruction& memory = program_.memory[static_cast<std::size_t>(step.memory)];
  addresses(memory.at, state_.address);
  try {
    return async_.waits(state_, *memory.decoded, lanes);
  } catch (const DiagnosticsError&) {
    throw;
  } catch (const std::runtime_error& error) {
    stop(step.op->instruction, error.what());
  }
}

// A value that is needed must have been computed.
void WarpExecutor::know(const Step& step, const MemoryAccess& access, std::uint32_t lanes) {
  const std::size_t bytes = access.at.bytes;
  const bool shared = static_cast<Space>(state_.space) == Space::shared;
  CtaMemory& memory = *state_.memory;
  for (; lanes != 0; lanes &= lanes - 1) {
    const auto l = static_cast<std::size_t>(std::countr_zero(lanes));
    const std::uint64_t at = state_.address[l];
    const bool known =
        shared ? memory.is_known(static_cast<std::uint32_t>(at), bytes) : memory.is_known_global(at, bytes);
    if (access.kind == MemoryKind::async_copy) {
      memory.set_known(static_cast<std::uint32_t>(state_.to[l]), access.to.bytes, known);
    } else if (access.reads() && !known) {
      stop(step.op->instruction,
           "it loads values of products of matrices, which are not computed here, and an address or a branch depends "
           "on them");
    } else if (!access.reads() && access.kind != MemoryKind::reduction) {
      if (shared)
        memory.set_known(static_cast<std::uint32_t>(at), bytes, true);
      else if (bytes % 32 == 0)
        memory.set_known_global(at, bytes, true);
    }
  }
}

void WarpExecutor::forget(const MemoryAccess& access, std::uint32_t lanes) {
  const bool shared = static_cast<Space>(state_.space) == Space::shared;
  for (; lanes != 0; lanes &= lanes - 1) {
    const std::uint64_t at = state_.address[static_cast<std::size_t>(std::countr_zero(lanes))];
    if (shared)
      state_.memory->set_known(static_cast<std::uint32_t>(at), access.at.bytes, false);
    else
      state_.memory->set_known_global(at, access.at.bytes, false);
  }
}

void WarpExecutor::addresses(const AddressRule& rule, std::array<std::uint64_t, kLanes>& to) const {
  const LaneArray& low = lanes_at(state_, rule.low);
  std::uint64_t constant = static_cast<std::uint64_t>(rule.offset);
  constant += lanes_at(state_, rule.uniform_low)[0];
  if (rule.uniform_wide) constant += std::uint64_t{lanes_at(state_, rule.uniform_high)[0]} << 32U;
  if (rule.wide) {
    const LaneArray& high = lanes_at(state_, rule.high);
    for (std::size_t l = 0; l < kLanes; ++l) to[l] = (low[l] | std::uint64_t{high[l]} << 32U) + constant;
  } else if (rule.uniform_wide) {
    for (std::size_t l = 0; l < kLanes; ++l) to[l] = low[l] + constant;
  } else {
    const auto narrow = static_cast<std::uint32_t>(constant);
    for (std::size_t l = 0; l < kLanes; ++l) to[l] = static_cast<std::uint32_t>((low[l] << rule.shift) + narrow);
  }
}

void WarpExecutor::run_memory(const Step& step, std::uint32_t lanes) {
  const auto index = static_cast<std::size_t>(step.memory);
  const MemoryInstruction& memory = program_.memory[index];
  const MemoryAccess& access = memory.decoded->access;
  const MicroOp& op = *step.op;
  MemoryOperand& operand = last_operand_[index];
  try {
    if (step.same_address >= 0) {
      operand = last_operand_[static_cast<std::size_t>(step.same_address)];
      if (operand.pattern != 0) {
        operand.base += static_cast<std::uint64_t>(step.distance);
        if ((operand.base & (memory.at.bytes - 1U)) != 0) stop(op.instruction, "misaligned address");
      }
    } else if (access.kind == MemoryKind::asynchronous) {
      addresses(memory.at, state_.address);
      async_.execute(state_, *memory.decoded, lanes, step.moves_data, asynchronous_);
      return;
    } else if (memory.at.space == Space::generic) {
      access_generic(step, memory.at, lanes);
      return;
    } else if (memory.at.space == Space::local) {
      operand = access_local(step, memory.at, lanes);
    } else {
      addresses(memory.at, state_.address);
      std::uint32_t takes_part = lanes;
      if (access.kind == MemoryKind::matrix_load || access.kind == MemoryKind::matrix_store) {
        const unsigned rows = 8 * (op.flags & 255U);
        if (rows < 32) takes_part &= (std::uint32_t{1} << rows) - 1;
      }
      if (access.kind == MemoryKind::async_copy) takes_part &= predicate(state_, access.predicate);
      if (access.zero_fill) split_zero_fill(memory.at.bytes);
      // Plain accesses to shared memory stay in the own CTA, whichever the address names.
      if (in_cluster_ && memory.at.space == Space::shared)
        for (std::uint64_t& address : state_.address) address = offset_of(static_cast<std::uint32_t>(address));
      operand =
          operand_of(patterns_, state_.address, takes_part, memory.at.bytes, last_pattern_[kMostOperands * index]);
      if (step.moves_data) {
        state_.space = static_cast<std::uint8_t>(memory.at.space);
        if (access.kind == MemoryKind::async_copy) {
          addresses(memory.to, state_.to);
          if (in_cluster_)
            for (std::uint64_t& address : state_.to) address = offset_of(static_cast<std::uint32_t>(address));
        }
        if (state_.memory != nullptr && !state_.memory->knows_all()) know(step, access, takes_part);
        if (lanes != 0) op.run(state_, op, lanes);
      } else if (step.forgets && state_.memory != nullptr && state_.memory->keeps_unknown()) {
        state_.space = static_cast<std::uint8_t>(memory.at.space);
        forget(access, takes_part);
      }
    }
    operands_.push_back(operand);
    if (access.kind == MemoryKind::async_copy) {
      if (!step.moves_data) {
        addresses(memory.to, state_.to);
        if (in_cluster_)
          for (std::uint64_t& address : state_.to) address = offset_of(static_cast<std::uint32_t>(address));
      }
      operands_.push_back(
          operand_of(patterns_, state_.to, lanes, memory.to.bytes, last_pattern_[kMostOperands * index + 1]));
    }
  } catch (const std::runtime_error& error) {
    if (dynamic_cast<const DiagnosticsError*>(&error) != nullptr) throw;
    stop(op.instruction, error.what());
  }
}

// Lanes may lie in different spaces: an operand for those in global, in shared and in local memory.
void WarpExecutor::access_generic(const Step& step, const AddressRule& rule, std::uint32_t lanes) {
  addresses(rule, state_.address);
  std::uint32_t shared = 0, local = 0;
  bool elsewhere = false;
  for (std::size_t l = 0; l < kLanes; ++l) {
    if (in_cluster_ && state_.address[l] - kSharedWindow < kClusterWindowBytes && has_lane(lanes, static_cast<int>(l)))
      elsewhere = elsewhere || (state_.address[l] - kSharedWindow) / kWindowBytes != state_.rank;
    if (state_.address[l] - kSharedWindow < (in_cluster_ ? kClusterWindowBytes : kWindowBytes))
      shared |= 1U << l, state_.address[l] -= kSharedWindow;
    if (in_window(state_.address[l], kLocalWindow)) local |= 1U << l, state_.address[l] -= kLocalWindow;
  }
  // Places of the cluster are told from the own ones by the rank, and 1, above the offset.
  for (std::size_t l = 0; in_cluster_ && l < kLanes; ++l)
    if (has_lane(shared, static_cast<int>(l)))
      state_.address[l] = elsewhere ? state_.address[l] + kWindowBytes : state_.address[l] % kWindowBytes;
  const std::pair<Space, std::uint32_t> parts[kMostOperands] = {
      {Space::global, lanes & ~shared & ~local}, {Space::shared, lanes & shared}, {Space::local, lanes & local}};
  for (const auto& [space, part] : parts) {
    if (part == 0 || !step.moves_data) continue;
    state_.space = static_cast<std::uint8_t>(space);
    if (state_.memory != nullptr && !state_.memory->knows_all() && space != Space::local)
      know(step, program_.memory[static_cast<std::size_t>(step.memory)].decoded->access, part);
    step.op->run(state_, *step.op, part);
  }
  if ((local & lanes) != 0) place_local(rule.bytes, local & lanes);
  PatternId* last = &last_pattern_[kMostOperands * static_cast<std::size_t>(step.memory)];
  for (const auto& [space, part] : parts)
    operands_.push_back(
        operand_of(patterns_, state_.address, part, space == Space::local ? kLocalWord : rule.bytes, *last++));
}

MemoryOperand WarpExecutor::access_local(const Step& step, const AddressRule& rule, std::uint32_t lanes) {
  addresses(rule, state_.address);
  if (step.moves_data && lanes != 0) {
    state_.space = static_cast<std::uint8_t>(Space::local);
    step.op->run(state_, *step.op, lanes);
  }
  place_local(rule.bytes, lanes);
  return operand_of(patterns_, state_.address, lanes, kLocalWord,
                    last_pattern_[kMostOperands * static_cast<std::size_t>(step.memory)]);
}

// Turns addresses in the lanes' own local memories into those of their first word in the memory that holds them all:
// word w of the 32 threads is one line. Source: requests and sectors of LDL and STL, docs/memory-spaces.md.
void WarpExecutor::place_local(unsigned bytes, std::uint32_t lanes) {
  const std::uint64_t slot =
      static_cast<std::uint64_t>(cta_ * ((program_.launch.block.count() + kLanes - 1) / kLanes) + state_.warp) %
      kLocalWarps;
  const std::uint64_t first = kLocalMemory + slot * kLocalBytesPerWarp;
  for (std::size_t l = 0; l < kLanes; ++l) {
    if (!has_lane(lanes, static_cast<int>(l))) continue;
    const std::uint64_t at = state_.address[l];
    if ((at & (bytes - 1U)) != 0) throw std::runtime_error("misaligned address");
    state_.address[l] = first + at / 4 * 4 * kLanes + l * 4;
  }
}

// The low bits of a zero-filling copy's address say how many of its bytes are zeros, the last ones.
void WarpExecutor::split_zero_fill(unsigned bytes) {
  for (std::size_t l = 0; l < kLanes; ++l) {
    state_.zeros[l] = static_cast<std::uint8_t>(state_.address[l] & (bytes - 1U));
    state_.address[l] -= state_.zeros[l];
  }
}

std::uint32_t WarpExecutor::branch_lanes(const Decoded& decoded) const {
  const MicroOp& op = decoded.op;
  std::uint32_t lanes = guarded(op) & predicate(state_, decoded.condition);
  if (decoded.condition.index != 7) lanes &= predicate(state_, op.predicate_in[1]);
  if ((op.flags & 3U) != 0) {
    LaneArray scratch;
    const std::uint32_t mask =
        load(state_, op.in[0], scratch)[static_cast<std::size_t>(std::countr_zero(state_.active))];
    const bool all_here = (mask & ~state_.exited & ~state_.active) == 0;
    if (all_here == ((op.flags & 1U) != 0)) lanes = 0;
  }
  if ((op.flags & 4U) != 0 && lanes != 0) lanes = state_.active;
  if ((op.flags & 8U) != 0 && lanes != state_.active) lanes = 0;
  return lanes;
}

// The place that the first of `lanes` goes to, and which of them go there too.
std::uint32_t WarpExecutor::jump_target(const Decoded& decoded, std::uint32_t lanes, std::uint32_t& same) const {
  const LaneArray& to = read_register(state_, decoded.target_register);
  const auto first = static_cast<std::size_t>(std::countr_zero(lanes));
  const std::uint32_t address = to[first];
  same = 0;
  for (std::size_t l = 0; l < kLanes; ++l)
    if (has_lane(lanes, static_cast<int>(l)) && to[l] == address) same |= 1U << l;
  if (!decoded.absolute) return (address + decoded.target) / kInstructionBytes;
  const LaneArray& high = read_register(state_, following(decoded.target_register, 1));
  for (std::size_t l = 0; l < kLanes; ++l)
    if (has_lane(same, static_cast<int>(l)) && high[l] != high[first]) same &= ~(1U << l);
  const std::uint64_t code = (address | std::uint64_t{high[first]} << 32U) + decoded.target;
  if (code % kInstructionBytes != 0 || code - kCodeAddress >= std::uint64_t{1} << 32U)
    stop(last_, fmt::format("the code goes to {:#x}, which is no address of code", code));
  return static_cast<std::uint32_t>((code - kCodeAddress) / kInstructionBytes);
}

// Where control goes on when it would go to `place`: behind the call when the function is the driver's.
std::uint32_t WarpExecutor::place_after_call(std::uint32_t place, std::uint32_t next) const {
  if (place < kOutsidePlace || place - kOutsidePlace >= program_.outside.size()) return place;
  const std::string why = refuse_system_call(program_.outside[place - kOutsidePlace]);
  if (!why.empty()) stop(next - 1, why);
  return next;
}

WarpRun WarpExecutor::next_turns(std::uint32_t& repeats) {
  repeats = 1;
  const std::uint32_t place = lanes_.running().place;
  const bool turns = before_ == place && lanes_.running().lanes == kAllLanes && place < failures_.size() &&
                     failures_[place] < kMostFailures;
  before_ = place;
  if (!turns) {
    turn_at_ = kNowhere;
    return next(false);
  }
  if (turn_at_ != place) {
    turn_at_ = place;
    turn_ = state_.lanes;
    return next(false);
  }
  turn_at_ = kNowhere;
  loop_.begin(turn_, state_);
  observed_ = true;
  const WarpRun run = next(false);
  observed_ = false;
  const std::uint64_t most = program_.launch.limits.warp_instructions;
  const bool back = run.end == WarpRun::End::jump && !lanes_.done() && lanes_.running().place == place &&
                    lanes_.running().lanes == kAllLanes;
  const std::uint64_t more = back && state_.executed < most ? (most - state_.executed) / run.length : 0;
  const std::uint32_t extra = loop_.end(state_, more);
  if (extra == 0) ++failures_[place];
  state_.executed += std::uint64_t{extra} * run.length;
  repeats += extra;
  return run;
}

// Which barrier it was, and of how many warps.
void WarpExecutor::note_barrier(const Decoded& decoded, std::uint32_t lanes) {
  LaneArray scratch;
  AsyncOperand named{.parity = static_cast<std::uint8_t>(decoded.flow == Flow::arrive ? 1 : 0), .complete = lanes != 0};
  if (lanes != 0) {
    const auto first = static_cast<std::size_t>(std::countr_zero(lanes));
    const std::uint32_t threads = load(state_, decoded.op.in[1], scratch)[first];
    named.barrier = load(state_, decoded.op.in[0], scratch)[first] & 15U;
    named.arrivals = threads == program_.launch.block.count() ? 0 : (threads + kLanes - 1) / kLanes;
  }
  asynchronous_.push_back(named);
}

bool WarpExecutor::go_on(std::uint32_t last, WarpRun& run, bool stop_at_barriers) {
  const Decoded& decoded = program_.code[last];
  if (observed_) loop_.control(decoded);
  const std::uint32_t lanes = guarded(decoded.op), next = last + 1;
  switch (decoded.flow) {
    case Flow::next:
      lanes_.go_to(next);
      return false;
    case Flow::branch:
    case Flow::call: {
      const std::uint32_t taken = branch_lanes(decoded), target = decoded.target / kInstructionBytes;
      lanes_.branch(taken, taken != 0 ? place_after_call(target, next) : target, next);
      return false;
    }
    case Flow::jump: {
      if (lanes == 0) {
        lanes_.go_to(next);
        return false;
      }
      std::uint32_t same = 0;
      const std::uint32_t target = place_after_call(jump_target(decoded, lanes, same), next);
      // Lanes that go elsewhere execute the jump again, once for each place. Source: smsp__inst_executed of calls
      // through tables of functions, tests/data/sass/calls/calls_h100.csv.
      lanes_.branch(same, target, same == lanes ? next : last);
      return false;
    }
    case Flow::refused:
      stop(last, program_.refused.at(last));
    case Flow::exit:
    case Flow::trap:
      lanes_.exit(lanes & predicate(state_, decoded.condition), next);
      if (lanes_.done()) run.end = WarpRun::End::exit;
      return lanes_.done();
    case Flow::open:
      if (lanes != 0) lanes_.open(decoded.convergence);
      lanes_.go_to(next);
      return false;
    case Flow::meet:
      if (lanes != 0)
        lanes_.meet(decoded.convergence, next);
      else
        lanes_.go_to(next);
      return false;
    case Flow::leave:
      lanes_.leave(decoded.convergence, lanes & predicate(state_, decoded.condition));
      lanes_.go_to(next);
      return false;
    case Flow::gather: {
      if (lanes == 0) {
        lanes_.go_to(next);
        return false;
      }
      LaneArray scratch;
      lanes_.gather(load(state_, decoded.op.in[0], scratch)[static_cast<std::size_t>(std::countr_zero(lanes))], next);
      return false;
    }
    case Flow::barrier:
    case Flow::arrive: {
      lanes_.go_to(next);
      if (decoded.instruction.op == OpClass::partial_barrier) note_barrier(decoded, lanes);
      if (!stop_at_barriers || lanes == 0) return false;
      LaneArray scratch;
      const auto first = static_cast<std::size_t>(std::countr_zero(lanes));
      run.end = decoded.flow == Flow::arrive ? WarpRun::End::arrive : WarpRun::End::barrier;
      run.barrier = load(state_, decoded.op.in[0], scratch)[first] & 15U;
      run.barrier_threads = load(state_, decoded.op.in[1], scratch)[first];
      run.barrier_lanes = lanes;
      run.barrier_votes = lanes & predicate(state_, decoded.op.predicate_in[0]);
      run.barrier_kind = decoded.op.flags;
      return true;
    }
    case Flow::cluster_arrive:
    case Flow::cluster_wait:
      lanes_.go_to(next);
      if (!stop_at_barriers || lanes == 0) return false;
      run.end = decoded.flow == Flow::cluster_arrive ? WarpRun::End::cluster_arrive : WarpRun::End::cluster_wait;
      return true;
    case Flow::yield:
      lanes_.go_to(next);
      lanes_.yield();
      return false;
    case Flow::save:
      merge(output(state_, decoded.op.out), filled(lanes_.take(decoded.convergence, decoded.op.flags != 0)), lanes);
      lanes_.go_to(next);
      return false;
    case Flow::restore:
      if (lanes != 0)
        lanes_.put(decoded.convergence,
                   lanes_at(state_, decoded.op.in[0].low)[static_cast<std::size_t>(std::countr_zero(lanes))]);
      lanes_.go_to(next);
      return false;
  }
  return false;
}

}  // namespace tilescope::sass
