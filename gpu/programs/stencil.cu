// Stencils: five points in two dimensions straight from global memory and through shared memory, seven points in three
// dimensions with the planes kept in registers.
#include <utility>

#include "program.h"

__global__ void jacobi_global(const float* in, float* out, int width, int height) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < 1 || y < 1 || x >= width - 1 || y >= height - 1) return;
  const size_t at = static_cast<size_t>(y) * width + x;
  out[at] = 0.2f * (in[at] + in[at - 1] + in[at + 1] + in[at - width] + in[at + width]);
}

template <int tile_width, int tile_height>
__global__ void jacobi_shared(const float* in, float* out, int width, int height) {
  __shared__ float tile[tile_height + 2][tile_width + 2];
  const int left = blockIdx.x * tile_width - 1, top = blockIdx.y * tile_height - 1;
  for (int i = threadIdx.y * tile_width + threadIdx.x; i < (tile_width + 2) * (tile_height + 2);
       i += tile_width * tile_height) {
    const int column = i % (tile_width + 2), row = i / (tile_width + 2);
    const int x = min(max(left + column, 0), width - 1), y = min(max(top + row, 0), height - 1);
    tile[row][column] = in[static_cast<size_t>(y) * width + x];
  }
  __syncthreads();
  const int column = threadIdx.x + 1, row = threadIdx.y + 1, x = left + column, y = top + row;
  if (x < 1 || y < 1 || x >= width - 1 || y >= height - 1) return;
  out[static_cast<size_t>(y) * width + x] = 0.2f * (tile[row][column] + tile[row][column - 1] + tile[row][column + 1] +
                                                    tile[row - 1][column] + tile[row + 1][column]);
}

__global__ void heat_3d(const float* in, float* out, int width, int height, int depth) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < 1 || y < 1 || x >= width - 1 || y >= height - 1) return;
  const size_t plane = static_cast<size_t>(width) * height;
  size_t at = static_cast<size_t>(y) * width + x;
  float below = in[at], here = in[at + plane];
  for (int z = 1; z < depth - 1; ++z) {
    at += plane;
    const float above = in[at + plane];
    out[at] = 0.4f * here + 0.1f * (below + above + in[at - 1] + in[at + 1] + in[at - width] + in[at + width]);
    below = here, here = above;
  }
}

std::vector<float> jacobi(const std::vector<float>& in, int width, int height) {
  std::vector<float> out(in.size());
  for (int y = 1; y < height - 1; ++y)
    for (int x = 1; x < width - 1; ++x) {
      const size_t at = static_cast<size_t>(y) * width + x;
      out[at] = 0.2f * (in[at] + in[at - 1] + in[at + 1] + in[at - width] + in[at + width]);
    }
  return out;
}

int main() {
  program::take_turn();
  for (const auto& [width, height] : {std::pair{1024, 1024}, std::pair{2000, 1500}}) {
    const std::vector<float> start = program::random_floats(static_cast<size_t>(width) * height, width);
    const std::vector<float> wanted = jacobi(start, width, height);
    program::Device<float> in(start), out(start.size()), other(start.size());
    jacobi_global<<<dim3((width + 31) / 32, (height + 7) / 8), dim3(32, 8)>>>(in, out, width, height);
    program::expect_close("jacobi_global", out.host(), wanted, 1e-6);
    jacobi_shared<32, 8><<<dim3((width + 31) / 32, (height + 7) / 8), dim3(32, 8)>>>(in, other, width, height);
    program::expect_close("jacobi_shared", other.host(), wanted, 1e-6);
    jacobi_shared<64, 16><<<dim3((width + 63) / 64, (height + 15) / 16), dim3(64, 16)>>>(out, other, width, height);
    program::expect_close("jacobi_shared again", other.host(), jacobi(wanted, width, height), 1e-6);
    jacobi_global<<<dim3((width + 15) / 16, (height + 15) / 16), dim3(16, 16)>>>(out, other, width, height);
  }
  const int width = 160, height = 160, depth = 96;
  const size_t plane = static_cast<size_t>(width) * height;
  const std::vector<float> start = program::random_floats(plane * depth, 5);
  std::vector<float> wanted(start.size());
  for (size_t z = 1; z < depth - 1; ++z)
    for (size_t y = 1; y < height - 1; ++y)
      for (size_t x = 1; x < width - 1; ++x) {
        const size_t at = z * plane + y * width + x;
        wanted[at] = 0.4f * start[at] + 0.1f * (start[at - plane] + start[at + plane] + start[at - 1] + start[at + 1] +
                                                start[at - width] + start[at + width]);
      }
  program::Device<float> in(start), out(start.size()), other(start.size());
  heat_3d<<<dim3(width / 32, height / 4), dim3(32, 4)>>>(in, out, width, height, depth);
  program::expect_close("heat_3d", out.host(), wanted, 1e-6);
  heat_3d<<<dim3(width / 16, height / 16), dim3(16, 16)>>>(out, other, width, height, depth);
  return program::finish("stencil");
}
