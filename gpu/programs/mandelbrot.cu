// Iterations of z*z + c until |z| > 2, by pixel: lanes leave their loop at different times. One frame of the whole set,
// one of its edge, and the edge with work taken from a counter by whole CTAs.
#include "program.h"

__device__ __host__ int iterations(float x, float y, int limit) {
  float a = 0, b = 0;
  int i = 0;
  while (i < limit) {
    const float aa = a * a, bb = b * b;
    if (aa + bb > 4) break;
    b = 2 * a * b + y;
    a = aa - bb + x;
    ++i;
  }
  return i;
}

__global__ void frame(int* out, int width, int height, float left, float top, float step, int limit) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < width && y < height) out[y * width + x] = iterations(left + x * step, top + y * step, limit);
}

__global__ void frame_queue(int* out, int* counter, int width, int height, float left, float top, float step,
                            int limit) {
  __shared__ int tile;
  const int tiles_wide = width / 32, tiles = tiles_wide * (height / 8);
  while (true) {
    if (threadIdx.x == 0) tile = atomicAdd(counter, 1);
    __syncthreads();
    const int mine = tile;
    __syncthreads();
    if (mine >= tiles) return;
    const int x = mine % tiles_wide * 32 + threadIdx.x % 32, y = mine / tiles_wide * 8 + threadIdx.x / 32;
    out[y * width + x] = iterations(left + x * step, top + y * step, limit);
  }
}

// Host and device round products differently, so a pixel in a hundred may differ.
void expect_similar(const char* what, const std::vector<int>& got, int width, float left, float top, float step,
                    int limit) {
  size_t different = 0, looked_at = 0;
  for (size_t i = 0; i < got.size(); i += 37, ++looked_at) {
    different += got[i] != iterations(left + int(i % width) * step, top + int(i / width) * step, limit);
    program::checksum() += got[i];
  }
  if (different * 20 <= looked_at) return;
  std::fprintf(stderr, "%s: %zu of %zu pixels differ\n", what, different, looked_at);
  program::wrong() = true;
}

int main() {
  program::take_turn();
  const int width = 768, height = 512;
  program::Device<int> whole(width * height), edge(width * height), queue(width * height), counter(1);
  const dim3 grid(width / 32, height / 8), block(32, 8);
  frame<<<grid, block>>>(whole, width, height, -2.2f, -1.2f, 3.2f / width, 100);
  expect_similar("whole", whole.host(), width, -2.2f, -1.2f, 3.2f / width, 100);
  frame<<<grid, block>>>(edge, width, height, -0.8f, 0.1f, 0.1f / width, 128);
  expect_similar("edge", edge.host(), width, -0.8f, 0.1f, 0.1f / width, 128);
  frame_queue<<<264, 256>>>(queue, counter, width, height, -0.8f, 0.1f, 0.1f / width, 128);
  expect_similar("queue", queue.host(), width, -0.8f, 0.1f, 0.1f / width, 128);
  return program::finish("mandelbrot");
}
