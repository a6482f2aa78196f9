// Instructions as gpu/instructions writes them down, for the tests that hold the model to what it measured.
#pragma once

#include <doctest/doctest.h>

#include <cstdint>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "hand_made_kernel.h"
#include "traces/sass/register_reads.h"

namespace tilescope::test {

inline std::vector<std::string> parts(const std::string& text, char separator) {
  std::vector<std::string> all;
  std::istringstream stream(text);
  for (std::string part; std::getline(stream, part, separator);) {
    part.erase(0, part.find_first_not_of(' '));
    if (!part.empty()) all.push_back(part);
  }
  return all;
}

inline OpClass class_of(const std::string& mnemonic) {
  static const std::map<std::string, OpClass> classes = {{"FFMA", OpClass::fma},
                                                         {"FADD", OpClass::fma},
                                                         {"FMUL", OpClass::fma},
                                                         {"IMAD", OpClass::imad},
                                                         {"LOP3", OpClass::alu},
                                                         {"IMAD.WIDE", OpClass::imad_wide},
                                                         {"HADD2", OpClass::half},
                                                         {"HFMA2", OpClass::half},
                                                         {"HFMA2.MMA", OpClass::half_tensor},
                                                         {"DFMA", OpClass::fp64},
                                                         {"MUFU.EX2", OpClass::xu},
                                                         {"HMMA.16816.F32", OpClass::tensor},
                                                         {"HMMA.1688.F32", OpClass::tensor},
                                                         {"NOP", OpClass::nop},
                                                         {"CLOCK", OpClass::alu},
                                                         {"BRA.NEVER", OpClass::branch},
                                                         {"LDC", OpClass::constant_load},
                                                         {"SHFL.BFLY", OpClass::shuffle}};
  static const std::map<std::string, OpClass> memory = {{"LDS", OpClass::shared_load},
                                                        {"STS", OpClass::shared_store},
                                                        {"LDG", OpClass::global_load},
                                                        {"STG", OpClass::global_store}};
  if (const auto access = memory.find(mnemonic.substr(0, 3)); access != memory.end()) return access->second;
  const auto found = classes.find(mnemonic);
  REQUIRE_MESSAGE(found != classes.end(), mnemonic);
  return found->second;
}

inline int bytes_of(const std::string& mnemonic) {
  return mnemonic.ends_with(".128") ? 16 : mnemonic.ends_with(".64") ? 8 : 4;
}

// `FFMA 120 12.reuse 15 17 +4 ~ >0 <01`, see gpu/instructions/measure.py and rows.py. `pitch`: bytes from the address
// of a lane to that of the next.
inline Step step_of(const std::string& text, sass::ReuseCache& reuse, std::uint64_t pitch = 0) {
  const auto words = parts(text, ' ');
  Step made = step(class_of(words[0]));
  std::string listed = words[0] + " ";
  const char* separator = "";
  for (std::size_t i = 1; i < words.size(); ++i) {
    const std::string value = words[i].substr(1);
    switch (words[i][0]) {
      case '+':
        made.instruction.stall = static_cast<std::uint8_t>(std::stoi(value));
        break;
      case '~':
        made.instruction.yield = 1;
        break;
      case '>':
        made.instruction.write_scoreboard = static_cast<std::uint8_t>(std::stoi(value));
        break;
      case '^':
        made.instruction.read_scoreboard = static_cast<std::uint8_t>(std::stoi(value));
        break;
      case '<':
        for (const char one : value)
          made.instruction.wait_mask = static_cast<std::uint8_t>(made.instruction.wait_mask | 1U << (one - '0'));
        break;
      default:
        listed += separator + (words[i] == "255" ? "RZ" : "R" + words[i]);
        separator = ", ";
    }
  }
  const auto bank_of = [](int reg) {  // of the single register of a load or store
    return register_reads({.count = reg % 2 == 0 ? 1 : 0}, {.count = reg % 2});
  };
  switch (made.instruction.op) {
    case OpClass::tensor:
      made.instruction.work = words[0] == "HMMA.16816.F32" ? 8 : 4;
      break;
    case OpClass::shared_load:
    case OpClass::shared_store:
      if (made.instruction.op == OpClass::shared_load) made.instruction.register_reads = bank_of(0);  // A: even
      made.accesses = {strided(0, pitch, bytes_of(words[0]))};
      break;
    case OpClass::global_load:
    case OpClass::global_store:
      if (words[0] == "STG") made.instruction.register_reads = bank_of(std::stoi(words[2]));
      made.accesses = {strided(1U << 30U, pitch, bytes_of(words[0]))};
      break;
    case OpClass::nop:
    case OpClass::branch:
    case OpClass::constant_load:
    case OpClass::shuffle:
    case OpClass::xu:
      break;
    default: {
      if (words[0] == "CLOCK") break;
      sass::ListedInstruction line;
      line.text = listed + (words[0] == "LOP3" ? ", 0x96, !PT" : "");
      const auto parsed = sass::parse_instruction(line);
      REQUIRE_MESSAGE(parsed, line.text);
      made.instruction.register_reads = reuse.reads_of(*parsed);
    }
  }
  return made;
}

}  // namespace tilescope::test
