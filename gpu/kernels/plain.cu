#include <cuda_fp16.h>

#include "../common/device.h"
#include "filter.h"
#include "plain.h"

namespace tilescope::gpu {
namespace {

constexpr int kThreads = 128;

__device__ std::size_t own_index() { return blockIdx.x * static_cast<std::size_t>(blockDim.x) + threadIdx.x; }
__device__ double number(float v) { return v; }
__device__ double number(__half v) { return __half2float(v); }

__global__ void reduction_answer(const float* in, double* sums, std::size_t count, std::size_t span) {
  const std::size_t first = own_index() * span;
  if (first < count) {
    double sum = 0;
    for (std::size_t i = first; i < first + span && i < count; ++i) {
      sum += in[i];
    }
    sums[own_index()] = sum;
  }
}

__global__ void convolution_answer(const float* in, double* out, int rows, int columns, int size, Filter filter) {
  const std::size_t at = own_index();
  const int y = static_cast<int>(at / columns);
  const int x = static_cast<int>(at % columns);
  if (y >= rows) {
    return;
  }
  double sum = 0;
  for (int dy = 0; dy < size; ++dy) {
    for (int dx = 0; dx < size; ++dx) {
      const int from_y = y + dy - size / 2;
      const int from_x = x + dx - size / 2;
      if (from_y >= 0 && from_y < rows && from_x >= 0 && from_x < columns) {
        sum +=
            static_cast<double>(filter.value[dy * size + dx]) * in[static_cast<std::size_t>(from_y) * columns + from_x];
      }
    }
  }
  out[at] = sum;
}

__global__ void softmax_answer(const float* in, double* out, std::size_t rows, int columns) {
  if (own_index() >= rows) {
    return;
  }
  in += own_index() * columns;
  out += own_index() * columns;
  double largest = in[0];
  for (int i = 1; i < columns; ++i) {
    largest = fmax(largest, static_cast<double>(in[i]));
  }
  double sum = 0;
  for (int i = 0; i < columns; ++i) {
    sum += exp(in[i] - largest);
  }
  for (int i = 0; i < columns; ++i) {
    out[i] = exp(in[i] - largest) / sum;
  }
}

__global__ void layer_norm_answer(const float* in, const float* scaling, double* out, std::size_t rows, int columns,
                                  double epsilon) {
  if (own_index() >= rows) {
    return;
  }
  in += own_index() * columns;
  out += own_index() * columns;
  double mean = 0;
  for (int i = 0; i < columns; ++i) {
    mean += static_cast<double>(in[i]) / columns;
  }
  double variance = 0;
  for (int i = 0; i < columns; ++i) {
    variance += (in[i] - mean) * (in[i] - mean) / columns;
  }
  for (int i = 0; i < columns; ++i) {
    out[i] = (in[i] - mean) / sqrt(variance + epsilon) * scaling[i] + scaling[columns + i];
  }
}

// A CTA per query, a thread per column of its result.
template <class T>
__global__ void attention_answer(const T* in, double* out, int heads, int n, bool causal) {
  const int d = blockDim.x;
  const int query = blockIdx.x;
  const std::size_t head = static_cast<std::size_t>(blockIdx.y) * n;
  const std::size_t all = static_cast<std::size_t>(heads) * n * d;
  const T* const q = in + (head + query) * d;
  const T* const keys = in + all + head * d;
  const T* const values = in + 2 * all + head * d;
  const auto score = [&](int key) {
    double sum = 0;
    for (int i = 0; i < d; ++i) {
      sum += number(q[i]) * number(keys[static_cast<std::size_t>(key) * d + i]);
    }
    return sum / sqrt(static_cast<double>(d));
  };
  double weights = 0;
  double sum = 0;
  for (int key = 0; key < (causal ? query + 1 : n); ++key) {
    const double weight = exp(score(key));  // scores are small
    weights += weight;
    sum += weight * number(values[static_cast<std::size_t>(key) * d + threadIdx.x]);
  }
  out[(head + query) * d + threadIdx.x] = sum / weights;
}

unsigned blocks(std::size_t count) { return static_cast<unsigned>((count + kThreads - 1) / kThreads); }

}  // namespace

void plain_reduction(const float* in, double* sums, std::size_t count, std::size_t span) {
  reduction_answer<<<blocks((count + span - 1) / span), kThreads>>>(in, sums, count, span);
  check(cudaGetLastError(), "plain_reduction");
}

void plain_convolution(const float* in, double* out, int rows, int columns, int filter) {
  convolution_answer<<<blocks(static_cast<std::size_t>(rows) * columns), kThreads>>>(in, out, rows, columns, filter,
                                                                                     make_filter());
  check(cudaGetLastError(), "plain_convolution");
}

void plain_softmax(const float* in, double* out, std::size_t rows, int columns) {
  softmax_answer<<<blocks(rows), kThreads>>>(in, out, rows, columns);
  check(cudaGetLastError(), "plain_softmax");
}

void plain_layer_norm(const float* in, const float* scaling, double* out, std::size_t rows, int columns,
                      double epsilon) {
  layer_norm_answer<<<blocks(rows), kThreads>>>(in, scaling, out, rows, columns, epsilon);
  check(cudaGetLastError(), "plain_layer_norm");
}

void plain_attention(const float* in, double* out, int heads, int n, int d, bool causal) {
  attention_answer<<<dim3(n, heads), d>>>(in, out, heads, n, causal);
  check(cudaGetLastError(), "plain_attention");
}

void plain_attention(const __half* in, double* out, int heads, int n, int d, bool causal) {
  attention_answer<<<dim3(n, heads), d>>>(in, out, heads, n, causal);
  check(cudaGetLastError(), "plain_attention");
}

}  // namespace tilescope::gpu
