#include "traces/kernels/reread_code.h"

#include <algorithm>
#include <array>
#include <vector>

namespace tilescope {
namespace {

// Instructions of a pass of the unrolled loop beside loads, sums and two per load for addresses: by width, unroll - 1.
constexpr std::array<std::array<int, 16>, 3> kBookkeeping{
    {{5, 5, 11, 9, 10, 10, 11, 10, 11, 13, 13, 13, 13, 12, 11, 13},
     {7, 7, 10, 10, 11, 12, 12, 10, 12, 12, 12, 11, 11, 11, 10, 12},
     {7, 7, 11, 11, 14, 12, 12, 9, 12, 12, 12, 12, 12, 12, 12, 11}}};
// Bit u: with unroll u the CTA's place is computed in uniform registers.
constexpr std::array<unsigned, 3> kUniformPlace{0xf800, 0x0ec0, 0xf828};

class RereadWriter {
 public:
  RereadWriter(CodeBuilder& code, const RereadCode& spec)
      : code_(code),
        spec_(spec),
        width_(spec.width == 4   ? 0
               : spec.width == 8 ? 1
                                 : 2),
        words_(static_cast<int>(spec.width / 4)),
        uniform_((kUniformPlace[width_] >> static_cast<unsigned>(spec.unroll) & 1U) != 0) {
    for (Register* name : {&sum_, &first_, &start_, &end_, &at_, &position_, &done_, &rows_done_}) *name = code_.name();
  }

  void write() {
    begin();
    begin_pass();
    before_block();
    block();
    code_.section();
    if (spec_.unroll > 2) {
      code_.emit_to(at_, OpClass::alu, {at_});
      if (spec_.width > 4) code_.emit(OpClass::imad, {at_});
    }
    check();
    one();
    code_.section();
    code_.effect(OpClass::branch);  // BSYNC
    if (uniform_) again_ = code_.emit(OpClass::alu, {again_});
    code_.effect(OpClass::branch, {}, again_);
    code_.section();
    const Register most = code_.emit(OpClass::uniform);
    code_.effect(OpClass::exit, {}, code_.emit(OpClass::alu, {sum_, most}));
  }

 private:
  bool power_of_two() const { return (spec_.unroll & (spec_.unroll - 1)) == 0; }

  void begin() {
    code_.section();
    code_.emit(OpClass::constant_load);
    const Register passes = code_.emit(OpClass::constant_load);
    code_.emit(OpClass::uniform);
    code_.emit_to(sum_, OpClass::imad);
    code_.effect(OpClass::branch, {}, code_.emit(OpClass::alu, {passes}));
    uniform_ ? place_in_uniform_registers() : place();
    code_.emit_to(done_, OpClass::uniform);
  }

  // blockIdx.x % begins, then where the thread begins and its CTA's region ends.
  void place() {
    const Register begins = code_.emit(OpClass::constant_load);
    const Register thread = code_.emit(OpClass::special);
    const Register pitch = code_.emit(OpClass::uniform);
    code_.emit(OpClass::imad);
    const Register cta = code_.emit(OpClass::special);
    const Register data = code_.emit(OpClass::constant_load);
    const Register real = code_.emit(OpClass::xu, {begins});
    const Register none = code_.emit(OpClass::alu, {begins});
    const Register reciprocal = code_.emit(OpClass::xu, {real});
    const Register estimate = code_.emit(OpClass::xu, {code_.emit(OpClass::alu, {reciprocal})});
    code_.emit(OpClass::alu);
    Register error = code_.emit(OpClass::imad, {code_.emit(OpClass::imad, {estimate}), begins});
    const Register refined = code_.emit(OpClass::imad, {estimate, error});
    const Register base = code_.emit(OpClass::constant_load);
    const Register quotient = code_.emit(OpClass::imad, {refined, cta});
    Register rest = code_.emit(OpClass::imad, {begins, code_.emit(OpClass::imad, {quotient}), cta});
    const Register shared = code_.emit(OpClass::uniform);
    const Register offset = code_.emit(OpClass::imad_wide, {thread});
    rest = code_.emit(OpClass::alu, {rest, begins}, code_.emit(OpClass::alu, {rest, begins}));
    rest = code_.emit(OpClass::imad, {rest, begins}, code_.emit(OpClass::alu, {rest, begins}));
    rest = code_.emit(OpClass::alu, {rest, begins}, none);
    const Register own = code_.emit(OpClass::alu, {shared});
    const Register reach = code_.emit(OpClass::uniform);
    const Register begin = code_.emit(OpClass::imad_wide, {rest, pitch, base});
    const Register high = code_.emit(OpClass::imad, {rest, pitch});
    const Register region = code_.emit(OpClass::alu, {begin, data, own});
    const Register from = code_.emit(OpClass::imad_wide, {rest, pitch, offset});
    const Register begin_high = code_.emit(OpClass::alu, {begin, high});
    code_.emit_to(first_, OpClass::alu, {from, data});
    code_.emit_to(end_, OpClass::alu, {region, reach});
    code_.emit_to(start_, OpClass::imad_wide, {thread, begin});
    const Register region_high = code_.emit(OpClass::alu, {begin_high, data, own});
    code_.emit(OpClass::alu, {data, high, from});
    code_.emit(OpClass::alu, {region_high});
  }

  void place_in_uniform_registers() {
    const Register begins = code_.emit(OpClass::uniform);
    const Register cta = code_.emit(OpClass::special);
    const Register real = code_.emit(OpClass::xu, {begins});
    const Register thread = code_.emit(OpClass::special);
    code_.filler(OpClass::uniform, 4);
    const Register reciprocal = code_.emit(OpClass::xu, {real});
    const Register estimate = code_.emit(OpClass::xu, {code_.emit(OpClass::alu, {reciprocal})});
    Register chain = code_.emit(OpClass::uniform, {estimate});
    const Register offset = code_.emit(OpClass::imad_wide, {thread});
    for (int i = 0; i < 3; ++i) chain = code_.emit(OpClass::uniform, {chain});
    chain = code_.emit(OpClass::uniform, {chain, cta});
    for (int i = 0; i < 8; ++i) chain = code_.emit(OpClass::uniform, {chain});
    code_.filler(OpClass::uniform, 2);
    const Register pitch = code_.emit(OpClass::alu);
    const Register begin = code_.emit(OpClass::uniform, {chain});
    const Register from = code_.emit(OpClass::imad_wide, {pitch, chain, offset});
    code_.filler(OpClass::uniform, 2);
    const Register low = code_.emit(OpClass::alu, {begin});
    const Register high = code_.emit(OpClass::uniform, {begin});
    code_.emit(OpClass::imad, {high});
    code_.emit_to(first_, OpClass::alu, {from});
    code_.emit(OpClass::imad, {high});
    code_.filler(OpClass::uniform, 2);
    code_.emit(OpClass::alu, {high});
    const Register reach = code_.emit(OpClass::uniform, {high});
    code_.emit(OpClass::alu, {from});
    code_.emit(OpClass::imad);
    code_.emit_to(start_, OpClass::imad_wide, {thread, low});
    code_.emit_to(end_, OpClass::uniform, {reach});
  }

  void begin_pass() {
    code_.section();
    const Register parameters = code_.emit(uniform_ ? OpClass::uniform : OpClass::constant_load);
    code_.emit_to(done_, OpClass::uniform, {done_});
    code_.emit_to(position_, OpClass::alu, {start_});
    code_.emit(OpClass::imad, {first_});
    code_.emit_to(at_, OpClass::alu, {first_});
    Register any = code_.emit(uniform_ ? OpClass::uniform : OpClass::alu, {parameters});
    if (uniform_) any = code_.emit(OpClass::alu, {any});
    again_ = code_.emit(uniform_ ? OpClass::uniform : OpClass::alu, {parameters, done_});
    if (spec_.unroll > 2) code_.emit(OpClass::imad, {start_});
    code_.effect(OpClass::branch, {}, any);
  }

  void before_block() {
    code_.section();
    const bool loads_in_loop = !power_of_two() && !uniform_ && spec_.unroll > 4;
    for (int i = 0; i < 4; ++i) code_.emit(i % 2 == 0 ? OpClass::alu : OpClass::imad);
    if (!loads_in_loop) code_.emit(OpClass::uniform);
    code_.emit_to(rows_done_, OpClass::uniform);
    if (power_of_two() && spec_.unroll > 1 && spec_.unroll < 16) code_.filler(OpClass::uniform, 2);
  }

  // As many loads in flight as fit into 32 registers; then each waits for the sum of one before it.
  void block() {
    code_.section(true);
    const int in_flight = std::min(spec_.unroll, 13 / words_);
    std::vector<Register> values;
    Register address = at_;
    int addresses = 0;
    const auto load = [&] {
      if (!values.empty()) address = next_address(address, addresses);
      values.push_back(code_.load(OpClass::global_load, {kRereadLoad, static_cast<int>(values.size())}, {address}));
      if (!spec_.cached) code_.uncached();
    };
    while (static_cast<int>(values.size()) < in_flight) load();
    for (int i = 0; i < spec_.unroll; ++i) {
      if (i + in_flight == spec_.unroll) {
        code_.emit_to(rows_done_, OpClass::uniform, {rows_done_});
        more_ = code_.emit(OpClass::alu, {rows_done_});
      }
      add(values[static_cast<std::size_t>(i)]);
      if (i + in_flight < spec_.unroll) load();
    }
    // Pointers: the loop's own, and where the single rows go on.
    const int total = kBookkeeping[width_][static_cast<std::size_t>(spec_.unroll) - 1] + 2 * (spec_.unroll - addresses);
    constexpr int kCounted = 5;  // UIADD3, ISETP, BRA, and the two below
    const bool multiplies = !power_of_two();
    int left = total - kCounted;
    for (int wide = 0; multiplies && wide < 2; ++wide, --left) code_.emit(OpClass::imad_wide, {position_});
    for (; left > 0; --left) code_.emit(left % 3 == 0 ? OpClass::imad : OpClass::alu, {position_});
    code_.emit_to(position_, OpClass::alu, {position_});
    code_.emit_to(at_, OpClass::alu, {address});
    code_.effect(OpClass::branch, {}, more_);
  }

  Register next_address(Register address, int& addresses) {
    ++addresses;
    const Register low = code_.emit(OpClass::alu, {address});
    return code_.emit(OpClass::alu, {low, address});
  }

  void add(Register value) {
    for (int word = 0; word < words_; ++word) code_.emit_to(sum_, OpClass::fma, {value, sum_});
  }

  void check() {
    code_.section();
    const Register low = code_.emit(OpClass::alu, {position_, end_});
    code_.emit(OpClass::uniform);
    if (spec_.unroll <= 2) code_.emit(OpClass::alu, {position_});
    code_.effect(OpClass::branch);  // BSSY
    code_.effect(OpClass::branch, {}, code_.emit(OpClass::alu, {position_, low}));
  }

  void one() {
    code_.section(true);
    const bool copies = words_ > 1 || spec_.unroll > 2;
    Register address = at_;
    if (copies) {
      address = code_.emit(OpClass::alu, {at_});
      code_.emit(OpClass::imad, {at_});
    }
    const Register value = code_.load(OpClass::global_load, {kRereadLoad, 0}, {address});
    if (!spec_.cached) code_.uncached();
    code_.emit_to(position_, OpClass::alu, {position_});
    const Register carry = code_.emit(OpClass::alu, {at_});
    code_.emit(OpClass::alu, {position_});
    const Register low = code_.emit(OpClass::alu, {position_, end_});
    code_.emit_to(at_, OpClass::alu, {carry});
    const Register more = code_.emit(OpClass::alu, {low});
    add(value);
    code_.effect(OpClass::branch, {}, more);
  }

  CodeBuilder& code_;
  const RereadCode& spec_;
  std::size_t width_;
  int words_;
  bool uniform_;
  Register sum_, first_, start_, end_, at_, position_, done_, rows_done_;
  Register again_ = kNoRegister, more_ = kNoRegister;
};

}  // namespace

void emit_reread(CodeBuilder& code, const RereadCode& spec) { RereadWriter(code, spec).write(); }

}  // namespace tilescope
