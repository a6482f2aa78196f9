// Matches nvcc 13.0 -O3 for sm_90 in the order and number of the loop's memory instructions and FFMAs; the address
// arithmetic of the loop follows a rule read off eight instances (docs of set_overhead below).
#include "traces/kernels/gemm_register_code.h"

#include <algorithm>
#include <vector>

#include "traces/kernels/raster_code.h"

namespace tilescope {
namespace {

class Writer {
 public:
  Writer(CodeBuilder& code, const GemmRegisterSpec& spec) : code_(code), spec_(spec) {
    for (Register* name : {&a_, &b_, &stride_, &k_, &store_a_, &store_b_, &read_a_, &read_b_}) *name = code_.name();
    for (int i = 0; i < spec_.tm * spec_.tn; ++i) sum_.push_back(code_.name());
  }

  void write() {
    code_.section();
    prologue();
    code_.section(true);
    loop();
    code_.section();
    epilogue();
  }

 private:
  int steps() const { return spec_.steps_a() + spec_.steps_b(); }

  void prologue() {
    code_.emit(OpClass::constant_load);
    const Register thread = code_.emit(OpClass::special);
    const Register group = code_.emit(OpClass::constant_load);
    code_.emit(OpClass::uniform);
    const Register grouped = code_.emit(OpClass::alu, {group});
    Register row = code_.emit(OpClass::alu, {thread});
    row = code_.emit(OpClass::alu, {row, thread});
    code_.filler(OpClass::alu, 3);
    code_.effect(OpClass::branch, {}, grouped);
    emit_raster(code_, spec_.problem.raster);
    const Register cta_x = code_.emit(OpClass::special);
    const Register cta_y = code_.emit(OpClass::special);
    code_.emit(OpClass::uniform);
    code_.emit(OpClass::alu, {cta_y});
    const Register any = code_.emit(OpClass::alu);
    code_.emit(OpClass::alu, {cta_x});
    code_.effect(OpClass::branch, {}, any);
    const Register n = code_.emit(OpClass::constant_load);
    const Register window = code_.emit(OpClass::special);
    for (const Register sum : sum_) {
      if ((sum - sum_.front()) % 2 == 0) code_.emit_to(sum, OpClass::alu);  // CS2R clears two
    }
    const Register shared = code_.emit(OpClass::uniform, {window});
    code_.filler(OpClass::alu, spec_.vector == 4 ? 24 : 12 * steps());
    code_.emit_to(store_a_, OpClass::alu, {thread, shared});
    code_.emit_to(store_b_, OpClass::alu, {thread, shared});
    code_.emit_to(a_, OpClass::alu, {row});
    code_.emit_to(b_, OpClass::alu, {row, n});
    code_.emit_to(k_, OpClass::alu);
    code_.emit_to(stride_, OpClass::alu, {n});
    code_.emit_to(read_a_, OpClass::alu, {row, shared});
    code_.emit_to(read_b_, OpClass::alu, {row, shared});
  }

  // Address instructions in the loop beside counter, condition, branch and one step of each pointer: with float4 two
  // copies of each pointer, else one pointer update per load; beyond eight pointers registers run short and more is
  // recomputed.
  int overhead() const {
    if (spec_.vector == 4) return 2 + 2 * steps();
    return steps() <= 8 ? steps() : steps() * 5 / 2;
  }

  void loop() {
    const int before = spec_.vector == 4 ? overhead() : 0;
    code_.filler(OpClass::alu, before);
    std::vector<Register> tile_a, tile_b;
    for (int step = 0; step < spec_.steps_a(); ++step)
      tile_a.push_back(code_.load(OpClass::global_load, {kRegLoadA, step}, {a_}));
    for (int step = 0; step < spec_.steps_b(); ++step)
      tile_b.push_back(code_.load(OpClass::global_load, {kRegLoadB, step}, {b_}));
    code_.emit_to(b_, OpClass::imad_wide, {stride_, b_});
    code_.emit_to(k_, OpClass::alu, {k_});
    const Register carry = code_.emit(OpClass::alu, {a_});
    const Register more = code_.emit(OpClass::alu, {k_});
    for (int i = 0; i < overhead() - before; ++i) code_.emit(i % 2 == 0 ? OpClass::imad : OpClass::alu, {stride_});
    code_.emit_to(a_, OpClass::alu, {carry});
    for (int step = 0; step < spec_.steps_a(); ++step)
      for (int part = 0; part < spec_.vector; ++part)
        code_.store(OpClass::shared_store, {kRegStoreA, step, part},
                    {store_a_, tile_a[static_cast<std::size_t>(step)]});
    for (int step = 0; step < spec_.steps_b(); ++step)
      code_.store(OpClass::shared_store, {kRegStoreB, step}, {store_b_, tile_b[static_cast<std::size_t>(step)]});
    code_.effect(OpClass::barrier);
    multiply();
    code_.effect(OpClass::barrier);
    code_.effect(OpClass::branch, {}, more);
  }

  // Fragments of the next k steps are loaded between the FFMAs of this one: two steps ahead for small tiles, else one.
  void multiply() {
    const int per_step = spec_.tm * spec_.tn;
    const int ahead = per_step <= 16 ? 2 : 1;
    std::vector<Access> reads;
    for (int k = 0; k < spec_.bk; ++k) {
      for (int y = 0; y < spec_.tm; y += fragment_width(spec_.tm)) reads.push_back({kRegReadA, k, y});
      for (int x = 0; x < spec_.tn; x += fragment_width(spec_.tn)) reads.push_back({kRegReadB, k, x});
    }
    const std::size_t reads_per_step = reads.size() / static_cast<std::size_t>(spec_.bk);
    std::vector<std::vector<Register>> a(static_cast<std::size_t>(spec_.bk)), b(static_cast<std::size_t>(spec_.bk));
    std::size_t read = 0;
    const auto load = [&](std::size_t until) {
      for (; read < std::min(until, reads.size()); ++read) {
        const Access& access = reads[read];
        const bool is_a = access.role == kRegReadA;
        const Register value = code_.load(OpClass::shared_load, access, {is_a ? read_a_ : read_b_});
        auto& fragment = (is_a ? a : b)[static_cast<std::size_t>(access.step)];
        fragment.insert(fragment.end(), static_cast<std::size_t>(fragment_width(is_a ? spec_.tm : spec_.tn)), value);
      }
    };
    load(reads_per_step * static_cast<std::size_t>(ahead));
    for (std::size_t k = 0; k < a.size(); ++k)
      for (int i = 0; i < per_step; ++i) {
        // The first third of a step's FFMAs runs before the next loads are issued: their registers are still in use.
        const int eligible = std::max(0, i - per_step / 3 + 1);
        const auto due =
            static_cast<std::size_t>(eligible) * reads_per_step / static_cast<std::size_t>(per_step - per_step / 3);
        load((k + static_cast<std::size_t>(ahead)) * reads_per_step + due);
        const auto y = static_cast<std::size_t>(i / spec_.tn);
        const auto x = static_cast<std::size_t>(i % spec_.tn);
        const Register sum = sum_[static_cast<std::size_t>(i)];
        code_.emit_to(sum, OpClass::fma, {a[k][y], b[k][x], sum});
        code_.fetches(x == 0 ? 2 : 1, 1);  // A's value is reused along the row; the banks of the others differ
      }
  }

  void epilogue() {
    Register thread = code_.emit(OpClass::special);
    const Register n = code_.emit(OpClass::constant_load);
    code_.emit(OpClass::uniform);
    code_.emit(OpClass::imad, {n});
    thread = code_.emit(OpClass::alu, {thread});
    Register index = code_.emit(OpClass::alu, {thread});
    code_.filler(OpClass::alu, 5);
    index = code_.emit(OpClass::imad, {index, n});
    code_.emit(OpClass::alu);
    for (int i = 0; i < 4; ++i) index = code_.emit(OpClass::alu, {index});
    for (int y = 0; y < spec_.tm; ++y) {
      if (y > 0) index = code_.emit(OpClass::imad, {n, index});
      for (int x = 0; x < spec_.tn; x += spec_.vector)
        code_.store(
            OpClass::global_store, {kRegStoreC, y, x},
            {index,
             sum_[static_cast<std::size_t>(y) * static_cast<std::size_t>(spec_.tn) + static_cast<std::size_t>(x)]});
    }
    code_.effect(OpClass::exit);
  }

  CodeBuilder& code_;
  const GemmRegisterSpec& spec_;
  Register a_, b_, stride_, k_, store_a_, store_b_, read_a_, read_b_;
  std::vector<Register> sum_;
};

}  // namespace

void emit_gemm_register(CodeBuilder& code, const GemmRegisterSpec& spec) { Writer(code, spec).write(); }

}  // namespace tilescope
