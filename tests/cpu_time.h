// How long this process computed, for tests of work that must stay linear.
#pragma once

#include <ctime>

class CpuTime {
 public:
  double seconds() const { return static_cast<double>(std::clock() - started_) / CLOCKS_PER_SEC; }

 private:
  std::clock_t started_ = std::clock();
};
