// Kernels that store more than they read: fills of 64 KiB to 64 MiB with 4 to 16 bytes a lane, stores with a stride,
// rows of an array of structures member by member, a matrix written by columns.
#include "program.h"

// A grid-stride loop.
template <typename Vector>
__global__ void fill(Vector* out, Vector value, int count) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x) out[i] = value;
}

__global__ void fill_strided(float* out, float value, int stride, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) out[static_cast<size_t>(i) * stride] = value;
}

// Structures of four words: their members are stored one after another, to the same sectors.
__global__ void fill_members(float* out, float value, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) return;
  volatile float* item = out + static_cast<size_t>(i) * 4;
  item[0] = value, item[1] = value, item[2] = value, item[3] = value;
}

__global__ void fill_columns(float* out, float value, int rows, int columns) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  for (int column = 0; column < columns; ++column) out[static_cast<size_t>(row) * columns + column] = value;
}

// Loads, adds and stores in place: as many sectors out as in.
__global__ void add_in_place(float4* data, float value, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) return;
  float4 item = data[i];
  item.x += value, item.y += value, item.z += value, item.w += value;
  data[i] = item;
}

int main() {
  program::take_turn();
  const int most = 16 << 20;  // words
  program::Device<float> out(most);
  const auto expect = [&](const char* what, size_t count, size_t stride, float value) {
    const std::vector<float> got = out.host();
    size_t equal = 0;
    for (size_t i = 0; i < count; ++i) equal += got[i * stride] == value;
    program::expect_equal(what, std::vector<size_t>{equal}, std::vector<size_t>{count});
  };
  for (const int kib : {64, 256, 1024, 2048, 4096, 16384, 65536}) {
    const int words = kib * 256;
    fill<float><<<words / 256, 256>>>(out, 1.0f, words);
    expect("fill of words", words, 1, 1.0f);
    fill<float4><<<words / 1024, 256>>>(reinterpret_cast<float4*>(out.get()), make_float4(2, 2, 2, 2), words / 4);
    expect("fill of vectors", words, 1, 2.0f);
    add_in_place<<<words / 1024, 256>>>(reinterpret_cast<float4*>(out.get()), 1.0f, words / 4);
    expect("addition in place", words, 1, 3.0f);
  }
  for (const int kib : {512, 4096}) {  // a few stores per thread
    const int words = kib * 256;
    fill<float2><<<132, 1024>>>(reinterpret_cast<float2*>(out.get()), make_float2(4, 4), words / 2);
    expect("fill by 132 CTAs", words, 1, 4.0f);
  }
  for (const int stride : {2, 4, 8, 32}) {
    for (const int count : {1 << 15, 1 << 19}) {
      fill_strided<<<count / 256, 256>>>(out, 5.0f + stride, stride, count);
      expect("fill with a stride", count, stride, 5.0f + stride);
    }
  }
  for (const int count : {1 << 14, 1 << 17, 1 << 20}) {
    fill_members<<<count / 256, 256>>>(out, 6.0f, count);
    expect("fill by members", static_cast<size_t>(count) * 4, 1, 6.0f);
  }
  for (const int rows : {4096, 32768}) {
    fill_columns<<<rows / 128, 128>>>(out, 7.0f, rows, 64);
    expect("fill by columns", static_cast<size_t>(rows) * 64, 1, 7.0f);
  }
  return program::finish("stores");
}
