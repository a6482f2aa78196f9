// What the C++ programs of this folder share: their turn on the GPU, inputs from fixed seeds, arrays on the device,
// checks of results.
//
// A program launches the same kernels with the same arguments every time it runs, so that one run can be captured and
// another measured. Inputs come from the CPU: no launch prepares them.
#pragma once

#include <cuda_runtime.h>
#include <fcntl.h>
#include <sys/file.h>

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

namespace program {

inline bool& wrong() {
  static bool value = false;
  return value;
}

inline double& checksum() {
  static double value = 0;
  return value;
}

// Ends the program with a sentence: a call of CUDA or of a library failed.
[[noreturn]] inline void fail(const char* file, int line, const char* expression, const std::string& why) {
  std::fprintf(stderr, "%s:%d: %s: %s\n", file, line, expression, why.c_str());
  std::exit(1);
}

inline std::string failure(cudaError_t status) { return status == cudaSuccess ? "" : cudaGetErrorString(status); }
template <typename Status>
std::string failure(Status status) {  // of a library: 0 is success
  return static_cast<int>(status) == 0 ? "" : "status " + std::to_string(static_cast<int>(status));
}

#define CHECKED(expression)                                                \
  do {                                                                     \
    const std::string why = program::failure(expression);                  \
    if (!why.empty()) program::fail(__FILE__, __LINE__, #expression, why); \
  } while (false)

// First statement of every main: where the environment names a file in TILESCOPE_TURN, waits until no other program
// holds its lock, and keeps the lock until the process ends. Several programs can then start together while one at a
// time uses the GPU.
inline void take_turn() {
  const char* path = std::getenv("TILESCOPE_TURN");
  if (path == nullptr) return;
  const int file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  if (file < 0 || flock(file, LOCK_EX) != 0) fail(path, 0, "TILESCOPE_TURN", "cannot be locked");
}

// splitmix64
class Random {
 public:
  explicit Random(uint64_t seed) : state_(seed) {}
  uint64_t next() {
    uint64_t z = (state_ += 0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
  }
  double uniform() { return static_cast<double>(next() >> 11) * 0x1p-53; }  // [0, 1)
  uint64_t below(uint64_t bound) { return next() % bound; }

 private:
  uint64_t state_;
};

inline std::vector<float> random_floats(size_t count, uint64_t seed, float low = -1, float high = 1) {
  Random random(seed);
  std::vector<float> values(count);
  for (float& value : values) value = low + (high - low) * static_cast<float>(random.uniform());
  return values;
}

template <typename Integer = int>
std::vector<Integer> random_integers(size_t count, uint64_t seed, uint64_t bound) {
  Random random(seed);
  std::vector<Integer> values(count);
  for (Integer& value : values) value = static_cast<Integer>(random.below(bound));
  return values;
}

// The first 16,384 values again and again: for inputs that are stored with a launch, because its addresses or branches
// depend on data.
template <typename T>
std::vector<T> repeated(std::vector<T> values) {
  for (size_t i = size_t{1} << 14; i < values.size(); ++i) values[i] = values[i - (size_t{1} << 14)];
  return values;
}

// An allocation on the device, freed at the end.
template <typename T>
class Device {
 public:
  explicit Device(size_t count) : count_(count) {
    CHECKED(cudaMalloc(&data_, count * sizeof(T)));
    CHECKED(cudaMemset(data_, 0, count * sizeof(T)));
  }
  explicit Device(const std::vector<T>& values) : Device(values.size()) { upload(values); }
  ~Device() { cudaFree(data_); }
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;

  T* get() const { return data_; }
  operator T*() const { return data_; }
  size_t count() const { return count_; }
  void upload(const std::vector<T>& values) {
    CHECKED(cudaMemcpy(data_, values.data(), values.size() * sizeof(T), cudaMemcpyHostToDevice));
  }
  void clear() { CHECKED(cudaMemset(data_, 0, count_ * sizeof(T))); }  // zeros are not stored with a launch
  std::vector<T> host() const {
    std::vector<T> values(count_);
    CHECKED(cudaMemcpy(values.data(), data_, count_ * sizeof(T), cudaMemcpyDeviceToHost));
    return values;
  }

 private:
  T* data_ = nullptr;
  size_t count_;
};

// Of a double itself, of FP16 and BF16 through float.
inline double number(double value) { return value; }
template <typename T>
double number(T value) {
  return static_cast<double>(static_cast<float>(value));
}

// Relative distance of two vectors in the Frobenius norm, held against a tolerance.
template <typename A, typename B>
void expect_close(const char* what, const std::vector<A>& got, const std::vector<B>& wanted, double tolerance) {
  double distance = 0, norm = 0, sum = 0;
  for (size_t i = 0; i < wanted.size(); ++i) {
    const double a = number(got[i]), b = number(wanted[i]);
    distance += (a - b) * (a - b), norm += b * b, sum += a;
  }
  checksum() += sum;
  const double error = std::sqrt(distance / (norm > 0 ? norm : 1));
  if (got.size() == wanted.size() && error <= tolerance) return;  // a NaN is not
  std::fprintf(stderr, "%s: relative error %g; must be at most %g\n", what, error, tolerance);
  wrong() = true;
}

template <typename T>
void expect_equal(const char* what, const std::vector<T>& got, const std::vector<T>& wanted) {
  for (size_t i = 0; i < got.size(); ++i) checksum() += static_cast<double>(got[i]);
  for (size_t i = 0; i < wanted.size(); ++i) {
    if (i < got.size() && got[i] == wanted[i]) continue;
    std::fprintf(stderr, "%s: element %zu: got %g; must be %g\n", what, i,
                 i < got.size() ? static_cast<double>(got[i]) : NAN, static_cast<double>(wanted[i]));
    wrong() = true;
    return;
  }
}

// Last statement of every main: the exit code.
inline int finish(const std::string& name) {
  CHECKED(cudaDeviceSynchronize());
  std::printf("%s: %s, checksum %.6g\n", name.c_str(), wrong() ? "WRONG" : "ok", checksum());
  return wrong() ? 1 : 0;
}

// Entries of a product of column-major matrices, op(A) of m by k and op(B) of k by n, in double precision on the CPU.
struct Product {
  int m, n, k;
  bool transpose_a, transpose_b;
};
template <typename T>
double entry(const Product& shape, const std::vector<T>& a, const std::vector<T>& b, int row, int column,
             size_t a_at = 0, size_t b_at = 0) {
  double sum = 0;
  for (int i = 0; i < shape.k; ++i) {
    const size_t in_a =
        shape.transpose_a ? i + static_cast<size_t>(row) * shape.k : row + static_cast<size_t>(i) * shape.m;
    const size_t in_b =
        shape.transpose_b ? column + static_cast<size_t>(i) * shape.n : i + static_cast<size_t>(column) * shape.k;
    sum += number(a[a_at + in_a]) * number(b[b_at + in_b]);
  }
  return sum;
}

// Holds 200 entries of a product that the device computed against the CPU.
template <typename T, typename C>
void expect_product(const char* what, const Product& shape, const std::vector<T>& a, const std::vector<T>& b,
                    const std::vector<C>& c, double tolerance, size_t a_at = 0, size_t b_at = 0, size_t c_at = 0) {
  Random random(99);
  std::vector<double> got, wanted;
  for (int i = 0; i < 200; ++i) {
    const int row = static_cast<int>(random.below(shape.m)), column = static_cast<int>(random.below(shape.n));
    got.push_back(number(c[c_at + row + static_cast<size_t>(column) * shape.m]));
    wanted.push_back(entry(shape, a, b, row, column, a_at, b_at));
  }
  expect_close(what, got, wanted, tolerance);
}

}  // namespace program
