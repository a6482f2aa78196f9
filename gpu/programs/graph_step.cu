// A step of gradient descent of a linear model as one CUDA graph: two branches that join, a memset, five kernel nodes;
// launched three times.
#include "program.h"

// y = X w, a warp per row
__global__ void predict(const float* x, const float* weights, float* y, int rows, int columns) {
  const int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
  if (row >= rows) return;
  float sum = 0;
  for (int i = lane; i < columns; i += 32) sum += x[static_cast<size_t>(row) * columns + i] * weights[i];
  for (int offset = 16; offset > 0; offset /= 2) sum += __shfl_down_sync(~0u, sum, offset);
  if (lane == 0) y[row] = sum;
}

__global__ void subtract(float* y, const float* wanted, int rows) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < rows) y[i] -= wanted[i];
}

// A CTA sums a stripe of rows for 64 columns.
__global__ void gradient(const float* x, const float* error, float* result, int rows, int columns) {
  const int column = blockIdx.x * 64 + threadIdx.x % 64, stripe = blockIdx.y * 4 + threadIdx.x / 64,
            stripes = gridDim.y * 4;
  float sum = 0;
  for (int row = stripe; row < rows; row += stripes) sum += x[static_cast<size_t>(row) * columns + column] * error[row];
  atomicAdd(&result[column], sum / rows);
}

__global__ void decay(const float* weights, float* shrunk, int columns) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < columns) shrunk[i] = 0.999f * weights[i];
}

__global__ void update(float* weights, const float* shrunk, const float* gradients, int columns) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < columns) weights[i] = shrunk[i] - 0.05f * gradients[i];
}

int main() {
  program::take_turn();
  const int rows = 8192, columns = 512;
  const std::vector<float> x = program::random_floats(static_cast<size_t>(rows) * columns, 1),
                           aim = program::random_floats(rows, 2), start = program::random_floats(columns, 3);
  program::Device<float> data(x), wanted(aim), weights(start), y(rows), shrunk(columns), gradients(columns);

  cudaStream_t main_stream, side_stream;
  CHECKED(cudaStreamCreate(&main_stream));
  CHECKED(cudaStreamCreate(&side_stream));
  cudaEvent_t fork, join;
  CHECKED(cudaEventCreate(&fork));
  CHECKED(cudaEventCreate(&join));
  CHECKED(cudaStreamBeginCapture(main_stream, cudaStreamCaptureModeGlobal));
  CHECKED(cudaEventRecord(fork, main_stream));
  CHECKED(cudaStreamWaitEvent(side_stream, fork));
  decay<<<(columns + 127) / 128, 128, 0, side_stream>>>(weights, shrunk, columns);
  CHECKED(cudaEventRecord(join, side_stream));
  CHECKED(cudaMemsetAsync(gradients, 0, columns * sizeof(float), main_stream));
  predict<<<rows / 8, 256, 0, main_stream>>>(data, weights, y, rows, columns);
  subtract<<<rows / 256, 256, 0, main_stream>>>(y, wanted, rows);
  gradient<<<dim3(columns / 64, 33), 256, 0, main_stream>>>(data, y, gradients, rows, columns);
  CHECKED(cudaStreamWaitEvent(main_stream, join));
  update<<<(columns + 127) / 128, 128, 0, main_stream>>>(weights, shrunk, gradients, columns);
  cudaGraph_t graph;
  CHECKED(cudaStreamEndCapture(main_stream, &graph));
  cudaGraphExec_t step;
  CHECKED(cudaGraphInstantiate(&step, graph, 0));
  for (int i = 0; i < 3; ++i) CHECKED(cudaGraphLaunch(step, main_stream));
  CHECKED(cudaStreamSynchronize(main_stream));

  std::vector<double> model(start.begin(), start.end());
  for (int i = 0; i < 3; ++i) {
    std::vector<double> change(columns);
    for (int row = 0; row < rows; ++row) {
      const float* line = &x[static_cast<size_t>(row) * columns];
      double error = -aim[row];
      for (int c = 0; c < columns; ++c) error += line[c] * model[c];
      for (int c = 0; c < columns; ++c) change[c] += line[c] * error / rows;
    }
    for (int c = 0; c < columns; ++c) model[c] = 0.999 * model[c] - 0.05 * change[c];
  }
  program::expect_close("weights", weights.host(), model, 1e-4);
  CHECKED(cudaGraphExecDestroy(step));
  CHECKED(cudaGraphDestroy(graph));
  return program::finish("graph_step");
}
