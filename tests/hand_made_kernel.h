// Kernels written down instruction by instruction, for tests of the engine: the simulator's counterpart of a
// microbenchmark.
#pragma once

#include <doctest/doctest.h>

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "models/isa/kernel.h"

namespace tilescope::test {

// The addresses of one memory instruction.
struct Access {
  std::array<std::uint64_t, kLanes> address{};
  std::uint32_t active = ~0U;
  int bytes = 4;
};

// Lane i at base + i * pitch.
inline Access strided(std::uint64_t base, std::uint64_t pitch, int bytes = 4, std::uint32_t active = ~0U) {
  Access access{{}, active, bytes};
  for (std::size_t lane = 0; lane < access.address.size(); ++lane) access.address[lane] = base + lane * pitch;
  return access;
}

// Lane i at base + f(i).
template <class Offset>
Access lanes_at(std::uint64_t base, Offset&& offset, int bytes = 4) {
  Access access{{}, ~0U, bytes};
  for (std::size_t lane = 0; lane < access.address.size(); ++lane) access.address[lane] = base + offset(lane);
  return access;
}

// One instruction with what it touches.
struct Step {
  Instruction instruction;
  std::vector<Access> accesses;

  Step stall(int cycles) && {
    instruction.stall = static_cast<std::uint8_t>(cycles);
    return std::move(*this);
  }
  Step sets(int scoreboard) && {
    instruction.write_scoreboard = static_cast<std::uint8_t>(scoreboard);
    return std::move(*this);
  }
  Step waits_for(int scoreboard) && {
    instruction.wait_mask = static_cast<std::uint8_t>(instruction.wait_mask | 1U << static_cast<unsigned>(scoreboard));
    return std::move(*this);
  }
  Step bypassing_l1() && {
    instruction.cached = 0;
    return std::move(*this);
  }
  Step at_barrier(int id) && {
    instruction.detail = static_cast<std::uint16_t>(id);
    return std::move(*this);
  }
  Step working(int units) && {
    instruction.work = static_cast<std::uint16_t>(units);
    return std::move(*this);
  }
};

inline Step step(OpClass op, std::vector<Access> accesses = {}) {
  Step made;
  made.instruction.op = op;
  made.accesses = std::move(accesses);
  return made;
}
inline Step load_shared(const Access& access) { return step(OpClass::shared_load, {access}); }
inline Step load_global(const Access& access) { return step(OpClass::global_load, {access}); }
inline Step store_global(const Access& access) { return step(OpClass::global_store, {access}); }

// What one warp executes; EXIT is added.
using Program = std::vector<Step>;

inline Program repeated(int times, const Step& what) { return Program(static_cast<std::size_t>(times), what); }
inline Program operator+(Program first, const Program& then) {
  first.insert(first.end(), then.begin(), then.end());
  return first;
}

class HandMadeKernel : public Kernel {
 public:
  // Warp w of CTA c runs programs[choose(c, w)].
  using Choice = std::function<std::size_t(std::int64_t cta, int warp)>;
  HandMadeKernel(std::int64_t ctas, std::int64_t threads, const std::vector<Program>& programs, Choice choose = {})
      : choose_(choose ? std::move(choose) : [](std::int64_t, int) { return std::size_t{0}; }) {
    launch_.kernel = "hand_made";
    launch_.grid = {ctas, 1, 1};
    launch_.block = {threads, 1, 1};
    for (const Program& program : programs) add(program);
    for (Planned& planned : programs_) planned.segment.code = code_.data() + planned.first;
  }
  // Every warp runs the same.
  HandMadeKernel(std::int64_t ctas, std::int64_t threads, const Program& program)
      : HandMadeKernel(ctas, threads, std::vector<Program>{program}) {}

  const Launch& launch() const override { return launch_; }
  Launch& change_launch() { return launch_; }  // before the kernel is used
  std::span<const Instruction> code() const override { return code_; }
  const PatternTable& patterns() const override { return patterns_; }
  std::unique_ptr<WarpStream> make_stream() const override { return std::make_unique<Stream>(*this); }

 private:
  struct Planned {
    std::size_t first = 0;
    std::vector<MemoryOperand> operands;
    Segment segment;
  };
  class Stream : public WarpStream {
   public:
    explicit Stream(const HandMadeKernel& kernel) : kernel_(kernel) {}
    void start(std::int64_t cta, int warp, Operands) override {
      planned_ = &kernel_.programs_.at(kernel_.choose_(cta, warp));
    }
    bool next(Segment& segment) override {
      if (planned_ == nullptr) return false;
      segment = planned_->segment;
      segment.operands = planned_->operands.data();
      planned_ = nullptr;
      return true;
    }

   private:
    const HandMadeKernel& kernel_;
    const Planned* planned_ = nullptr;
  };

  void add(const Program& program) {
    Planned planned;
    planned.first = code_.size();
    for (const Step& s : program) {
      code_.push_back(s.instruction);
      REQUIRE(static_cast<int>(s.accesses.size()) == memory_operands(s.instruction.op));
      for (const Access& a : s.accesses) planned.operands.push_back(patterns_.operand(a.address, a.active, a.bytes));
    }
    code_.push_back({OpClass::exit});
    planned.segment.length = static_cast<std::uint32_t>(program.size() + 1);
    planned.segment.key = static_cast<std::uint32_t>(programs_.size() + 1);
    programs_.push_back(std::move(planned));
  }

  Launch launch_;
  Choice choose_;
  std::vector<Instruction> code_;
  std::vector<Planned> programs_;
  PatternTable patterns_;
};

}  // namespace tilescope::test
