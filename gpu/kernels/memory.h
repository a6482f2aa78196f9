// The kernels with named parameters. copy, strided, reread, transpose and pointer_chase have the names, parameters,
// grids, blocks and order of accesses of the simulator's generators (traces/kernels), so that one case means the same
// to both. reduction, convolution, softmax, layer_norm and attention are taught beside GEMMs; the simulator runs their
// machine code.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace tilescope::gpu {

struct ParameterInfo {
  std::string name;
  std::string default_value;
  std::string help;
  std::int64_t least = 0;  // of a number
  std::int64_t most = 0;
  std::vector<std::string> words = {};  // not empty: must be one of these
};

// A value for every parameter of a kernel, in the order of its list; each allowed on its own.
class ParameterValues {
 public:
  struct Value {
    std::string name;
    std::string text;
  };
  explicit ParameterValues(std::vector<Value> values) : values_(std::move(values)) {}
  std::int64_t number(const char* name) const;
  const std::string& word(const char* name) const;
  const std::vector<Value>& all() const { return values_; }

 private:
  std::vector<Value> values_;
};

// What a kernel whose sums are rounded has to come near to.
struct PlainAnswer {
  std::size_t count = 0;  // of results, at the front of the output
  bool halves = false;    // FP16 instead of FP32
  double bound = 0;       // of the error relative to all of the answer, Frobenius norms
  std::function<void(const void* input, double* answer)> compute;  // all three on the device
};

// A launch with everything decided. The input is read, the output written; both are buffers of their own.
struct MemoryLaunch {
  const void* symbol = nullptr;
  dim3 grid;  // of the first, where a case takes several launches
  dim3 block;
  std::size_t input_bytes = 0;
  std::size_t output_bytes = 0;
  double moved_bytes =
      0;  // that its lanes load and store, whichever memory serves them; with a plain answer, input and result
  // A kernel that only reads adds up what it read and, if `keep`, adds that sum to the output, a double that begins at
  // 0; without `keep` the sum meets a condition that never holds, and nothing is stored. The others write the output.
  bool only_reads = false;
  std::function<void(void* input, std::uint32_t seed)> prepare;
  std::function<void(const void* input, void* output, bool keep)> launch;
  // What the output must hold, given what the input at that device address holds.
  std::function<std::vector<char>(const std::vector<char>& input, const void* input_address)> expected;
  std::optional<PlainAnswer> plain;  // instead of `expected`
};

struct MemoryKernel {
  std::string name;
  std::string help;
  std::vector<ParameterInfo> parameters;
  // Throws std::invalid_argument with one sentence if the values do not go together.
  MemoryLaunch (*plan)(const ParameterValues& values) = nullptr;
};

std::vector<MemoryKernel> memory_kernels();

MemoryLaunch plan_copy(const ParameterValues& values);
MemoryLaunch plan_strided(const ParameterValues& values);
MemoryLaunch plan_reread(const ParameterValues& values);
MemoryLaunch plan_transpose(const ParameterValues& values);
MemoryLaunch plan_pointer_chase(const ParameterValues& values);
MemoryLaunch plan_reduction(const ParameterValues& values);
MemoryLaunch plan_convolution(const ParameterValues& values);
MemoryLaunch plan_softmax(const ParameterValues& values);
MemoryLaunch plan_layer_norm(const ParameterValues& values);
MemoryLaunch plan_attention(const ParameterValues& values);

// Throws std::invalid_argument("WHAT: got 'VALUE'; must be MUST_BE") unless `good`.
void require(bool good, const char* what, const std::string& value, const std::string& must_be);

// The expected output of a kernel that only reads: one double.
std::vector<char> bytes_of(double sum);

}  // namespace tilescope::gpu
