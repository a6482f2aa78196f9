// Launches the kernels of meetings.cu, a warp each, as the lines of a file say: KERNEL TRIPS FINDS, a digit per lane
// ('-': finds nothing). The lines that ran, in order, are what the counters' rows belong to.
#include <fstream>
#include <iostream>
#include <string>
#include <vector>

#include "meetings.cu"

int main(int, char** arguments) {
  std::ifstream cases(arguments[1]);
  int *out, *trips, *marks;
  cudaMalloc(&out, 4096);
  cudaMalloc(&trips, 128);
  cudaMalloc(&marks, 4096);
  for (std::string kernel, trip, find; cases >> kernel >> trip >> find;) {
    std::vector<int> t(32), m(1024);
    for (int lane = 0; lane < 32; ++lane) {
      t[lane] = std::stoi(trip.substr(lane, 1), nullptr, 16);
      if (find[lane] != '-') m[32 * std::stoi(find.substr(lane, 1), nullptr, 16) + lane] = 1;
    }
    if (kernel == "sorted") t[0] = 16 * t[0] + t[1];  // two digits
    cudaMemset(out, 0, 4096);
    cudaMemcpy(trips, t.data(), 128, cudaMemcpyHostToDevice);
    cudaMemcpy(marks, m.data(), 4096, cudaMemcpyHostToDevice);
    if (kernel == "search") search<<<1, 32>>>(out, trips, marks);
    if (kernel == "pick") pick<<<1, 32>>>(out, trips, marks);
    if (kernel == "arms") arms<<<1, 32>>>(out, trips, marks);
    if (kernel == "order") order<<<1, 32>>>(out, trips, marks);
    if (kernel == "sorted") sorted<<<1, 16>>>(out, trips, marks);
    std::cout << kernel << ',' << trip << ',' << find << '\n';
  }
  return cudaDeviceSynchronize();
}
