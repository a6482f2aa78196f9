#include "traces/kernels/reread_code.h"

#include <algorithm>
#include <vector>

namespace tilescope {
namespace {

class RereadWriter {
 public:
  RereadWriter(CodeBuilder& code, const RereadCode& spec)
      : code_(code), spec_(spec), words_(static_cast<int>(spec.width / 4)) {
    for (Register* name : {&sum_, &first_, &at_, &position_, &passes_}) *name = code_.name();
  }

  void write() {
    begin();
    begin_pass();
    block();
    one();
    end_pass();
    code_.section();
    code_.effect(OpClass::exit, {}, code_.emit(OpClass::alu, {sum_, code_.emit(OpClass::uniform_move)}));
  }

 private:
  // Where the thread begins: its CTA's index modulo a parameter, which takes a division by the reciprocal.
  void begin() {
    constexpr int kRestOfDivision = 14, kEnds = 20;
    code_.section();
    code_.emit(OpClass::constant_load);
    code_.emit_to(passes_, OpClass::constant_load);
    code_.emit_to(sum_, OpClass::imad);
    code_.effect(OpClass::branch, {}, code_.emit(OpClass::alu, {passes_}));
    const Register divisor = code_.emit(OpClass::constant_load);
    const Register thread = code_.emit(OpClass::special);
    const Register cta = code_.emit(OpClass::warp_special);
    const Register data = code_.emit(OpClass::constant_load);
    const Register real = code_.emit(OpClass::xu, {divisor});
    const Register reciprocal = code_.emit(OpClass::xu, {real});
    Register rest = code_.emit(OpClass::xu, {code_.emit(OpClass::alu, {reciprocal})});
    for (int i = 0; i < kRestOfDivision; ++i)
      rest = code_.emit(i % 2 == 0 ? OpClass::imad : OpClass::alu, {rest, cta, divisor});
    const Register begin = code_.emit(OpClass::imad_wide, {rest, data});
    code_.emit_to(first_, OpClass::imad_wide, {thread, begin});
    code_.filler(OpClass::alu, kEnds);
  }

  void begin_pass() {
    code_.section();
    code_.emit_to(position_, OpClass::alu, {first_});
    code_.emit_to(at_, OpClass::alu, {first_});
    if (spec_.immediate) return;
    code_.emit(OpClass::constant_load);
    code_.filler(OpClass::alu, 8);
    code_.effect(OpClass::branch, {}, code_.emit(OpClass::alu, {position_}));
    code_.filler(OpClass::uniform, 7);
  }

  // As many loads in flight as fit into the registers of 1024 threads' CTAs; then each waits for the sum of one before.
  void block() {
    constexpr int kWordsInFlight = 13;
    constexpr int kFew = 2, kBookkeepingOfFew = 6, kBookkeeping = 11;
    const int in_flight = spec_.immediate ? spec_.unroll : std::min(spec_.unroll, kWordsInFlight / words_);
    code_.section(true);
    std::vector<Register> values;
    Register address = at_;
    const auto load = [&] {
      if (!values.empty() && !spec_.immediate)
        address = code_.emit(OpClass::alu, {code_.emit(OpClass::alu, {address}), address});
      values.push_back(code_.load(OpClass::global_load, {kRereadLoad, static_cast<int>(values.size())}, {address}));
      if (!spec_.cached) code_.uncached();
    };
    while (static_cast<int>(values.size()) < in_flight) load();
    code_.emit_to(at_, OpClass::imad, {address});
    code_.emit_to(position_, OpClass::alu, {position_});
    const Register more = code_.emit(OpClass::alu, {position_});
    if (!spec_.immediate) code_.filler(OpClass::alu, (spec_.unroll > kFew ? kBookkeeping : kBookkeepingOfFew) - 4);
    for (int i = 0; i < spec_.unroll; ++i) {
      add(values[static_cast<std::size_t>(i)]);
      if (i + in_flight < spec_.unroll) load();
    }
    code_.effect(OpClass::branch, {}, more);
  }

  void one() {
    code_.section(true);
    const Register value = code_.load(OpClass::global_load, {kRereadLoad, 0}, {code_.emit(OpClass::alu, {at_})});
    if (!spec_.cached) code_.uncached();
    code_.emit_to(at_, OpClass::alu, {at_});
    code_.emit_to(position_, OpClass::alu, {position_});
    code_.filler(OpClass::alu, 4);
    add(value);
    code_.effect(OpClass::branch, {}, code_.emit(OpClass::alu, {position_}));
  }

  void end_pass() {
    code_.section();
    if (!spec_.immediate) {
      code_.filler(OpClass::alu, 2);
      code_.filler(OpClass::uniform, 1);
      code_.effect(OpClass::branch);
    }
    code_.emit_to(passes_, OpClass::alu, {passes_});
    code_.effect(OpClass::branch, {}, code_.emit(OpClass::alu, {passes_}));
  }

  void add(Register value) {
    for (int word = 0; word < words_; ++word) code_.emit_to(sum_, OpClass::fma, {value, sum_});
  }

  CodeBuilder& code_;
  const RereadCode& spec_;
  int words_;
  Register sum_, first_, at_, position_, passes_;
};

}  // namespace

void emit_reread(CodeBuilder& code, const RereadCode& spec) { RereadWriter(code, spec).write(); }

}  // namespace tilescope
