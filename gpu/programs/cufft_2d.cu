// Fourier transforms of planes and volumes by cuFFT, there and back: complex 512x512, complex 64x64x64, real 360x500
// and complex 337 (a prime) in a batch.
#include <cufft.h>

#include "program.h"

namespace {

std::vector<cufftComplex> random_signal(size_t points) {
  const std::vector<float> values = program::random_floats(2 * points, points);
  std::vector<cufftComplex> signal(points);
  for (size_t i = 0; i < points; ++i) signal[i] = {values[2 * i], values[2 * i + 1]};
  return signal;
}

std::vector<float> numbers(const std::vector<cufftComplex>& signal, float scale) {
  std::vector<float> result;
  for (const cufftComplex& value : signal) result.push_back(value.x * scale), result.push_back(value.y * scale);
  return result;
}

// The first output is the sum of all inputs, and the way back brings the inputs times their number.
void there_and_back(const char* what, cufftHandle plan, size_t points, size_t transforms) {
  const std::vector<cufftComplex> signal = random_signal(points * transforms);
  program::Device<cufftComplex> in(signal), out(signal.size());
  CHECKED(cufftExecC2C(plan, in, out, CUFFT_FORWARD));
  double sum = 0;
  for (size_t i = 0; i < points; ++i) sum += signal[i].x;
  program::expect_close(what, std::vector<float>{out.host()[0].x}, std::vector<double>{sum}, 1e-3);
  CHECKED(cufftExecC2C(plan, out, in, CUFFT_INVERSE));
  program::expect_close(what, numbers(in.host(), 1.0f / static_cast<float>(points)), numbers(signal, 1), 1e-5);
  CHECKED(cufftDestroy(plan));
}

}  // namespace

int main() {
  program::take_turn();
  cufftHandle plan;
  CHECKED(cufftPlan2d(&plan, 512, 512, CUFFT_C2C));
  there_and_back("plane", plan, 512 * 512, 1);
  CHECKED(cufftPlan3d(&plan, 64, 64, 64, CUFFT_C2C));
  there_and_back("volume", plan, 64 * 64 * 64, 1);
  CHECKED(cufftPlan1d(&plan, 337, CUFFT_C2C, 600));
  there_and_back("prime", plan, 337, 600);

  const int rows = 360, columns = 500;
  const std::vector<float> values = program::random_floats(static_cast<size_t>(rows) * columns, 3);
  program::Device<float> in(values), back(values.size());
  program::Device<cufftComplex> out(static_cast<size_t>(rows) * (columns / 2 + 1));
  cufftHandle forward, inverse;
  CHECKED(cufftPlan2d(&forward, rows, columns, CUFFT_R2C));
  CHECKED(cufftPlan2d(&inverse, rows, columns, CUFFT_C2R));
  CHECKED(cufftExecR2C(forward, in, out));
  CHECKED(cufftExecC2R(inverse, out, back));
  std::vector<float> got = back.host();
  for (float& value : got) value /= static_cast<float>(rows * columns);
  program::expect_close("real plane", got, values, 1e-5);
  return program::finish("cufft_2d");
}
