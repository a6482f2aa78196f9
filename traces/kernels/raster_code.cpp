#include "traces/kernels/raster_code.h"

namespace tilescope {
namespace {

Register divide(CodeBuilder& code, Register numerator, Register denominator) {
  const Register magnitude = code.emit(OpClass::alu, {denominator});  // IABS
  const Register real = code.emit(OpClass::xu, {magnitude});          // I2F.RP
  const Register reciprocal = code.emit(OpClass::xu, {real});         // MUFU.RCP
  const Register biased = code.emit(OpClass::alu, {reciprocal});      // IADD3
  const Register positive = code.emit(OpClass::alu, {numerator});     // IABS
  const Register estimate = code.emit(OpClass::xu, {biased});         // F2I
  code.emit(OpClass::half_tensor);                                    // HFMA2.MMA zero
  const Register negative = code.emit(OpClass::alu, {estimate});      // IADD3
  const Register error = code.emit(OpClass::imad, {negative, magnitude});
  const Register refined = code.emit(OpClass::imad, {estimate, error});  // IMAD.HI
  const Register minus = code.emit(OpClass::alu, {denominator});
  Register quotient = code.emit(OpClass::imad, {refined, positive});  // IMAD.HI
  const Register rest = code.emit(OpClass::imad, {quotient, minus, positive});
  const Register larger = code.emit(OpClass::alu, {magnitude, rest});        // ISETP
  const Register less = code.emit(OpClass::alu, {rest, magnitude}, larger);  // @P IADD3
  quotient = code.emit(OpClass::alu, {quotient}, larger);                    // @P IADD3
  const Register again = code.emit(OpClass::alu, {less, magnitude});         // ISETP
  const Register sign = code.emit(OpClass::alu, {numerator, denominator});   // LOP3
  code.emit(OpClass::alu, {denominator});                                    // ISETP
  const Register negated = code.emit(OpClass::alu, {sign});                  // ISETP
  quotient = code.emit(OpClass::alu, {quotient}, again);                     // @P IADD3
  quotient = code.emit(OpClass::alu, {quotient}, negated);                   // @P IADD3
  return code.emit(OpClass::alu, {quotient, denominator});                   // @P LOP3
}

}  // namespace

void emit_raster(CodeBuilder& code, Raster raster) {
  if (raster == Raster::row) return;
  const Register width = code.emit(OpClass::constant_load);
  const Register x = code.emit(OpClass::warp_special);
  const Register y = code.emit(OpClass::warp_special);
  const Register linear = code.emit(OpClass::imad, {width, x, y});
  if (raster == Raster::morton) {
    Register bits = linear;
    for (int i = 0; i < 12; ++i) bits = code.emit(OpClass::alu, {bits});  // two chains of SHF and LOP3
    code.filler(OpClass::alu, 12);
    return;
  }
  const Register band = code.emit(OpClass::imad, {width});
  const Register quotient = divide(code, linear, band);
  const Register rest = code.emit(OpClass::imad, {quotient, band, linear});
  if (raster == Raster::column) return;
  const Register height = code.emit(OpClass::alu, {quotient});  // VIMNMX
  const Register column = divide(code, rest, height);
  const Register row = code.emit(OpClass::imad, {column, height, rest});
  code.emit(OpClass::imad, {row, quotient});
  code.effect(OpClass::branch);
}

}  // namespace tilescope
