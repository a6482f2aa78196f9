// Matches nvcc 13.0 -O3 for sm_90, instruction by instruction in the loops and in number elsewhere; sm_80 differs by
// one or two address instructions. Loop bodies: loads of two tiles ahead, shared loads five k steps ahead of their
// FFMA, the closing barrier before the last FFMAs.
#include "traces/kernels/gemm_tiled_code.h"

#include <algorithm>

#include "traces/kernels/raster_code.h"

namespace tilescope {
namespace {

constexpr int kReadAhead = 5;  // k steps between a shared load and its FFMA
constexpr int kTail = 4;       // FFMAs after the closing barrier of a tile

struct SharedRead {
  Access access;
  Register value;
};

class SharedTileWriter {
 public:
  SharedTileWriter(CodeBuilder& code, const GemmTiledSpec& spec) : code_(code), spec_(spec), loop_(tile_loop(spec)) {
    for (Register* name :
         {&sum_, &a_, &b_, &stride_, &k0_, &row_, &col_, &k_, &store_a_, &store_b_, &read_a_, &read_b_})
      *name = code_.name();
  }

  GemmTiledSections write() {
    GemmTiledSections s;
    s.prologue = code_.section();
    prologue();
    s.main = tiles(loop_.unroll, loop_.unroll, true);
    if (loop_.halving) {
      s.rest_check = code_.section();
      question(3);
      s.two = tiles(2, loop_.unroll, false);
      s.one_check = code_.section();
      question(4);
      s.one = tiles(1, loop_.unroll, false);
    } else if (loop_.unroll > 1) {
      s.rest_check = code_.section();
      code_.effect(OpClass::branch);
      s.one = tiles(1, loop_.unroll, loop_.unroll > 2);
    }
    s.epilogue = code_.section();
    if (spec_.bounds) leave(OpClass::branch);
    epilogue();
    if (spec_.bounds) {
      s.leave = code_.section();
      leave(OpClass::exit);
    }
    return s;
  }

 private:
  void prologue() {
    code_.emit(OpClass::constant_load);
    code_.emit_to(k_, OpClass::constant_load);
    const Register cta_y = code_.emit(OpClass::special);
    code_.emit(OpClass::uniform);
    code_.emit_to(sum_, OpClass::half);
    const Register ty = code_.emit(OpClass::special);
    const Register cta_x = code_.emit(OpClass::special);
    const Register tx = code_.emit(OpClass::special);
    const Register any = code_.emit(OpClass::alu, {k_});
    code_.emit_to(row_, OpClass::alu, {cta_y, ty});
    code_.effect(OpClass::branch, {cta_x, tx}, any);
    emit_raster(code_, spec_.problem.raster);

    const Register window = code_.emit(OpClass::special);  // S2UR
    const Register base = code_.emit(OpClass::uniform);
    const Register index_a = code_.emit(OpClass::imad, {row_, k_, tx});
    const Register base_b = code_.emit(OpClass::uniform, {base});
    code_.emit(OpClass::alu);
    const Register n = code_.emit(OpClass::constant_load);
    const Register a = code_.emit(OpClass::constant_load);
    const Register b = code_.emit(OpClass::constant_load);
    const Register shared_a = code_.emit(OpClass::uniform, {window, base});
    const Register shared_b = code_.emit(OpClass::uniform, {window, base_b});
    code_.emit_to(read_a_, OpClass::alu, {ty, shared_a});
    const Register index_b = code_.emit(OpClass::imad, {ty, n, tx});
    const Register row_b = code_.emit(OpClass::alu, {ty, shared_b});
    code_.emit_to(k0_, OpClass::uniform);
    code_.emit_to(store_a_, OpClass::alu, {tx, read_a_});
    code_.emit_to(store_b_, OpClass::alu, {tx, row_b});
    code_.emit_to(a_, OpClass::imad_wide, {index_a, a});
    code_.emit_to(col_, OpClass::alu, {cta_x, index_b});
    code_.filler(OpClass::alu, 2);
    code_.emit_to(b_, OpClass::imad_wide, {col_, b});
    code_.emit_to(stride_, OpClass::alu, {n});
    if (spec_.swizzle)
      for (int k = 1; k < spec_.tile; ++k) code_.emit(OpClass::alu, {ty});  // ty ^ k, for every k
    int more = loop_.halving ? 4 : loop_.unroll == 2 ? 4 : loop_.unroll == 4 ? 8 : 0;
    if (spec_.bounds) more = loop_.unroll == 4 ? 18 : loop_.unroll == 2 ? 7 : 0;
    code_.filler(OpClass::alu, more);  // tile counts of the unrolled loop, hoisted predicates
    code_.emit_to(read_b_, OpClass::alu, {tx, shared_b});
    if (loop_.halving) code_.effect(OpClass::branch, {}, code_.emit(OpClass::alu, {k_}));
  }

  // `count` - 1 address instructions and a branch.
  void question(int count) {
    Register p = k0_;
    for (int i = 0; i + 1 < count; ++i) p = code_.emit(OpClass::alu, {p});
    code_.effect(OpClass::branch, {}, p);
  }

  // A section of `count` tiles. The remainder of a loop unrolled by two addresses by index and does not loop.
  int tiles(int count, int unroll, bool loop) {
    const bool once = !loop;
    if (once && unroll == 2) setup_rest((spec_.bounds ? 5 : 3) + (spec_.swizzle ? spec_.tile - 1 : 0));
    if (loop && count == 1 && unroll == 4) setup_rest(spec_.bounds ? 13 : 11);
    const int section = code_.section(loop);
    if (!spec_.bounds && !spec_.swizzle && unroll != 2 && !(unroll == 4 && !loop_.halving) && !(once && count == 1))
      code_.filler(OpClass::alu, 2);  // copies of A's pointer
    if (spec_.swizzle && loop && (unroll == 2 || loop_.halving))
      code_.filler(OpClass::alu, loop_.halving ? 5 : 2);  // registers run short
    load(0, count, unroll);
    if (count > 1) load(1, count, unroll);
    for (int tile = 0; tile < count; ++tile) {
      store(tile);
      code_.effect(OpClass::barrier);
      flush_tail();
      compute(tile, count, unroll, loop);
      code_.effect(OpClass::barrier);
    }
    const Register more = advance(count, unroll, loop);
    flush_tail();
    if (loop) code_.effect(OpClass::branch, {}, more);
    return section;
  }

  // Addresses for the remainder, in the section before it.
  void setup_rest(int count) {
    const Register base = code_.emit(OpClass::constant_load);
    code_.filler(OpClass::alu, count - 3);
    code_.emit_to(a_, OpClass::imad_wide, {base});
    code_.emit_to(b_, OpClass::imad_wide, {base});
  }

  void load(int tile, int count, int unroll) {
    value_a_.resize(static_cast<std::size_t>(count));
    value_b_.resize(static_cast<std::size_t>(count));
    const auto t = static_cast<std::size_t>(tile);
    Register address_a = a_;
    Register address_b = b_;
    Register guard_a = kNoRegister;
    Register guard_b = kNoRegister;
    value_a_[t] = code_.name();
    value_b_[t] = code_.name();
    if (spec_.bounds) {
      const bool first = tile == 0;
      const Register inside_k = code_.emit(OpClass::alu, {k0_});
      code_.emit_to(value_b_[t], OpClass::half);
      const Register inside_k2 = code_.emit(OpClass::alu, {k0_});
      guard_b = code_.emit(OpClass::alu, {col_, inside_k});
      guard_a = code_.emit(OpClass::alu, {row_, inside_k2});
      code_.emit_to(value_a_[t], OpClass::alu);
      const Register base = code_.emit(OpClass::constant_load, {}, guard_b);
      if (unroll > 1)
        address_a = code_.emit(OpClass::imad_wide, {a_, k0_});
      else if (!is_scalar())
        address_a = code_.emit(OpClass::alu, {a_}, guard_a);
      if (unroll == 1 && !is_scalar()) code_.emit(OpClass::alu, {a_}, guard_a);
      address_b = code_.emit(OpClass::imad_wide, {col_, base}, guard_b);
      if (unroll > 1) code_.emit(OpClass::alu, {k0_});
      if (unroll > 1 && (first || unroll == 4)) code_.emit(OpClass::imad, {col_}, guard_b);
    } else if (unroll == 2) {
      const Register row = code_.emit(OpClass::alu, {k0_});
      if (tile == 0) address_a = code_.emit(OpClass::imad_wide, {code_.emit(OpClass::alu, {a_, k0_})});
      const Register index = code_.emit(OpClass::imad, {row, stride_});
      address_b = code_.emit(OpClass::imad_wide, {index, b_});
      if (tile == 0) last_address_a_ = address_a;
      address_a = last_address_a_;
    } else if (tile > 0) {
      address_b = last_address_b_ = code_.emit(OpClass::imad_wide, {stride_, tile == 1 ? b_ : last_address_b_});
    }
    code_.load_to(value_b_[t], OpClass::global_load, {kTiledLoadB, tile}, {address_b}, guard_b);
    code_.load_to(value_a_[t], OpClass::global_load, {kTiledLoadA, tile}, {address_a}, guard_a);
  }

  void store(int tile) {
    const auto t = static_cast<std::size_t>(tile);
    code_.store(OpClass::shared_store, {kTiledStoreA, tile}, {store_a_, value_a_[t]});
    code_.store(OpClass::shared_store, {kTiledStoreB, tile}, {store_b_, value_b_[t]});
  }

  void compute(int tile, int count, int unroll, bool loop) {
    const int T = spec_.tile;
    std::vector<Register> a(static_cast<std::size_t>(T)), b(static_cast<std::size_t>(T));
    int loaded = 0;  // k steps whose B is loaded
    int vector = 0;  // k steps whose A is loaded
    const auto load_up_to = [&](int step) {
      for (; loaded <= std::min(step, T - 1); ++loaded) {
        const auto k = static_cast<std::size_t>(loaded);
        b[k] = code_.load(OpClass::shared_load, {kTiledReadB, tile, loaded}, {read_b_});
        if (loaded < vector) continue;
        const int width = spec_.transpose_a ? 1 : shared_read_width(T + spec_.pad_a, loaded, T);
        const Register value = code_.load(OpClass::shared_load, {kTiledReadA, tile, loaded}, {read_a_});
        for (int i = 0; i < width; ++i) a[k + static_cast<std::size_t>(i)] = value;
        vector = loaded + width;
      }
    };
    const int tail = std::min(kTail, T / 2);
    for (int step = 0; step < T; ++step) {
      const auto k = static_cast<std::size_t>(step);
      load_up_to(step + kReadAhead);
      if (step >= T - tail) {
        tail_.push_back({a[k], b[k]});
        continue;
      }
      if (loop && tile + 1 == count && step + 1 == T - tail) code_.emit_to(k0_, OpClass::uniform, {k0_});
      code_.emit_to(sum_, OpClass::fma, {a[k], b[k], sum_});
      code_.fetches(1 + step % 2, 2 - step % 2);
      if (step == T / 2 - 1 && tile + 2 < count) load(tile + 2, count, unroll);
    }
  }

  void flush_tail() {
    for (const auto& [a, b] : tail_) code_.emit_to(sum_, OpClass::fma, {a, b, sum_});
    tail_.clear();
  }

  // Pointers, counters and the condition for the next pass. Returns the condition.
  Register advance(int count, int unroll, bool loop) {
    if (!loop) {
      if (count == 2) code_.filler(OpClass::alu, 5);  // halving: pointers for the last tile
      return kNoRegister;
    }
    const bool counter = !spec_.bounds ? unroll == 2 || (unroll == 4 && !loop_.halving) : unroll > 1;
    const Register more = code_.emit(OpClass::alu, {counter ? code_.emit(OpClass::alu) : k0_});
    if (spec_.bounds) {
      code_.filler(OpClass::alu, unroll == 1 ? 4 : unroll == 4 ? 1 : 0);
      if (unroll == 1) code_.emit(OpClass::alu, {stride_});
    } else if (unroll != 2) {
      const Register carry = code_.emit(OpClass::alu, {a_});
      code_.emit_to(b_, OpClass::imad_wide, {stride_, count > 1 ? last_address_b_ : b_});
      code_.emit_to(a_, OpClass::alu, {carry});
    }
    return more;
  }

  void leave(OpClass how) {
    code_.emit(OpClass::uniform);
    const Register inside = code_.emit(OpClass::alu, {col_});
    code_.effect(how, {}, code_.emit(OpClass::alu, {row_, inside}));
  }

  void epilogue() {
    const Register base = code_.emit(OpClass::constant_load);
    if (!spec_.bounds) {
      code_.emit(OpClass::alu);
      code_.emit(OpClass::uniform);
    }
    const Register index = code_.emit(OpClass::imad, {row_, col_});
    const Register address = code_.emit(OpClass::imad_wide, {index, base});
    code_.store(OpClass::global_store, {kTiledStoreC}, {address, sum_});
    code_.effect(OpClass::exit);
  }

  CodeBuilder& code_;
  const GemmTiledSpec& spec_;
  TileLoop loop_;
  Register sum_, a_, b_, stride_, k0_, row_, col_, k_, store_a_, store_b_, read_a_, read_b_;
  // A is read word by word although its layout is plain or transposed: the loop then has no copies of A's pointer.
  bool is_scalar() const {
    return !spec_.swizzle && (spec_.transpose_a || shared_read_width(spec_.tile + spec_.pad_a, 0, spec_.tile) == 1);
  }

  Register last_address_a_ = kNoRegister, last_address_b_ = kNoRegister;
  std::vector<Register> value_a_, value_b_;
  std::vector<std::pair<Register, Register>> tail_;  // FFMAs left for after the barrier
};

}  // namespace

GemmTiledSections emit_gemm_tiled(CodeBuilder& code, const GemmTiledSpec& spec) {
  return SharedTileWriter(code, spec).write();
}

}  // namespace tilescope
