// Matches nvcc 13.0 -O3 for sm_90 in order and number of instructions; sm_80 has one address instruction more per pass.
#include "traces/kernels/gemm_naive_code.h"

#include <algorithm>

#include "traces/kernels/raster_code.h"

namespace tilescope {
namespace {

constexpr int kLookahead = 6;  // k steps between a pair of loads and its FFMA

class NaiveWriter {
 public:
  explicit NaiveWriter(CodeBuilder& code) : code_(code) {
    for (Register* name : {&sum_, &a_, &b_, &n_, &k_, &left_, &row_, &col_}) *name = code_.name();
  }

  GemmNaiveSections write(Raster raster) {
    GemmNaiveSections s{};
    s.enter = enter(raster, OpClass::branch);
    s.start = code_.section();
    code_.emit_to(k_, OpClass::constant_load);
    code_.emit(OpClass::uniform);
    code_.emit_to(sum_, OpClass::half);
    branch_if(code_.emit(OpClass::alu, {k_}));
    const Register last = code_.emit(OpClass::alu, {k_});
    code_.emit(OpClass::uniform);
    code_.emit_to(left_, OpClass::alu, {k_});
    const Register four = code_.emit(OpClass::alu, {last});
    code_.emit(OpClass::alu);
    branch_if(four);

    s.start_unrolled = code_.section();
    const Register base = code_.emit(OpClass::constant_load);
    code_.emit_to(left_, OpClass::alu, {k_, left_});
    code_.filler(OpClass::uniform, 2);
    code_.emit_to(a_, OpClass::imad, {row_, k_});
    const Register some = code_.emit(OpClass::alu, {left_});
    code_.emit(OpClass::alu);
    code_.emit_to(b_, OpClass::imad, {col_, base});
    branch_if(some);
    const Register many = code_.emit(OpClass::alu, {left_});
    code_.emit(OpClass::alu);
    branch_if(many);

    s.enter_sixteen = code_.section();
    code_.emit(OpClass::alu);
    s.sixteen = unrolled(16, true);
    s.check_eight = check();
    s.eight = unrolled(8, false);
    s.check_four = check();
    s.four = unrolled(4, true);
    s.check_one = check();
    s.setup_one = code_.section();
    const Register base_a = code_.emit(OpClass::constant_load);
    const Register index_a = code_.emit(OpClass::imad, {row_, k_});
    const Register index_b = code_.emit(OpClass::imad, {col_, n_});
    const Register base_b = code_.emit(OpClass::constant_load);
    code_.emit_to(a_, OpClass::imad, {index_a, base_a});
    code_.emit_to(b_, OpClass::imad, {index_b, base_b});
    s.one = single();
    s.store = code_.section();
    const Register base_c = code_.emit(OpClass::constant_load);
    const Register index_c = code_.emit(OpClass::imad, {row_, n_, col_});
    code_.store(OpClass::global_store, {kNaiveStoreC}, {code_.emit(OpClass::imad, {index_c, base_c}), sum_});
    code_.effect(OpClass::exit);
    s.leave = enter(raster, OpClass::exit);
    return s;
  }

 private:
  void branch_if(Register predicate) { code_.effect(OpClass::branch, {}, predicate); }

  int enter(Raster raster, OpClass how) {
    const int section = code_.section();
    code_.emit(OpClass::constant_load);
    const Register cta_x = code_.emit(OpClass::special);
    code_.emit_to(n_, OpClass::constant_load);
    code_.emit(OpClass::uniform);
    const Register tx = code_.emit(OpClass::special);
    const Register cta_y = code_.emit(OpClass::special);
    const Register ty = code_.emit(OpClass::special);
    emit_raster(code_, raster);
    code_.emit_to(col_, OpClass::imad, {cta_x, tx});
    code_.emit(OpClass::uniform);
    const Register outside = code_.emit(OpClass::alu, {col_, n_});
    code_.emit_to(row_, OpClass::imad, {cta_y, ty});
    code_.effect(how, {}, code_.emit(OpClass::alu, {row_, outside}));
    return section;
  }

  int check() {
    const int section = code_.section();
    branch_if(code_.emit(OpClass::alu, {left_}));
    return section;
  }

  int unrolled(int steps, bool loop) {
    const int section = code_.section(loop);
    std::vector<Register> value_a, value_b;
    code_.filler(OpClass::alu, 2);  // A's pointer, from uniform registers
    Register address_b = b_;
    const Register address_a = code_.emit(OpClass::imad_wide, {a_});
    const auto load_up_to = [&](int step) {
      while (static_cast<int>(value_a.size()) < std::min(step + 1, steps)) {
        const int k = static_cast<int>(value_a.size());
        value_b.push_back(code_.load(OpClass::global_load, {kNaiveLoadB, k}, {address_b}));
        const bool last = k + 1 == steps;
        if (!last) address_b = code_.emit(OpClass::imad_wide, {n_, address_b});
        value_a.push_back(code_.load(OpClass::global_load, {kNaiveLoadA, k}, {address_a}));
      }
    };
    Register more = kNoRegister;
    for (int step = 0; step < steps; ++step) {
      load_up_to(step + (loop ? kLookahead : steps));
      const auto k = static_cast<std::size_t>(step);
      if (step == std::max(0, steps - 6)) {
        code_.emit_to(left_, OpClass::alu, {left_});
        more = code_.emit(OpClass::alu, {left_});
        const Register carry = code_.emit(OpClass::uniform, {a_});
        code_.emit(OpClass::uniform);
        code_.emit_to(a_, OpClass::uniform, {carry});
      }
      code_.emit_to(sum_, OpClass::fma, {value_a[k], value_b[k], sum_});
      code_.fetches(1 + step % 2, 2 - step % 2);
      if (step == steps - 2) code_.emit_to(b_, OpClass::imad_wide, {n_, address_b});
    }
    if (loop) branch_if(more);
    return section;
  }

  int single() {
    const int section = code_.section(true);
    const Register b = code_.load(OpClass::global_load, {kNaiveLoadB, 0}, {b_});
    const Register a = code_.load(OpClass::global_load, {kNaiveLoadA, 0}, {a_});
    code_.emit_to(left_, OpClass::alu, {left_});
    const Register more = code_.emit(OpClass::alu, {left_});
    code_.emit_to(b_, OpClass::imad_wide, {n_, b_});
    const Register carry = code_.emit(OpClass::alu, {a_});
    code_.emit_to(a_, OpClass::alu, {carry});
    code_.emit_to(sum_, OpClass::fma, {a, b, sum_});
    branch_if(more);
    return section;
  }

  CodeBuilder& code_;
  Register sum_, a_, b_, n_, k_, left_, row_, col_;
};

}  // namespace

GemmNaiveSections emit_gemm_naive(CodeBuilder& code, Raster raster) { return NaiveWriter(code).write(raster); }

}  // namespace tilescope
