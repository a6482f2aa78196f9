// The base of all generators: turns static sections and a rule for lane addresses into warp instruction streams.
//
// A generator says (1) its code, as sections of a CodeBuilder; (2) the lane addresses of an operand, for a warp of a
// *shape*; (3) the route of a warp: which section runs how often, beginning where in each buffer. CTAs of one shape
// (inner ones, those at the right edge, ...) have the same lane patterns and differ in their bases only. So operands
// are worked out once per shape, warp and section, and a stream only copies them and moves the bases of the global ones
// from iteration to iteration.
#pragma once

#include <array>
#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "models/isa/kernel.h"
#include "traces/kernels/code_builder.h"

namespace tilescope {

// Where a CTA lies: filled by the generator, kept by the stream.
struct CtaPlace {
  int shape = 0;                       // 0 .. shapes - 1
  std::array<std::int64_t, 2> tile{};  // the generator's own coordinates
};

// `repeats` runs of one section. Global operands begin at `base` (byte address) and move by the section's advance each
// run.
struct RouteStep {
  int section = 0;
  std::int64_t repeats = 1;
  std::array<std::uint64_t, kBuffers> base{};
};

class GeneratedKernel : public Kernel {
 public:
  ~GeneratedKernel() override;
  const Launch& launch() const final { return launch_; }
  std::span<const Instruction> code() const final { return code_; }
  const PatternTable& patterns() const final { return patterns_; }
  std::unique_ptr<WarpStream> make_stream() const final;

  // As resolved, for Launch::parameters.
  void set_parameters(std::vector<std::pair<std::string, std::string>> parameters) {
    launch_.parameters = std::move(parameters);
  }

 protected:
  GeneratedKernel() = default;

  // In the constructor, in this order.
  void set_code(const CodeBuilder& code);
  // Or section by section, with control codes, each at its place in the code. Returns the section's index.
  int add_section(std::size_t first, const std::vector<Instruction>& code, const std::vector<Access>& accesses);
  // How far the base of each buffer moves with each run of a section, in byte; 0 unless said.
  void set_advance(int section, std::array<std::int64_t, kBuffers> bytes);
  // A section with the code and advance of another, in which the accesses of step `step` are marked `edge`. Returns its
  // index.
  int add_edge_section(int of, int step);
  // `shapes`: how many shapes of CTA there are.
  void set_launch(Launch launch, int shapes);

  virtual CtaPlace place(std::int64_t cta) const = 0;
  // The index-th step of a warp, or false when there are no more.
  virtual bool step(const CtaPlace& place, int warp, std::int64_t index, RouteStep& out) const = 0;
  // Must depend on shape and warp only.
  virtual LaneAddresses lanes(const Access& access, int shape, int warp) const = 0;

 private:
  friend class GeneratedStream;
  struct GlobalOperand {
    std::uint32_t position;  // in the section's operands
    std::int32_t buffer;
    std::int64_t offset;  // of the lowest active lane, from the buffer's base
  };
  struct SectionOperands {
    std::vector<MemoryOperand> operands;  // bases of global ones are unset
    std::vector<GlobalOperand> global;
    std::vector<std::uint32_t> idle;    // positions of operands without an active lane
    std::vector<std::uint32_t> copied;  // positions of operands that copies from global memory write to
    std::vector<std::int64_t> advance;  // of each base with each run of the section, in byte
    std::uint32_t key = 0;
  };
  struct Section {
    std::size_t first = 0, length = 0;
    std::vector<Access> accesses;
    std::array<std::int64_t, kBuffers> advance{};
  };

  const SectionOperands& operands(int section, int shape, int warp) const;
  std::unique_ptr<SectionOperands> make_operands(int section, int shape, int warp) const;
  std::uint32_t key_of(int section, const SectionOperands& operands) const;

  Launch launch_;
  std::vector<Instruction> code_;
  std::vector<Section> sections_;
  std::size_t warps_ = 0;
  std::size_t most_operands_ = 0;
  mutable PatternTable patterns_;
  mutable std::vector<std::atomic<const SectionOperands*>> operands_;  // by shape, warp, section; made on first use
  mutable std::mutex keys_mutex_;
  mutable std::unordered_map<std::string, std::uint32_t> keys_;  // section and its shared patterns -> key
};

}  // namespace tilescope
