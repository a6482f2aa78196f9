#include "traces/sass/launch_state.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <utility>

#include "traces/sass/address_windows.h"
#include "traces/sass/limits.h"
#include "traces/sass/parsed_instruction.h"

namespace tilescope::sass {
namespace {

void put_word(std::vector<std::uint8_t>& bank, std::size_t at, std::uint64_t value) {
  for (unsigned byte = 0; byte < 4; ++byte) bank[at + byte] = static_cast<std::uint8_t>(value >> (8 * byte));
}

// What compiled code reads of bank 0 where it asks for a place in a cluster or for the address of a parameter; CUDA
// 13.0: whether there are clusters, their sizes, and one by them as FP32, how many there are, their CTAs.
void fill_cluster(const LaunchState& state, std::vector<std::uint8_t>& bank) {
  const Dim3& size = state.cluster;
  const std::int64_t sizes[] = {size.x, size.y, size.z};
  const std::int64_t clusters[] = {state.grid.x / size.x, state.grid.y / size.y, state.grid.z / size.z};
  put_word(bank, 0x140, size.count() > 1 ? 1 : 0);
  for (std::size_t i = 0; i < std::size(sizes); ++i) {
    put_word(bank, 0x144 + 4 * i, static_cast<std::uint64_t>(sizes[i]));
    put_word(bank, 0x150 + 4 * i, std::bit_cast<std::uint32_t>(1.0F / static_cast<float>(sizes[i])));
    put_word(bank, 0x15c + 4 * i, static_cast<std::uint64_t>(clusters[i]));
  }
  put_word(bank, 0x188, static_cast<std::uint64_t>(size.count()));
  for (const auto& [at, offset] : {std::pair<std::size_t, std::uint64_t>{0xc0, 0}, {0x198, 0x210}}) {
    put_word(bank, at, kParameterWindow + offset);
    put_word(bank, at + 4, (kParameterWindow + offset) >> 32U);
  }
}

}  // namespace

void fill_constants(LaunchState& state, const ListedFunction& function, const KernelFacts& facts,
                    const std::vector<Argument>& arguments, const Place& place, Diagnostics& errors) {
  state.constants = facts.constants;
  std::vector<std::uint8_t>& bank = state.constants[0];
  bank.assign(kConstantBankBytes, 0);
  const std::int64_t sizes[] = {state.block.x, state.block.y, state.block.z, state.grid.x, state.grid.y, state.grid.z};
  for (std::size_t i = 0; i < std::size(sizes); ++i) put_word(bank, 4 * i, static_cast<std::uint64_t>(sizes[i]));
  put_word(bank, 0x18, kSharedWindow);
  put_word(bank, 0x1c, kSharedWindow >> 32U);
  put_word(bank, 0x20, kLocalWindow);
  put_word(bank, 0x24, kLocalWindow >> 32U);
  put_word(bank, 0x28, kLocalBytes);
  if (function.architecture >= 90) fill_cluster(state, bank);

  if (!facts.parameters.empty() && facts.parameters.size() != arguments.size())
    errors.push_back(place.error(fmt::format("args: got {}; must be {}, the number of the kernel's parameters",
                                             arguments.size(), facts.parameters.size())));
  const std::uint32_t base = facts.parameter_base.value_or(function.architecture >= 90 ? 0x210 : 0x160);
  std::uint64_t next = 0;
  for (std::uint32_t i = 0; i < arguments.size(); ++i) {
    const std::uint64_t bytes = arguments[i].bytes.size();
    if (bytes == 0) continue;  // an error has been reported
    std::uint64_t offset = (next + bytes - 1) / bytes * bytes;
    if (const auto known = facts.parameters.find(i); known != facts.parameters.end()) {
      offset = known->second.offset;
      if (known->second.bytes != bytes)
        errors.push_back(arguments[i].place.error(fmt::format("args: parameter {} has {} byte, this argument {}{}",
                                                              i + 1, known->second.bytes, bytes,
                                                              known->second.bytes == 8 ? "; {i64: n} has 8" : "")));
    }
    next = offset + bytes;
    if (next > kMostArgumentBytes || base + next > bank.size()) {
      errors.push_back(arguments[i].place.error(fmt::format(
          "args: the arguments have more than {} byte, all that a kernel's parameters can have", kMostArgumentBytes)));
      return;
    }
    std::copy(arguments[i].bytes.begin(), arguments[i].bytes.end(),
              bank.begin() + static_cast<std::ptrdiff_t>(base + offset));
  }
}

void set_constants_address(LaunchState& state, int architecture, std::uint64_t address) {
  const std::size_t place = architecture >= 90 ? 0xd0 : 0x50;  // CUDA 13.0
  put_word(state.constants[0], place, address);
  put_word(state.constants[0], place + 4, address >> 32U);
}

int highest_register(const LinkedCode& code) {
  int highest = 0;
  const auto look_at = [&highest](const ListedInstruction& listed) {
    const auto parsed = parse_instruction(listed);
    if (!parsed) return;
    for (const Operand& operand : parsed->operands) {
      if (operand.kind == Operand::Kind::reg && operand.reg < kRZ) highest = std::max<int>(highest, operand.reg);
      for (const AddressTerm& term : operand.terms)
        if (term.reg < kRZ) highest = std::max<int>(highest, term.reg + 1);
    }
  };
  for (const LinkedFunction& function : code.functions)
    for (const ListedInstruction& listed : function.listed->code) look_at(listed);
  return highest;
}

}  // namespace tilescope::sass
