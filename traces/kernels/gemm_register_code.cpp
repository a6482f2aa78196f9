// Matches nvcc 13.0 -O3 for sm_90 in the order and number of the loop's memory instructions and FFMAs; the address
// arithmetic follows rules read off the sixteen instances of gpu/kernels/gemm_register.cu (Addressing below): at most
// three instructions (0.6 %) from any of those loops.
#include "traces/kernels/gemm_register_code.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "traces/kernels/raster_code.h"

namespace tilescope {
namespace {

// How the loop comes by its addresses. A pointer per load costs registers for as many; beyond a few loads those of one
// matrix, the one with more, or of both are computed from one pointer in every pass.
struct Addressing {
  explicit Addressing(const GemmRegisterSpec& spec) {
    constexpr int kPointers = 5, kPointersOfOneMatrix = 12;
    const int steps = spec.steps_a() + spec.steps_b();
    const bool many = spec.vector == 1 && steps > kPointers;
    both = spec.vector == 1 && steps > kPointersOfOneMatrix;
    common_a = both || (many && spec.steps_a() >= spec.steps_b());
    common_b = both || (many && spec.steps_b() > spec.steps_a());
    uniform = many && !both && spec.tm * spec.tn < 64;
    recomputed = many ? steps / 3 : 0;
    constexpr int kSmall = 16;
    const bool some_idle = spec.accesses_a() < spec.threads() || spec.accesses_b() < spec.threads();
    if (spec.vector == 4 && some_idle && spec.tm * spec.tn > kSmall) recomputed = 4;
  }

  bool common_a = false, common_b = false;  // one pointer for all loads of the matrix
  bool both = false;
  bool uniform = false;  // that pointer is in uniform registers, from which each load first copies
  int recomputed = 0;    // places in shared memory, and whether a thread has a part
};

class RegisterTileWriter {
 public:
  RegisterTileWriter(CodeBuilder& code, const GemmRegisterSpec& spec) : code_(code), spec_(spec), addressing_(spec) {
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
    for (const Register sum : sum_) code_.emit_to(sum, OpClass::alu);
    const Register shared = code_.emit(OpClass::uniform, {window});
    code_.filler(OpClass::alu, spec_.vector == 4 ? 3 + 11 * steps() : 19 + 9 * steps());
    code_.emit_to(store_a_, OpClass::alu, {thread, shared});
    code_.emit_to(store_b_, OpClass::alu, {thread, shared});
    code_.emit_to(a_, OpClass::alu, {row});
    code_.emit_to(b_, OpClass::alu, {row, n});
    code_.emit_to(k_, OpClass::alu);
    code_.emit_to(stride_, OpClass::alu, {n});
    code_.emit_to(read_a_, OpClass::alu, {row, shared});
    code_.emit_to(read_b_, OpClass::alu, {row, shared});
  }

  void loop() {
    std::vector<Register> tile_a, tile_b;
    for (int step = 0; step < spec_.steps_a(); ++step)
      tile_a.push_back(
          code_.load(OpClass::global_load, {kRegLoadA, step}, {address_of_load(addressing_.common_a, a_, true)}));
    for (int step = 0; step < spec_.steps_b(); ++step)
      tile_b.push_back(
          code_.load(OpClass::global_load, {kRegLoadB, step}, {address_of_load(addressing_.common_b, b_, false)}));
    code_.filler(OpClass::alu, addressing_.recomputed);
    advance_b();
    advance_a();
    code_.emit_to(k_, OpClass::alu, {k_});
    const Register more = code_.emit(OpClass::alu, {k_});
    if (spec_.vector == 4 || addressing_.uniform) code_.emit(OpClass::uniform);
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

  Register address_of_load(bool common, Register pointer, bool is_a) {
    if (!common) {
      // A pointer that is changed while its loads are on their way is copied first.
      const bool copied = spec_.vector == 4 || steps_of(is_a) == 1;
      if (is_a && copied) {
        const Register copy = code_.emit(OpClass::alu, {pointer});
        code_.emit(OpClass::alu, {pointer});
        return copy;
      }
      return pointer;
    }
    if (addressing_.both) return code_.emit(OpClass::alu, {code_.emit(OpClass::alu, {pointer}), pointer});
    if (addressing_.uniform) return code_.emit(OpClass::imad_wide, {code_.emit(OpClass::alu), pointer});
    return code_.emit(OpClass::imad_wide, {pointer});
  }

  int steps_of(bool is_a) const { return is_a ? spec_.steps_a() : spec_.steps_b(); }

  // A moves along its rows: a constant, in two instructions.
  void advance_a() {
    for (int pointer = 0; pointer < (addressing_.common_a ? 1 : spec_.steps_a()); ++pointer) {
      const OpClass op = addressing_.common_a && addressing_.uniform ? OpClass::uniform : OpClass::alu;
      const Register low = code_.emit(op, {a_});
      code_.emit_to(a_, op, {low});
    }
  }

  // B moves by bk rows.
  void advance_b() {
    if (addressing_.common_b && addressing_.uniform) {
      code_.emit_to(b_, OpClass::uniform, {b_});
      return;
    }
    for (int pointer = 0; pointer < (addressing_.common_b ? 1 : spec_.steps_b()); ++pointer) {
      if (spec_.vector == 4 || (addressing_.uniform && pointer > 0)) code_.emit(OpClass::alu, {stride_});
      code_.emit_to(b_, OpClass::imad_wide, {stride_, b_});
    }
  }

  // The fragments of a k step in the order in which they are loaded: A's and B's in turn. (is A's, first row or column)
  std::vector<std::pair<bool, int>> fragments() const {
    std::vector<std::pair<bool, int>> result;
    const int width_a = fragment_width(spec_.tm), width_b = fragment_width(spec_.tn);
    for (int y = 0, x = 0; y < spec_.tm || x < spec_.tn; y += width_a, x += width_b) {
      if (y < spec_.tm) result.emplace_back(true, y);
      if (x < spec_.tn) result.emplace_back(false, x);
    }
    return result;
  }

  // (y, x) of a k step's FFMAs in order: each fragment with those of the other operand that are there before it, so
  // that the first FFMAs wait for two fragments only.
  std::vector<std::pair<int, int>> products() const {
    std::vector<std::pair<int, int>> result;
    int rows = 0, columns = 0;  // there so far
    for (const auto& [is_a, first] : fragments()) {
      const int until = first + fragment_width(is_a ? spec_.tm : spec_.tn);
      for (int y = is_a ? first : 0; y < (is_a ? until : rows); ++y)
        for (int x = is_a ? 0 : first; x < (is_a ? columns : until); ++x) result.emplace_back(y, x);
      (is_a ? rows : columns) = until;
    }
    return result;
  }

  // Fragments of the next k steps are loaded between the FFMAs of this one: two steps ahead for small tiles, else one.
  void multiply() {
    const int per_step = spec_.tm * spec_.tn;
    const int ahead = per_step <= 16 ? 2 : 1;
    std::vector<Access> reads;
    for (int k = 0; k < spec_.bk; ++k)
      for (const auto& [is_a, first] : fragments()) reads.push_back({is_a ? kRegReadA : kRegReadB, k, first});
    const std::vector<std::pair<int, int>> order = products();
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
        const auto y = static_cast<std::size_t>(order[static_cast<std::size_t>(i)].first);
        const auto x = static_cast<std::size_t>(order[static_cast<std::size_t>(i)].second);
        const Register sum = sum_[y * static_cast<std::size_t>(spec_.tn) + x];
        code_.emit_to(sum, OpClass::fma, {a[k][y], b[k][x], sum});
        // Along a row A's value is reused and the other two lie in different banks; the first of a row fetches three.
        const bool first_of_row =
            i == 0 || order[static_cast<std::size_t>(i) - 1].first != order[static_cast<std::size_t>(i)].first;
        code_.fetches(first_of_row ? 2 : 1, 1);
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
  const Addressing addressing_;
  Register a_, b_, stride_, k_, store_a_, store_b_, read_a_, read_b_;
  std::vector<Register> sum_;
};

}  // namespace

void emit_gemm_register(CodeBuilder& code, const GemmRegisterSpec& spec) { RegisterTileWriter(code, spec).write(); }

}  // namespace tilescope
