#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <cmath>
#include <vector>

#include "../common/device.h"
#include "reference.h"

namespace tilescope::gpu {
namespace {

__global__ void round_all(float* data, __half* half, std::size_t count) {
  const std::size_t i = blockIdx.x * static_cast<std::size_t>(blockDim.x) + threadIdx.x;
  if (i < count) {
    half[i] = __float2half_rn(data[i]);
    data[i] = __half2float(half[i]);
  }
}

template <class T>
__global__ void pack_all(const float* data, T* packed, int rows, int columns, bool transposed) {
  const std::size_t i = blockIdx.x * static_cast<std::size_t>(blockDim.x) + threadIdx.x;
  if (i < static_cast<std::size_t>(rows) * columns) {
    packed[transposed ? i % columns * rows + i / columns : i] = static_cast<T>(data[i]);
  }
}

__global__ void convert_ints(float* data, std::size_t count) {
  const std::size_t i = blockIdx.x * static_cast<std::size_t>(blockDim.x) + threadIdx.x;
  if (i < count) {
    data[i] = static_cast<float>(__float_as_int(data[i]));
  }
}

__global__ void reference_gemm(Problem p, double* c) {
  const int col = blockIdx.x * blockDim.x + threadIdx.x;
  const int row = blockIdx.y;
  if (col >= p.n) {
    return;
  }
  double sum = 0.0;
  for (int i = 0; i < p.k; ++i) {
    sum += static_cast<double>(p.a[static_cast<std::size_t>(row) * p.k + i]) *
           p.b[static_cast<std::size_t>(i) * p.n + col];
  }
  c[static_cast<std::size_t>(row) * p.n + col] = sum;
}

__device__ double number(float v) { return v; }
__device__ double number(__half v) { return __half2float(v); }

// norms[0] += |c - reference|^2, norms[1] += |reference|^2
template <class R, class T>
__global__ void squared_norms(const R* c, const T* reference, std::size_t count, double* norms) {
  double difference = 0.0;
  double size = 0.0;
  for (std::size_t i = blockIdx.x * static_cast<std::size_t>(blockDim.x) + threadIdx.x; i < count;
       i += static_cast<std::size_t>(gridDim.x) * blockDim.x) {
    const double r = reference[i];
    const double d = number(c[i]) - r;
    difference += d * d;
    size += r * r;
  }
  atomicAdd(&norms[0], difference);
  atomicAdd(&norms[1], size);
}

template <class T>
std::vector<T> to_host(const T* device, std::size_t count) {
  std::vector<T> host(count);
  check(cudaMemcpy(host.data(), device, count * sizeof(T), cudaMemcpyDeviceToHost), "cudaMemcpy");
  return host;
}

void check_reference_on_cpu(const Problem& p, const double* reference) {
  constexpr std::size_t kSamples = 64;
  const std::size_t count = static_cast<std::size_t>(p.m) * p.n;
  const std::vector<float> b = to_host(p.b, static_cast<std::size_t>(p.k) * p.n);
  for (std::size_t sample = 0; sample < kSamples; ++sample) {
    const std::size_t at = count * sample / kSamples + sample % p.n % (count / kSamples + 1);
    const std::size_t row = at / p.n;
    const std::size_t col = at % p.n;
    const std::vector<float> a = to_host(p.a + row * p.k, p.k);
    double sum = 0.0;
    for (int i = 0; i < p.k; ++i) {
      sum += static_cast<double>(a[i]) * b[static_cast<std::size_t>(i) * p.n + col];
    }
    const double seen = to_host(reference + at, 1)[0];
    if (!(std::abs(seen - sum) <= 1e-12 * p.k)) {
      throw std::runtime_error("the device's reference product disagrees with the CPU's");
    }
  }
}

template <class R, class T>
double error_of(const R* result, const T* reference, std::size_t count) {
  const DeviceBuffer<double> norms(2);
  check(cudaMemset(norms.data(), 0, norms.bytes()), "cudaMemset");
  squared_norms<<<256, 256>>>(result, reference, count, norms.data());
  check(cudaGetLastError(), "squared_norms");
  const std::vector<double> host = to_host(norms.data(), 2);
  return std::sqrt(host[0] / host[1]);
}

template <class T>
Agreement compare(const Problem& p, const T* reference) {
  Agreement result;
  result.relative_error = error_of(p.c, reference, static_cast<std::size_t>(p.m) * p.n);
  result.good = result.relative_error <= relative_bound(p);  // false for NaN
  return result;
}

}  // namespace

double relative_bound(const Problem& p) { return p.packed_a != nullptr ? 0 : p.half_a != nullptr ? 1e-4 : 1e-5; }

Agreement compare_with_reference(const Problem& p) {
  const DeviceBuffer<double> reference(static_cast<std::size_t>(p.m) * p.n);
  reference_gemm<<<dim3(divide_up(p.n, 128), p.m), 128>>>(p, reference.data());
  check(cudaGetLastError(), "reference_gemm");
  check_reference_on_cpu(p, reference.data());
  return compare(p, reference.data());
}

Agreement compare_with(const Problem& p, const float* other) { return compare(p, other); }

double relative_error(const float* result, const double* answer, std::size_t count) {
  return error_of(result, answer, count);
}

double relative_error(const __half* result, const double* answer, std::size_t count) {
  return error_of(result, answer, count);
}

void pack(const float* data, void* packed, TensorType type, int rows, int columns, bool transposed) {
  const auto blocks = static_cast<unsigned>((static_cast<std::size_t>(rows) * columns + 255) / 256);
  const auto run = [&](auto* to) { pack_all<<<blocks, 256>>>(data, to, rows, columns, transposed); };
  switch (type) {
    case TensorType::kF16:
      run(static_cast<__half*>(packed));
      break;
    case TensorType::kBf16:
      run(static_cast<__nv_bfloat16*>(packed));
      break;
    case TensorType::kTf32:
      run(static_cast<float*>(packed));
      break;
    case TensorType::kS8:
      run(static_cast<signed char*>(packed));
      break;
  }
  check(cudaGetLastError(), "pack_all");
}

void ints_to_floats(float* data, std::size_t count) {
  convert_ints<<<static_cast<unsigned>((count + 255) / 256), 256>>>(data, count);
  check(cudaGetLastError(), "convert_ints");
}

void round_to_half(float* data, __half* half, std::size_t count) {
  round_all<<<static_cast<unsigned>((count + 255) / 256), 256>>>(data, half, count);
  check(cudaGetLastError(), "round_all");
}

}  // namespace tilescope::gpu
