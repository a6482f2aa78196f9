// Plain answers in FP64 on the device, a thread per result or row and nothing shared: what other kernels are held
// against.
#pragma once

#include <cstddef>

struct __half;  // cuda_fp16.h

namespace tilescope::gpu {

// sums[i]: of values i * span to (i + 1) * span - 1, as far as they are below `count`.
void plain_reduction(const float* in, double* sums, std::size_t count, std::size_t span);

// With the filter of filter.h.
void plain_convolution(const float* in, double* out, int rows, int columns, int filter);

void plain_softmax(const float* in, double* out, std::size_t rows, int columns);

// `scaling`: weights, then biases.
void plain_layer_norm(const float* in, const float* scaling, double* out, std::size_t rows, int columns,
                      double epsilon);

// Queries, keys and values of all heads, one behind the other; rows of d.
void plain_attention(const float* queries_keys_values, double* out, int heads, int n, int d, bool causal);
void plain_attention(const __half* queries_keys_values, double* out, int heads, int n, int d, bool causal);

}  // namespace tilescope::gpu
