// One line of the program's CSV: a case and what came of it.
#pragma once

#include <cuda_runtime.h>

#include <string>

#include "measure.h"

namespace tilescope::gpu {

enum class Verdict { kUnchecked, kOk, kWrong };

// Fields that a case has no value for stay empty: sizes of a memory kernel, parameters of a GEMM, a check not made.
struct Row {
  std::string kernel;
  std::string m, n, k, group;
  std::string parameters;  // NAME=VALUE;NAME=VALUE..., all of them
  dim3 grid;
  dim3 block;
  Timing timing;
  std::string tflops;
  std::string gbs;  // 10^9 bytes that the lanes asked for, per second
  Verdict verdict = Verdict::kUnchecked;
  std::string relative_error;
  std::string cublas_tflops;
  std::string pct_of_cublas;
};

void print_header();
void print(const Row& row);

// As printf does with "%.*g".
std::string number(double value, int digits);

}  // namespace tilescope::gpu
