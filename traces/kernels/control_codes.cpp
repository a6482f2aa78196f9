#include "traces/kernels/control_codes.h"

#include <algorithm>
#include <array>
#include <unordered_map>

namespace tilescope {
namespace {

constexpr int kLongestStall = 15;

bool is_imad(OpClass op) { return op == OpClass::imad || op == OpClass::imad_wide; }
bool is_shared_load(OpClass op) { return op == OpClass::shared_load || op == OpClass::matrix_load; }

// Latency unknown to the compiler: the result sets a scoreboard.
bool is_variable(OpClass op) { return traits(op).fixed_latency == 0; }

// Cycles between two instructions of one warp that use the same unit.
int same_unit_interval(OpClass earlier, OpClass later) {
  if (uses_load_store_unit(earlier) && uses_load_store_unit(later)) return 4;
  if (earlier == OpClass::barrier && (uses_load_store_unit(later) || is_turn(later) || later == OpClass::exit))
    return 6;
  if (is_imad(earlier) && is_imad(later)) return 2;
  const bool every_second = earlier == OpClass::alu || earlier == OpClass::uniform || earlier == OpClass::half ||
                            earlier == OpClass::half_tensor;
  return earlier == later && every_second ? 2 : 1;
}

class Assigner {
 public:
  Assigner(const std::vector<DraftInstruction>& draft, std::vector<Instruction>& code) : draft_(draft), code_(code) {}

  void issue(std::size_t index) {
    const std::int64_t position = static_cast<std::int64_t>(trace_.size());
    const DraftInstruction& now = draft_[index];
    wait_for_inputs(index, position);
    delay_until(earliest(now), position);
    trace_.push_back({index, time_});
    remember(index, position);
    time_ += code_[index].stall;
  }

 private:
  struct Issued {
    std::size_t index;
    std::int64_t time;
  };
  struct Interval {
    std::int64_t first, last;
  };

  std::int64_t earliest(const DraftInstruction& now) const {
    std::int64_t time = time_;
    for (const Register source : now.sources)
      time = std::max(time, ready(source, uses_load_store_unit(now.op) ? 1 : 0));
    if (const auto made = fixed_.find(now.guard); made != fixed_.end()) time = std::max(time, made->second.time + 13);
    const std::size_t window = std::min<std::size_t>(trace_.size(), 6);
    for (std::size_t back = 1; back <= window; ++back) {
      const Issued& before = trace_[trace_.size() - back];
      time = std::max(time, before.time + same_unit_interval(draft_[before.index].op, now.op));
    }
    return time;
  }

  std::int64_t ready(Register source, int extra) const {
    const auto made = fixed_.find(source);
    return made == fixed_.end() ? 0 : made->second.time + traits(draft_[made->second.index].op).fixed_latency + extra;
  }

  // Lengthens the stall of the instruction before, so that this one issues at `time` or later.
  void delay_until(std::int64_t time, std::int64_t position) {
    if (time <= time_ || position == 0) return;
    const Issued& before = trace_.back();
    Instruction& instruction = code_[before.index];
    const std::int64_t stall = std::min<std::int64_t>(time - before.time, kLongestStall);
    if (stall > instruction.stall) instruction.stall = static_cast<std::uint8_t>(stall);
    time_ = std::max(time_, before.time + stall);
  }

  void wait_for_inputs(std::size_t index, std::int64_t position) {
    const DraftInstruction& now = draft_[index];
    std::vector<std::int64_t> producers;
    const auto need = [&](Register source) {
      const auto made = pending_.find(source);
      if (made != pending_.end()) producers.push_back(made->second);
    };
    for (const Register source : now.sources) need(source);
    if (now.guard != kNoRegister) need(now.guard);
    if (!uses_load_store_unit(now.op) && now.result != kNoRegister) {
      need(now.result);  // written twice: the first write must have landed
      protect_readers(now.result, index, position);
    }
    if (producers.empty()) return;
    std::sort(producers.begin(), producers.end());

    // Shared loads return in order: the last one stands for all.
    std::int64_t last_shared = -1;
    for (const std::int64_t producer : producers)
      if (is_shared_load(op_at(producer))) last_shared = producer;
    std::erase_if(producers, [&](std::int64_t p) { return is_shared_load(op_at(p)) && p != last_shared; });

    int board = kNoScoreboard;
    for (const std::int64_t producer : producers) {
      Instruction& instruction = code_[trace_[static_cast<std::size_t>(producer)].index];
      if (instruction.write_scoreboard == kNoScoreboard) {
        if (board == kNoScoreboard) board = free_scoreboard(producers.front(), position);
        instruction.write_scoreboard = static_cast<std::uint8_t>(board);
      }
      wait(index, instruction.write_scoreboard, producer, position);
    }
  }

  void wait(std::size_t index, int board, std::int64_t since, std::int64_t position) {
    Instruction& now = code_[index];
    now.wait_mask = static_cast<std::uint8_t>(now.wait_mask | 1U << static_cast<unsigned>(board));
    busy_[static_cast<std::size_t>(board)].push_back({since, position});
    // A scoreboard set in this very cycle is seen two cycles later.
    if (since == position - 1) delay_until(trace_.back().time + 2, position);
    // Everything that set this scoreboard has landed, and every shared load before one that has.
    std::int64_t shared_until = -1;
    for (const auto& [value, producer] : pending_)
      if (code_at(producer).write_scoreboard == board && is_shared_load(op_at(producer)))
        shared_until = std::max(shared_until, producer);
    std::erase_if(pending_, [&](const auto& entry) {
      return code_at(entry.second).write_scoreboard == board ||
             (is_shared_load(op_at(entry.second)) && entry.second <= shared_until);
    });
    std::erase_if(readers_, [&](const auto& entry) {
      const Instruction& reader = code_at(entry.second);
      return reader.write_scoreboard == board || reader.read_scoreboard == board;
    });
  }

  void protect_readers(Register value, std::size_t index, std::int64_t position) {
    const auto reader = readers_.find(value);
    if (reader == readers_.end()) return;
    const std::int64_t since = reader->second;
    Instruction& instruction = code_[trace_[static_cast<std::size_t>(since)].index];
    if (instruction.read_scoreboard == kNoScoreboard)
      instruction.read_scoreboard = static_cast<std::uint8_t>(free_scoreboard(since, position));
    wait(index, instruction.read_scoreboard, since, position);
    readers_.erase(value);
  }

  // The lowest scoreboard that nobody uses in the interval, else the last.
  int free_scoreboard(std::int64_t first, std::int64_t last) const {
    for (int board = 0; board < kScoreboards; ++board) {
      const auto& intervals = busy_[static_cast<std::size_t>(board)];
      if (std::none_of(intervals.begin(), intervals.end(),
                       [&](const Interval& other) { return other.first < last && first < other.last; }))
        return board;
    }
    return kScoreboards - 1;
  }

  void remember(std::size_t index, std::int64_t position) {
    const DraftInstruction& now = draft_[index];
    if (now.op == OpClass::global_load || now.op == OpClass::shared_load || now.op == OpClass::async_copy)
      for (const Register source : now.sources) readers_[source] = position;
    if (now.result == kNoRegister) return;
    readers_.erase(now.result);
    fixed_.erase(now.result);
    pending_.erase(now.result);
    if (is_variable(now.op))
      pending_[now.result] = position;
    else
      fixed_[now.result] = {index, time_};
  }

  OpClass op_at(std::int64_t position) const { return draft_[trace_[static_cast<std::size_t>(position)].index].op; }
  const Instruction& code_at(std::int64_t position) const {
    return code_[trace_[static_cast<std::size_t>(position)].index];
  }

  const std::vector<DraftInstruction>& draft_;
  std::vector<Instruction>& code_;
  std::vector<Issued> trace_;
  std::int64_t time_ = 0;
  std::unordered_map<Register, Issued> fixed_;          // results of known latency
  std::unordered_map<Register, std::int64_t> pending_;  // results nobody has waited for, and who makes them
  std::unordered_map<Register, std::int64_t> readers_;  // registers a load may still be reading
  std::array<std::vector<Interval>, kScoreboards> busy_;
};

}  // namespace

std::vector<Instruction> assign_control_codes(const std::vector<DraftInstruction>& draft,
                                              const std::vector<DraftSection>& sections) {
  std::vector<Instruction> code(draft.size());
  for (std::size_t i = 0; i < draft.size(); ++i) {
    code[i].op = draft[i].op;
    code[i].cached = draft[i].cached ? 1 : 0;
    code[i].work = draft[i].work;
    code[i].stall = draft[i].op == OpClass::branch || draft[i].op == OpClass::exit ? 5 : 1;
  }
  Assigner assigner(draft, code);
  for (const DraftSection& section : sections)
    for (int pass = 0; pass < (section.loop ? 2 : 1); ++pass)
      for (std::size_t i = 0; i < section.length; ++i) assigner.issue(section.first + i);
  for (Instruction& instruction : code) {
    const bool waits_for_result = instruction.op != OpClass::barrier && !uses_load_store_unit(instruction.op);
    instruction.yield = waits_for_result && instruction.stall >= 3 && instruction.op != OpClass::branch ? 1 : 0;
  }
  return code;
}

}  // namespace tilescope
