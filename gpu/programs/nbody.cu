// All-pairs gravity: every CTA walks the bodies in tiles of shared memory; the softened force is summed with rsqrtf.
#include "program.h"

constexpr int threads = 128;
constexpr float softening = 1e-2f, step = 1e-3f;

__global__ void accelerations(const float4* bodies, float3* result, int count) {
  __shared__ float4 tile[threads];
  const int me = blockIdx.x * threads + threadIdx.x;
  const float4 body = bodies[me];
  float3 sum = {0, 0, 0};
  for (int first = 0; first < count; first += threads) {
    tile[threadIdx.x] = bodies[first + threadIdx.x];
    __syncthreads();
#pragma unroll 8
    for (int i = 0; i < threads; ++i) {
      const float4 other = tile[i];
      const float x = other.x - body.x, y = other.y - body.y, z = other.z - body.z;
      const float inverse = rsqrtf(x * x + y * y + z * z + softening);
      const float pull = other.w * inverse * inverse * inverse;
      sum.x += x * pull, sum.y += y * pull, sum.z += z * pull;
    }
    __syncthreads();
  }
  result[me] = sum;
}

__global__ void integrate(float4* bodies, float3* speeds, const float3* accelerations, int count) {
  const int me = blockIdx.x * blockDim.x + threadIdx.x;
  if (me >= count) return;
  float3 speed = speeds[me];
  const float3 change = accelerations[me];
  speed.x += step * change.x, speed.y += step * change.y, speed.z += step * change.z;
  float4 body = bodies[me];
  body.x += step * speed.x, body.y += step * speed.y, body.z += step * speed.z;
  speeds[me] = speed;
  bodies[me] = body;
}

int main() {
  program::take_turn();
  for (const int count : {2048, 4096, 6144}) {
    const std::vector<float> values = program::random_floats(4 * count, count);
    std::vector<float4> bodies(count);
    for (int i = 0; i < count; ++i)
      bodies[i] = {values[4 * i], values[4 * i + 1], values[4 * i + 2], std::fabs(values[4 * i + 3])};
    program::Device<float4> device(bodies);
    program::Device<float3> speeds(count), pulls(count);
    for (int i = 0; i < 2; ++i) {
      accelerations<<<count / threads, threads>>>(device, pulls, count);
      if (i == 0) {
        const std::vector<float3> got = pulls.host();
        std::vector<float> one;
        std::vector<double> wanted;
        for (int me = 0; me < count; me += count / 64) {
          double sum = 0;
          for (const float4& other : bodies) {
            const double x = double(other.x) - bodies[me].x, y = double(other.y) - bodies[me].y,
                         z = double(other.z) - bodies[me].z;
            sum += x * other.w / std::pow(x * x + y * y + z * z + softening, 1.5);
          }
          one.push_back(got[me].x), wanted.push_back(sum);
        }
        program::expect_close("acceleration", one, wanted, 1e-4);
      }
      integrate<<<(count + 255) / 256, 256>>>(device, speeds, pulls, count);
    }
    CHECKED(cudaDeviceSynchronize());
  }
  return program::finish("nbody");
}
