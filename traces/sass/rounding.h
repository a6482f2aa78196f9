// Arithmetic in any rounding mode. REQUIRES: the thread rounds to nearest, as it does unless told otherwise. The
// functions are not inlined, so that the compiler cannot move the arithmetic out from between the changes of mode.
#pragma once

#include <cstdint>

namespace tilescope::sass {

enum class Rounding : std::uint8_t { nearest, down, up, zero };

float add_rounded(float a, float b, Rounding rounding);
float multiply_rounded(float a, float b, Rounding rounding);
float multiply_add_rounded(float a, float b, float c, Rounding rounding);
double add_rounded(double a, double b, Rounding rounding);
double multiply_rounded(double a, double b, Rounding rounding);
double multiply_add_rounded(double a, double b, double c, Rounding rounding);
float to_single_rounded(double a, Rounding rounding);
float to_single_rounded(std::int64_t a, Rounding rounding);
float to_single_rounded(std::uint64_t a, Rounding rounding);
double to_double_rounded(std::int64_t a, Rounding rounding);
double to_double_rounded(std::uint64_t a, Rounding rounding);
// To a whole number, as a real one.
double whole_rounded(double a, Rounding rounding);

}  // namespace tilescope::sass
