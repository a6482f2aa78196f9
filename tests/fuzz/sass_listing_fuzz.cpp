// Any text as a listing: it is read, every function is decoded, and the first CTA of each is executed within limits.
// A text that begins with a line "code sm_90" is short for one: an instruction a line, with the second word of its
// encoding behind ';', without addresses. So a mutation of one line leaves the others a listing.
#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string>
#include <string_view>

#include "models/support/diagnostic.h"
#include "traces/kernels/device_buffers.h"
#include "traces/sass/architectures.h"
#include "traces/sass/cta_executor.h"
#include "traces/sass/launch_state.h"

using namespace tilescope;
using namespace tilescope::sass;

namespace {

constexpr std::size_t kMostFunctions = 4;
constexpr std::size_t kShared = 4096;

Limits small_limits() {
  Limits limits;
  limits.function_instructions = 20'000;
  limits.warp_instructions = 1000;
  limits.cta_instructions = 4000;
  limits.written_bytes = std::uint64_t{16} << 20U;
  return limits;
}

DeviceMemory one_buffer() {
  DeviceBuffer buffer;
  buffer.base = DeviceBuffers::kFirst;
  buffer.size = 65'536;
  for (int i = 0; i < 4096; ++i) buffer.bytes.push_back(static_cast<std::uint8_t>(i * 7));
  DeviceMemory memory;
  memory.buffers = {buffer};
  return memory;
}

// Three pointers into one buffer and three numbers, as most kernels take.
LaunchState launch_of(const ListedFunction& function, const KernelFacts& facts) {
  LaunchState launch;
  launch.block = {40, 2, 1};  // the last warp has 16 lanes
  launch.limits = small_limits();
  std::vector<Argument> arguments;
  for (int i = 0; i < 6; ++i) {
    Argument argument;
    const std::uint64_t value = i < 3 ? DeviceBuffers::kFirst + 4096U * static_cast<unsigned>(i) : 64;
    for (unsigned byte = 0; byte < (i < 3 ? 8 : 4); ++byte)
      argument.bytes.push_back(static_cast<std::uint8_t>(value >> (8 * byte)));
    arguments.push_back(argument);
  }
  Diagnostics mismatches;  // with what the listing says of parameters
  fill_constants(launch, function, facts, arguments, {}, mismatches);
  return launch;
}

std::string listing_of(std::string_view text) {
  constexpr std::string_view kShort = "code sm_";
  const std::size_t first = text.find('\n');
  if (!text.starts_with(kShort) || first == std::string_view::npos) return std::string(text);
  std::string listing = fmt::format("code for {}\nFunction : f\n", text.substr(5, first - 5));
  text.remove_prefix(first + 1);
  for (unsigned address = 0; !text.empty(); address += 16) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    const std::size_t end = std::min(line.find(';'), line.size());
    const std::string_view word = line.substr(std::min(end + 1, line.size()));
    fmt::format_to(std::back_inserter(listing), "/*{:04x}*/ {} ; /* 0x{:016x} */\n/* 0x{} */\n", address,
                   line.substr(0, end), 0, word.size() == 16 ? word : "000fe20000000000");
  }
  return listing;
}

void execute(const Program& program, DeviceMemory& memory) {
  PatternTable patterns;
  Resident resident;
  try {
    CtaExecutor executor(program, patterns, memory, kShared, false, resident);
    executor.start(0);
    executor.run_to_end();
  } catch (const DiagnosticsError&) {
    // A misaligned address, a loop without an end, lanes that wait for ever.
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text = listing_of({reinterpret_cast<const char*>(data), size});
  auto listing = read_listing(text, "fuzz.sass");
  if (!listing) return 0;
  for (std::size_t i = 0; i < std::min(kMostFunctions, listing->functions.size()); ++i) {
    ListedFunction& function = listing->functions[i];
    for (const bool all_values : {false, true}) {
      DeviceMemory memory = one_buffer();
      KernelFacts facts = facts_of(listing->facts, function.name);
      const auto linked = link_kernel(*listing, function, listing->module, facts, memory);
      if (!linked) continue;
      const auto program = build_program(*linked, launch_of(function, facts), all_values);
      if (program) execute(*program, memory);
    }
  }
  return 0;
}
