// The command line called as a function, for tests. With TILESCOPE_ASK_PROGRAM, the program started instead.
#pragma once

#ifdef TILESCOPE_ASK_PROGRAM
#include "program_answer.h"
#else
#include <sstream>
#include <string>
#include <vector>

#include "sim/cli/program.h"

struct CliAnswer {
  int code;
  std::string out;
  std::string err;
};

inline CliAnswer ask(const std::vector<std::string>& arguments) {
  std::ostringstream out;
  std::ostringstream err;
  const int code = tilescope::cli::run_program(arguments, out, err);
  return {code, out.str(), err.str()};
}
#endif

// One sentence of what is wrong, nothing on standard output, exit code 2.
inline bool refused(const CliAnswer& answer, const std::string& sentence) {
  return answer.code == 2 && answer.out.empty() && answer.err.find(sentence) != std::string::npos;
}
