#include <iostream>
#include <string>
#include <vector>

#include "sim/cli/huge_heap.h"
#include "sim/cli/interrupt.h"
#include "sim/cli/program.h"

int main(int count, char** words) {
  std::ios::sync_with_stdio(false);
  tilescope::cli::use_huge_heap();
  tilescope::cli::clean_up_when_interrupted();
  return tilescope::cli::run_program(std::vector<std::string>(words + 1, words + count), std::cout, std::cerr);
}
