// A kernel with everything a trace must carry, small enough to damage at every bit: CTAs that differ, loops, double
// buffers, inactive lanes, an async copy (two operands), addresses above 4 GiB, keys, launch parameters.
#pragma once

#include <unistd.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "models/isa/kernel.h"
#include "traces/file/trace_writer.h"

namespace tilescope::test {

class SampleKernel : public Kernel {
 public:
  explicit SampleKernel(Dim3 grid = {3, 2, 1}, int steps = 5) : steps_(steps) {
    launch_.kernel = "sample";
    launch_.grid = grid;
    launch_.block = {40, 2, 1};  // three warps, the last one half empty
    launch_.dynamic_smem_bytes = 8192;
    launch_.flop = 1234.5;
    launch_.parameters = {{"M", "3"}, {"swizzle", "none"}};
    const OpClass ops[] = {OpClass::special, OpClass::imad,         OpClass::global_load, OpClass::async_copy,
                           OpClass::barrier, OpClass::shared_load,  OpClass::fma,         OpClass::shared_store,
                           OpClass::branch,  OpClass::global_store, OpClass::exit};
    for (const OpClass op : ops) code_.push_back({.op = op, .stall = 2, .cached = 1, .line = 7});
    code_[1].yield = 1;
    code_[1].uniform_rows = 1;
    code_[3].write_scoreboard = 5;
    code_[4].wait_mask = 0x21;
    code_[4].detail = 3;
  }
  const Launch& launch() const override { return launch_; }
  std::span<const Instruction> code() const override { return code_; }
  const PatternTable& patterns() const override { return patterns_; }
  std::unique_ptr<WarpStream> make_stream() const override { return std::make_unique<Stream>(*this); }

  struct Planned {
    std::uint32_t offset, length, key;
    std::vector<MemoryOperand> operands;
  };
  // What one warp does.
  virtual std::vector<Planned> plan(std::int64_t cta, int warp) const {
    const std::uint64_t row = 0x7f00'0000'0000ULL + static_cast<std::uint64_t>(cta) * 4096;
    const auto w = static_cast<std::uint64_t>(warp);
    const std::uint32_t lanes = warp == 2 ? 0xFFFFU : 0xFFFF'FFFFU;
    std::vector<Planned> plan{{0, 3, 1, {rows(row + w * 128, 4, lanes, 4)}}};
    for (int step = 0; step < steps_ + static_cast<int>(cta % 2); ++step) {
      const std::uint64_t buffer = step % 2 == 0 ? 0 : 4096;
      const std::uint64_t source = 0x1'0000'0000ULL + static_cast<std::uint64_t>(step) * 256 + w * 1024;
      plan.push_back({3,
                      6,
                      step % 2 == 0 ? 2U : 3U,
                      {rows(source, 16, lanes, 16), rows(buffer + w * 512, 16, lanes, 16),
                       step == 1 ? MemoryOperand{} : rows(buffer + w * 4, 132, lanes, 4),
                       rows(buffer, 8, lanes & 0x55555555U, 8)}});
    }
    plan.push_back({9, 2, 0, {rows(row + 1024, cta == 1 ? 8 : 4, lanes, 4)}});
    return plan;
  }
  // Lane i at base + i * pitch.
  MemoryOperand rows(std::uint64_t base, std::uint64_t pitch, std::uint32_t active, int bytes) const {
    std::array<std::uint64_t, kLanes> address{};
    for (std::size_t lane = 0; lane < address.size(); ++lane) address[lane] = base + lane * pitch;
    return patterns_.operand(address, active, bytes);
  }

 protected:
  Launch launch_;
  std::vector<Instruction> code_;

 private:
  class Stream : public WarpStream {
   public:
    explicit Stream(const SampleKernel& kernel) : kernel_(kernel) {}
    void start(std::int64_t cta, int warp, Operands) override {
      plan_ = kernel_.plan(cta, warp);
      at_ = 0;
    }
    bool next(Segment& segment) override {
      if (at_ == plan_.size()) return false;
      const Planned& planned = plan_[at_++];
      segment = {kernel_.code_.data() + planned.offset, planned.operands.data(), planned.length, planned.key};
      return true;
    }

   private:
    const SampleKernel& kernel_;
    std::vector<Planned> plan_;
    std::size_t at_ = 0;
  };
  int steps_;
  mutable PatternTable patterns_;
};

inline std::string recorded(const Kernel& kernel, const RecordOptions& options = {}) {
  std::ostringstream out;
  record_trace(kernel, out, options);
  return out.str();
}

// A file of its own for each test, removed afterwards.
class TemporaryFile {
 public:
  explicit TemporaryFile(const std::string& content = "")
      : path_(std::filesystem::temp_directory_path() /
              ("tilescope-trace-" + std::to_string(::getpid()) + "-" + std::to_string(made++) + ".tst")) {
    write(content);
  }
  ~TemporaryFile() {
    std::error_code ignored;
    std::filesystem::remove(path_, ignored);
  }
  void write(const std::string& content) const {
    std::filesystem::remove(path_);  // faster than rewriting, where a file system flushes what is rewritten
    std::ofstream(path_, std::ios::binary) << content;
  }
  std::string path() const { return path_.string(); }

 private:
  static inline int made = 0;
  std::filesystem::path path_;
};

// Whether both warps give the same segments with the same operands; the patterns compared by what they hold.
inline bool same_warp(const Kernel& a, WarpStream& from_a, const Kernel& b, WarpStream& from_b, std::int64_t cta,
                      int warp) {
  from_a.start(cta, warp, Operands::all);
  from_b.start(cta, warp, Operands::all);
  Segment left, right;
  while (from_a.next(left)) {
    if (!from_b.next(right)) return false;
    if (left.code - a.code().data() != right.code - b.code().data()) return false;
    if (left.length != right.length || left.key != right.key) return false;
    std::size_t operand = 0;
    for (std::uint32_t i = 0; i < left.length; ++i)
      for (int j = 0; j < memory_operands(left.code[i].op); ++j, ++operand) {
        if (left.operands[operand].base != right.operands[operand].base) return false;
        if (a.patterns().pattern(left.operands[operand].pattern) !=
            b.patterns().pattern(right.operands[operand].pattern))
          return false;
      }
  }
  return !from_b.next(right) && !from_b.next(right);
}

inline bool same_kernel(const Kernel& a, const Kernel& b) {
  const Launch &la = a.launch(), &lb = b.launch();
  if (la.kernel != lb.kernel || la.grid != lb.grid || la.block != lb.block || la.flop != lb.flop ||
      la.registers_per_thread != lb.registers_per_thread || la.static_smem_bytes != lb.static_smem_bytes ||
      la.dynamic_smem_bytes != lb.dynamic_smem_bytes || la.parameters != lb.parameters)
    return false;
  if (a.code().size() != b.code().size()) return false;
  for (std::size_t i = 0; i < a.code().size(); ++i) {
    const Instruction &x = a.code()[i], &y = b.code()[i];
    if (x.op != y.op || x.stall != y.stall || x.write_scoreboard != y.write_scoreboard ||
        x.read_scoreboard != y.read_scoreboard || x.wait_mask != y.wait_mask || x.yield != y.yield ||
        x.uniform_rows != y.uniform_rows || x.register_reads != y.register_reads || x.cached != y.cached ||
        x.work != y.work || x.detail != y.detail || x.line != y.line)
      return false;
  }
  const auto from_a = a.make_stream(), from_b = b.make_stream();
  for (std::int64_t cta = 0; cta < la.grid.count(); ++cta)
    for (int warp = 0; warp < la.warps_per_cta(); ++warp)
      if (!same_warp(a, *from_a, b, *from_b, cta, warp)) return false;
  return true;
}

}  // namespace tilescope::test
