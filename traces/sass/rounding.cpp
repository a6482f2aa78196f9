#include "traces/sass/rounding.h"

#include <cfenv>
#include <cmath>

namespace tilescope::sass {
namespace {

class Mode {
 public:
  explicit Mode(Rounding rounding) : before_(std::fegetround()) {
    static constexpr int modes[] = {FE_TONEAREST, FE_DOWNWARD, FE_UPWARD, FE_TOWARDZERO};
    std::fesetround(modes[static_cast<int>(rounding)]);
  }
  ~Mode() { std::fesetround(before_); }
  Mode(const Mode&) = delete;
  Mode& operator=(const Mode&) = delete;

 private:
  int before_;
};

// The mode is nearest outside of these functions; changing it takes longer than the arithmetic. `volatile` keeps the
// operation between the two changes of mode.
template <class T>
T add(T a, T b, Rounding rounding) {
  if (rounding == Rounding::nearest) return a + b;
  const Mode mode(rounding);
  const volatile T x = a, y = b;
  const volatile T result = x + y;
  return result;
}

template <class T>
T multiply(T a, T b, Rounding rounding) {
  if (rounding == Rounding::nearest) return a * b;
  const Mode mode(rounding);
  const volatile T x = a, y = b;
  const volatile T result = x * y;
  return result;
}

template <class T>
T multiply_add(T a, T b, T c, Rounding rounding) {
  if (rounding == Rounding::nearest) return std::fma(a, b, c);
  const Mode mode(rounding);
  const volatile T x = a, y = b, z = c;
  const volatile T result = std::fma(x, y, z);
  return result;
}

template <class To, class From>
To converted(From a, Rounding rounding) {
  if (rounding == Rounding::nearest) return static_cast<To>(a);
  const Mode mode(rounding);
  const volatile From x = a;
  const volatile To result = static_cast<To>(x);
  return result;
}

}  // namespace

float add_rounded(float a, float b, Rounding rounding) { return add(a, b, rounding); }
float multiply_rounded(float a, float b, Rounding rounding) { return multiply(a, b, rounding); }
float multiply_add_rounded(float a, float b, float c, Rounding rounding) { return multiply_add(a, b, c, rounding); }
double add_rounded(double a, double b, Rounding rounding) { return add(a, b, rounding); }
double multiply_rounded(double a, double b, Rounding rounding) { return multiply(a, b, rounding); }
double multiply_add_rounded(double a, double b, double c, Rounding rounding) { return multiply_add(a, b, c, rounding); }
float to_single_rounded(double a, Rounding rounding) { return converted<float>(a, rounding); }
float to_single_rounded(std::int64_t a, Rounding rounding) { return converted<float>(a, rounding); }
float to_single_rounded(std::uint64_t a, Rounding rounding) { return converted<float>(a, rounding); }
double to_double_rounded(std::int64_t a, Rounding rounding) { return converted<double>(a, rounding); }
double to_double_rounded(std::uint64_t a, Rounding rounding) { return converted<double>(a, rounding); }

double whole_rounded(double a, Rounding rounding) {
  if (rounding == Rounding::nearest) return std::nearbyint(a);
  const Mode mode(rounding);
  const volatile double x = a;
  const volatile double result = std::nearbyint(x);
  return result;
}

}  // namespace tilescope::sass
