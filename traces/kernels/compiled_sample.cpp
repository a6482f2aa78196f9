#include "traces/kernels/compiled_sample.h"

#include <map>
#include <mutex>
#include <stdexcept>
#include <utility>

#include "traces/sass/kernel_facts.h"
#include "traces/sass/launch_state.h"
#include "traces/sass/linked_code.h"
#include "traces/sass/listing.h"
#include "traces/sass/sass_kernel.h"

namespace tilescope {
namespace {

// A listing that is part of the program can only be wrong if the program is.
template <class Value>
Value sound(tl::expected<Value, Diagnostics> read) {
  if (!read) throw std::logic_error(to_string(read.error()));
  return *std::move(read);
}

struct ReadFunction {
  sass::Listing listing;  // of one function
  sass::KernelFacts facts;
};

// Each function is read once; listings live as long as the program.
const ReadFunction& read_function(const CompiledListing& listing, const std::string& name) {
  static std::mutex mutex;
  static std::map<std::pair<const char*, std::string>, ReadFunction> known;
  const std::scoped_lock lock(mutex);
  const auto found = known.find({listing.sass.data(), name});
  if (found != known.end()) return found->second;
  const std::string file = std::string(listing.family) + ".sm_" + std::to_string(listing.architecture);
  ReadFunction made;
  made.listing = sound(sass::read_listing(compiled_function_text(listing, name), file + ".sass"));
  made.facts = sass::facts_of(sound(sass::facts_from_elf_text(std::string(listing.elf), file + ".elf")), name);
  return known.emplace(std::pair(listing.sass.data(), name), std::move(made)).first->second;
}

sass::Argument argument(std::uint64_t value, unsigned bytes) {
  sass::Argument made;
  for (unsigned byte = 0; byte < bytes; ++byte) made.bytes.push_back(static_cast<std::uint8_t>(value >> (8 * byte)));
  return made;
}

std::shared_ptr<const Kernel> open(const SampleLaunch& sample, const ReadFunction& read) {
  const sass::ListedFunction& function = read.listing.functions.front();
  std::vector<sass::Argument> arguments;
  for (const std::uint64_t pointer : sample.pointers) arguments.push_back(argument(pointer, 8));
  for (const std::int32_t number : sample.numbers) arguments.push_back(argument(static_cast<std::uint64_t>(number), 4));
  sass::LaunchState state;
  state.grid = sample.grid;
  state.block = sample.block;
  Diagnostics errors;
  sass::fill_constants(state, function, read.facts, arguments, {}, errors);
  if (!errors.empty()) throw std::logic_error(to_string(errors));
  Launch launch;
  launch.grid = sample.grid;
  launch.block = sample.block;
  sass::Program program = sound(sass::build_program(function, read.listing.file, std::move(state), false));
  return std::make_shared<sass::SassKernel>(
      std::move(program), std::move(launch), sass::DeviceMemory{},
      static_cast<std::size_t>(read.facts.static_shared.value_or(0) + sample.dynamic_smem_bytes));
}

}  // namespace

CompiledSample::CompiledSample(const SampleLaunch& launch) {
  const ReadFunction& read = read_function(*launch.listing, launch.function);
  kernel_ = open(launch, read);
  first_shared_ = launch.listing->architecture >= 90 ? sass::kReservedShared : 0;
  registers_per_thread = read.facts.registers.value_or(0);
  code.assign(kernel_->code().begin(), kernel_->code().end());
  for (Instruction& instruction : code) instruction.line = 0;
}

std::vector<WalkedRun> CompiledSample::walk(int warp) const& {
  std::vector<WalkedRun> runs;
  const auto stream = kernel_->make_stream();
  stream->start(0, warp, Operands::all);
  for (Segment segment; stream->next_run(segment);) {
    WalkedRun run;
    run.first = static_cast<std::uint32_t>(segment.code - kernel_->code().data());
    run.length = segment.length;
    run.repeats = segment.repeats;
    std::size_t operands = 0;
    for (std::uint32_t i = 0; i < segment.length; ++i)
      for (int n = 0; n < memory_operands(segment.code[i].op); ++n, ++operands) {
        const MemoryOperand& operand = segment.operands[operands];
        const bool shared = is_shared(access_of(segment.code[i].op, n));
        run.operands.push_back({operand.base - (shared && operand.pattern != 0 ? first_shared_ : 0),
                                &kernel_->patterns().pattern(operand.pattern)});
        run.advance.push_back(segment.repeats > 1 ? segment.advance[operands] : 0);
      }
    runs.push_back(std::move(run));
  }
  return runs;
}

}  // namespace tilescope
