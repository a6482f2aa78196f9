// One-dimensional Fourier transforms by cuFFT: complex batches of 256, 1024 and 4096 points, real ones of 2048, 1000 =
// 2^3 5^3 points, and one long transform of 2^18.
#include <cufft.h>

#include <complex>

#include "program.h"

namespace {

using Complex = std::complex<double>;

// A few outputs of the transform of one signal, by its definition.
void expect_spectrum(const char* what, const std::vector<Complex>& signal, const std::vector<cufftComplex>& got,
                     size_t at) {
  std::vector<double> values, wanted;
  for (size_t output = 1; output < signal.size() / 2; output += signal.size() / 9) {
    Complex sum = 0;
    for (size_t i = 0; i < signal.size(); ++i)
      sum += signal[i] * std::polar(1.0, -2 * M_PI * static_cast<double>(output * i % signal.size()) /
                                             static_cast<double>(signal.size()));
    values.push_back(got[at + output].x), values.push_back(got[at + output].y);
    wanted.push_back(sum.real()), wanted.push_back(sum.imag());
  }
  program::expect_close(what, values, wanted, 1e-4);
}

void complex_batch(int points, int batch) {
  const std::vector<float> values = program::random_floats(2 * static_cast<size_t>(points) * batch, points);
  std::vector<cufftComplex> signal(static_cast<size_t>(points) * batch);
  for (size_t i = 0; i < signal.size(); ++i) signal[i] = {values[2 * i], values[2 * i + 1]};
  program::Device<cufftComplex> in(signal), out(signal.size());
  cufftHandle plan;
  CHECKED(cufftPlan1d(&plan, points, CUFFT_C2C, batch));
  CHECKED(cufftExecC2C(plan, in, out, CUFFT_FORWARD));
  const std::vector<cufftComplex> spectrum = out.host();
  for (const int which : {0, batch - 1}) {
    std::vector<Complex> one;
    for (int i = 0; i < points; ++i)
      one.emplace_back(signal[size_t(which) * points + i].x, signal[size_t(which) * points + i].y);
    expect_spectrum("complex transform", one, spectrum, static_cast<size_t>(which) * points);
  }
  CHECKED(cufftDestroy(plan));
}

}  // namespace

int main() {
  program::take_turn();
  complex_batch(256, 2048);
  complex_batch(1024, 512);
  complex_batch(4096, 128);
  complex_batch(1000, 500);
  complex_batch(1 << 18, 1);

  const int points = 2048, batch = 256;
  const std::vector<float> values = program::random_floats(static_cast<size_t>(points) * batch, 9);
  program::Device<float> in(values);
  program::Device<cufftComplex> out(static_cast<size_t>(points / 2 + 1) * batch);
  cufftHandle plan;
  CHECKED(cufftPlan1d(&plan, points, CUFFT_R2C, batch));
  CHECKED(cufftExecR2C(plan, in, out));
  expect_spectrum("real transform", std::vector<Complex>(values.begin(), values.begin() + points), out.host(), 0);
  CHECKED(cufftDestroy(plan));
  return program::finish("cufft_1d");
}
