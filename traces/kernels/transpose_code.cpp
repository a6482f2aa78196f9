#include "traces/kernels/transpose_code.h"

#include <vector>

#include "traces/kernels/raster_code.h"

namespace tilescope {
namespace {

class TransposeWriter {
 public:
  TransposeWriter(CodeBuilder& code, const TransposeSpec& spec)
      : code_(code), spec_(spec), rows_(static_cast<std::size_t>(spec.rows_per_thread())), values_(rows_) {}

  void write() {
    if (!spec_.bounds()) {
      whole_tiles();
      return;
    }
    ragged_tiles(OpClass::branch);
    last_row();
    ragged_tiles(OpClass::exit);
  }

 private:
  bool through_shared() const { return spec_.form == TransposeForm::tiled; }
  static Access access(TransposeRole role, std::size_t row) { return {role, static_cast<int>(row)}; }
  void load(std::size_t row, Register address, Register guard = kNoRegister) {
    values_[row] = code_.load(OpClass::global_load, access(kTransposeLoad, row), {address}, guard);
  }
  void store(std::size_t row, Register address, Register guard = kNoRegister) {
    code_.store(OpClass::global_store, access(kTransposeStore, row), {address, values_[row]}, guard);
  }
  void get(std::size_t row, Register guard = kNoRegister) {
    values_[row] = code_.load(OpClass::shared_load, access(kTransposeGet, row), {get_[row]}, guard);
  }

  void whole_tiles() {
    const OpClass extent = rows_ == 1 ? OpClass::uniform_move : OpClass::constant_load;
    code_.section();
    code_.emit(OpClass::constant_load);
    const Register ty = code_.emit(OpClass::special);
    Register in = rows_ == 1 ? code_.emit(OpClass::constant_load) : kNoRegister;
    const Register columns = code_.emit(extent);
    code_.emit(OpClass::uniform_move);  // the descriptor of global memory
    const Register tx = code_.emit(OpClass::special);
    const Register cta_y = code_.emit(OpClass::warp_special);
    if (rows_ > 1) in = code_.emit(OpClass::constant_load);
    const Register cta_x = code_.emit(OpClass::warp_special);
    emit_raster(code_, spec_.raster);
    Register out = kNoRegister, rows = columns;
    if (!through_shared() && rows_ > 1) out = code_.emit(OpClass::constant_load);
    if (through_shared() && spec_.pad == 0) begin_window();
    if (through_shared()) rows = code_.emit(extent);
    const Register y = code_.emit(OpClass::alu, {cta_y, ty});
    const Register x = code_.emit(OpClass::alu, {cta_x, tx});
    const Register index = code_.emit(OpClass::imad, {y, columns, x});
    const bool step_in_loads = spec_.form != TransposeForm::naive_write;
    const Register pitch = rows_ > 1 && step_in_loads ? code_.emit(OpClass::alu, {columns}) : kNoRegister;
    Register address = code_.emit(OpClass::imad_wide, {index, in});
    load(0, address);
    for (std::size_t row = 1; row < rows_; ++row) {
      if (step_in_loads) address = code_.emit(OpClass::imad_wide, {pitch, address});
      load(row, address);
    }
    if (through_shared() && spec_.pad != 0) begin_window();
    if (out == kNoRegister) out = code_.emit(OpClass::constant_load);
    Register turned_y = y, turned_x = x;
    if (through_shared()) {
      window_addresses(tx, ty);
      turned_x = code_.emit(OpClass::alu, {cta_x, ty});
      turned_y = code_.emit(OpClass::alu, {cta_y, tx});
    }
    const Register turned = code_.emit(OpClass::imad, {turned_x, rows, turned_y});
    const bool step_in_stores = spec_.form != TransposeForm::naive;
    const Register turned_pitch = rows_ > 1 && step_in_stores ? code_.emit(OpClass::alu, {rows}) : kNoRegister;
    std::vector<Register> targets{code_.emit(OpClass::imad_wide, {turned, out})};
    const auto advance = [&] {
      while (targets.size() < rows_)
        targets.push_back(step_in_stores ? code_.emit(OpClass::imad_wide, {turned_pitch, targets.back()}) : targets[0]);
    };
    if (through_shared()) {
      exchange();
      for (std::size_t row = 0; row < rows_; ++row) get(row);
    }
    advance();
    for (std::size_t row = 0; row < rows_; ++row) store(row, targets[row]);
    code_.effect(OpClass::exit);
  }

  // Everything but the last store, then `how` for warps without it.
  void ragged_tiles(OpClass how) {
    code_.section();
    code_.emit(OpClass::constant_load);
    const Register cta_y = code_.emit(OpClass::warp_special);
    rows_extent_ = code_.emit(OpClass::uniform_move);
    code_.emit(OpClass::uniform_move);
    if (!through_shared() && rows_ == 1) code_.effect(OpClass::convergence);  // BSSY
    const Register ty = code_.emit(OpClass::special);
    const Register cta_x = code_.emit(OpClass::warp_special);
    const Register tx = code_.emit(OpClass::special);
    emit_raster(code_, spec_.raster);
    y_ = code_.emit(OpClass::alu, {cta_y, ty});
    x_ = code_.emit(OpClass::alu, {cta_x, tx});
    if (spec_.form == TransposeForm::naive_write && rows_ > 1)
      loads_at_one_address();
    else
      loads_row_by_row(how);
    if (!through_shared()) {
      if (spec_.form == TransposeForm::naive && rows_ > 1) store_to_one_address();
      if (spec_.form == TransposeForm::naive_write && rows_ > 1) store_row_by_row();
      code_.effect(how, {}, inside_.back());
      return;
    }
    begin_window();
    window_addresses(tx, ty);
    x_ = code_.emit(OpClass::alu, {cta_y, tx});
    y_ = code_.emit(OpClass::imad, {cta_x, ty});
    compare();
    for (std::size_t row = 0; row + 1 < rows_; ++row)
      out_.push_back(code_.emit(OpClass::constant_load, {}, inside_[row]));
    exchange();
    for (std::size_t row = 0; row + 1 < rows_; ++row) get(row, row == 0 ? inside_[row] : kNoRegister);
    store_row_by_row();
    code_.effect(how, {}, inside_.back());
  }

  // Which of a thread's rows lie inside; every row after the first has its own number.
  void compare() {
    at_ = {y_};
    inside_.clear();
    out_.clear();
    const Register outside = code_.emit(OpClass::alu, {x_, rows_extent_});
    for (std::size_t row = 0; row < rows_; ++row) {
      if (row > 0) at_.push_back(code_.emit(OpClass::alu, {y_}));
      inside_.push_back(code_.emit(OpClass::alu, {at_[row], outside}));
    }
  }

  // A warp without a lane inside jumps over a single row's load.
  void loads_row_by_row(OpClass how) {
    compare();
    const bool jumps = !through_shared() && rows_ == 1;
    if (jumps) code_.effect(OpClass::branch, {}, inside_[0]);
    std::vector<Register> in(rows_), index(rows_);
    if (!jumps || how != OpClass::exit) {
      for (std::size_t row = 0; row < rows_; ++row) {
        in[row] = code_.emit(OpClass::constant_load, {}, inside_[row]);
        index[row] = code_.emit(OpClass::imad, {at_[row], x_}, inside_[row]);
      }
      for (std::size_t row = 0; row < rows_; ++row)
        load(row, code_.emit(OpClass::imad_wide, {index[row], in[row]}, inside_[row]), inside_[row]);
    }
    if (jumps) code_.effect(OpClass::convergence);  // BSYNC
  }

  void loads_at_one_address() {
    const Register in = code_.emit(OpClass::constant_load);
    const Register index = code_.emit(OpClass::imad, {x_, y_});
    const Register address = code_.emit(OpClass::imad_wide, {index, in});
    compare();
    for (std::size_t row = 0; row < rows_; ++row) {
      load(row, address, inside_[row]);
      if (row + 1 < rows_) out_.push_back(code_.emit(OpClass::constant_load, {}, inside_[row]));
    }
  }

  void store_to_one_address() {
    const Register out = code_.emit(OpClass::constant_load);
    const Register index = code_.emit(OpClass::imad, {x_, y_});
    target_ = code_.emit(OpClass::imad_wide, {index, out});
    for (std::size_t row = 0; row + 1 < rows_; ++row) store(row, target_, inside_[row]);
  }

  void store_row_by_row() {
    std::vector<Register> index, target;
    for (std::size_t row = 0; row + 1 < rows_; ++row)
      index.push_back(code_.emit(OpClass::imad, {at_[row], x_}, inside_[row]));
    for (std::size_t row = 0; row + 1 < rows_; ++row)
      target.push_back(code_.emit(OpClass::imad_wide, {index[row], out_[row]}, inside_[row]));
    for (std::size_t row = 0; row + 1 < rows_; ++row) store(row, target[row], inside_[row]);
  }

  void last_row() {
    const std::size_t row = rows_ - 1;
    code_.section();
    if (through_shared()) get(row);
    if (spec_.form != TransposeForm::naive || rows_ == 1) {
      const Register out = code_.emit(OpClass::constant_load);
      const Register index = code_.emit(OpClass::imad, {at_[row], x_});
      target_ = code_.emit(OpClass::imad_wide, {index, out});
    }
    store(row, target_);
    code_.effect(OpClass::exit);
  }

  // The address of the CTA's shared memory: from uniform registers, but not when it is to be multiplied with a pitch
  // that is no power of two.
  void begin_window() {
    const bool plain = spec_.pad == 0;
    const Register cta = code_.emit(OpClass::warp_special);
    const Register base = code_.emit(plain ? OpClass::uniform_move : OpClass::alu);
    window_ = code_.emit(plain ? OpClass::uniform : OpClass::alu, {cta, base});
  }

  void window_addresses(Register tx, Register ty) {
    const OpClass multiply = spec_.pad == 0 ? OpClass::alu : OpClass::imad;
    const Register put = code_.emit(multiply, {ty, window_});
    const Register get = code_.emit(multiply, {tx, window_});
    put_.assign(rows_, kNoRegister);
    get_.assign(rows_, kNoRegister);
    if (!spec_.swizzle) {
      put_.assign(rows_, code_.emit(OpClass::alu, {tx, put}));
      get_.assign(rows_, code_.emit(OpClass::alu, {ty, get}));
      return;
    }
    for (std::size_t row = 0; row < rows_; ++row) {
      const Register at = row == 0 ? ty : code_.emit(OpClass::alu, {ty});
      const Register swapped = code_.emit(OpClass::alu, {at, tx});
      put_[row] = code_.emit(row == 2 ? OpClass::imad : OpClass::alu, {swapped, put});
      get_[row] = code_.emit(row == 1 ? OpClass::imad : OpClass::alu, {swapped, get});
    }
  }

  void exchange() {
    for (std::size_t row = 0; row < rows_; ++row)
      code_.store(OpClass::shared_store, access(kTransposePut, row), {put_[row], values_[row]});
    code_.effect(OpClass::barrier);
  }

  CodeBuilder& code_;
  const TransposeSpec& spec_;
  std::size_t rows_;  // of a thread
  std::vector<Register> values_, put_, get_, at_, inside_, out_;
  Register rows_extent_ = kNoRegister, x_ = kNoRegister, y_ = kNoRegister, window_ = kNoRegister, target_ = kNoRegister;
};

}  // namespace

void emit_transpose(CodeBuilder& code, const TransposeSpec& spec) { TransposeWriter(code, spec).write(); }

}  // namespace tilescope
