// Prices of European options, one per thread: special functions and streaming accesses; a loop over the grid, and four
// options at a time.
#include "program.h"

constexpr float rate = 0.02f, volatility = 0.3f;

__device__ float normal(float x) { return 0.5f * erfcf(-x * 0.70710678f); }

__device__ float call_price(float price, float strike, float years) {
  const float root = sqrtf(years);
  const float d1 = (logf(price / strike) + (rate + 0.5f * volatility * volatility) * years) / (volatility * root);
  return price * normal(d1) - strike * expf(-rate * years) * normal(d1 - volatility * root);
}

__global__ void price_each(const float* price, const float* strike, const float* years, float* result, int count) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x)
    result[i] = call_price(price[i], strike[i], years[i]);
}

__global__ void price_four(const float4* price, const float4* strike, const float4* years, float4* result, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count / 4) return;
  const float4 p = price[i], s = strike[i], y = years[i];
  result[i] = {call_price(p.x, s.x, y.x), call_price(p.y, s.y, y.y), call_price(p.z, s.z, y.z),
               call_price(p.w, s.w, y.w)};
}

int main() {
  program::take_turn();
  for (const int count : {1 << 18, 1 << 21}) {
    const std::vector<float> price = program::repeated(program::random_floats(count, 1, 5, 30)),
                             strike = program::repeated(program::random_floats(count, 2, 1, 100)),
                             years = program::repeated(program::random_floats(count, 3, 0.25f, 10));
    std::vector<double> wanted(count);
    for (int i = 0; i < count; ++i) {
      const double root = std::sqrt(years[i]);
      const double d1 = (std::log(double(price[i]) / strike[i]) + (rate + 0.5 * volatility * volatility) * years[i]) /
                        (volatility * root);
      const auto cdf = [](double x) { return 0.5 * std::erfc(-x / std::sqrt(2.0)); };
      wanted[i] = price[i] * cdf(d1) - strike[i] * std::exp(-double(rate) * years[i]) * cdf(d1 - volatility * root);
    }
    program::Device<float> p(price), s(strike), y(years), out(count), four(count);
    price_each<<<264, 256>>>(p, s, y, out, count);
    program::expect_close("price_each", out.host(), wanted, 1e-4);
    const auto as4 = [](program::Device<float>& array) { return reinterpret_cast<float4*>(array.get()); };
    price_four<<<count / 4 / 128, 128>>>(as4(p), as4(s), as4(y), as4(four), count);
    program::expect_close("price_four", four.host(), wanted, 1e-4);
  }
  return program::finish("black_scholes");
}
