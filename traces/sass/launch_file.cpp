#include "traces/sass/launch_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <stdexcept>

#include "models/support/suggest.h"
#include "models/support/text_file.h"
#include "models/support/yaml_text.h"
#include "traces/sass/architectures.h"
#include "traces/sass/function_choice.h"
#include "traces/sass/launch_arguments.h"
#include "traces/sass/launch_attributes.h"
#include "traces/sass/launch_state.h"
#include "traces/sass/listing_cache.h"
#include "traces/sass/sass_kernel.h"
#include "traces/sass/shared_extent.h"
#include "traces/sass/spared_products.h"

namespace tilescope::sass {
namespace {

// launch__registers_per_thread of a kernel that is compiled to 15; H200.
constexpr std::int64_t kLeastRegisters = 16;

class LaunchFileReader {
 public:
  LaunchFileReader(std::string path, const LaunchReading& how)
      : path_(std::move(path)),
        how_(how),
        limits_(how.limits),
        files_(files_beside(path_, how.within)),
        buffers_(files_, limits_, how.depth == LaunchReading::Depth::whole ? nullptr : how.sizes, result_.memory,
                 errors_) {}

  ReadLaunch read() {
    const auto text = read_text_file(path_);
    if (!text) return {Diagnostics{text.error()}, {}, {}, {}};
    return read(*text);
  }

  ReadLaunch read(const std::string& text) {
    const auto root = parse_yaml(text, path_);
    if (!root) {
      errors_ = {root.error()};
    } else if (!root->IsMap()) {
      errors_ = {{path_, 1, 1,
                  fmt::format("got {}; must be a launch file: a map with kernel, grid, block and args", seen(*root))}};
    } else {
      read_root(*root);
      if (errors_.empty()) finish();
    }
    ReadLaunch read{std::move(errors_), std::move(refused_), std::move(facts_of_launch_), {}};
    if (!read.errors.empty()) read.refused.clear();
    if (read.errors.empty() && read.refused.empty() && how_.depth == LaunchReading::Depth::whole)
      read.launch = std::move(result_);
    return read;
  }

 private:
  void error(const Place& place, std::string message) { errors_.push_back(place.error(std::move(message))); }

  void read_root(const YAML::Node& root) {
    const Place top{path_, 1, 1};
    YamlSection section(root, "", top, errors_);
    const auto* kernel = section.take("kernel");
    const auto* grid = section.take("grid");
    const auto* block = section.take("block");
    const auto* dynamic = section.take("dynamic_smem");
    const auto* args = section.take("args");
    const auto* cluster = section.take("cluster");
    const auto* attributes = section.take("attributes");
    const auto* buffers = section.take("buffers");
    static const std::vector<std::string> known = {"kernel",  "grid",       "block",   "dynamic_smem",
                                                   "cluster", "attributes", "buffers", "args"};
    for (const auto& entry : section.entries())
      if (!entry.known) error(entry.key_place, entry.key + ": unknown key" + did_you_mean(entry.key, known));
    for (const auto& [entry, name] : {std::pair{kernel, "kernel"}, {grid, "grid"}, {block, "block"}})
      if (entry == nullptr) error(top, std::string(name) + ": is missing");
    if (grid != nullptr) read_grid(*grid);
    if (block != nullptr) {
      launch_.block = dimensions(*block, "block", {kMostBlock, kMostBlock, 64});
      if (launch_.block.count() > kMostBlock)
        error(block->key_place,
              fmt::format("block: got {} threads; must be at most {}", launch_.block.count(), kMostBlock));
    }
    if (dynamic != nullptr) launch_.dynamic_smem_bytes = whole(*dynamic, "dynamic_smem", 0, kMostShared);
    arguments_place_ = args != nullptr ? args->key_place : top;
    if (cluster != nullptr) read_cluster(*cluster);
    if (attributes != nullptr) facts_of_launch_.attributes = read_attributes(*attributes, errors_);
    if (buffers != nullptr) buffers_.read_section(buffers->value, place_of(buffers->value, buffers->key_place));
    if (args != nullptr)
      arguments_ = read_arguments(args->value, place_of(args->value, args->key_place), buffers_, errors_);
    buffers_.finish();
    if (kernel != nullptr) read_kernel(*kernel);
  }

  void read_grid(const YamlSection::Entry& entry) {
    const std::size_t errors = errors_.size();
    launch_.grid = dimensions(entry, "grid", {kMostGridX, kMostGridYZ, kMostGridYZ});
    // The product of the largest sizes is just below 2^63.
    if (errors_.size() == errors && static_cast<std::uint64_t>(launch_.grid.count()) > limits_.grid_ctas)
      error(place_of(entry.value, entry.key_place),
            fmt::format("grid: got {} CTAs; {}", launch_.grid.count(), limit_met("grid_ctas", limits_.grid_ctas)));
  }

  void read_cluster(const YamlSection::Entry& entry) {
    const Place place = place_of(entry.value, entry.key_place);
    const Dim3 cluster = dimensions(entry, "cluster", {kMostCluster, kMostCluster, kMostCluster});
    const Dim3& grid = launch_.grid;
    if (cluster.count() > kMostCluster)
      error(place, fmt::format("cluster: got {} CTAs; must be at most {}", cluster.count(), kMostCluster));
    else if (grid.x % cluster.x != 0 || grid.y % cluster.y != 0 || grid.z % cluster.z != 0)
      error(place, fmt::format("cluster: got {} x {} x {}; must divide the grid, {} x {} x {}", cluster.x, cluster.y,
                               cluster.z, grid.x, grid.y, grid.z));
    else
      launch_.cluster = cluster;
    facts_of_launch_.cluster = cluster;
  }

  std::int64_t whole(const YamlSection::Entry& entry, const char* name, std::int64_t least, std::int64_t most) {
    const std::string text = entry.value.IsScalar() ? entry.value.Scalar() : "";
    std::int64_t value = 0;
    const auto [stop, failed] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (text.empty() || failed != std::errc() || stop != text.data() + text.size() || value < least || value > most) {
      error(place_of(entry.value, entry.key_place),
            fmt::format("{}: got {}; must be a whole number from {} to {}", name, seen(entry.value), least, most));
      return least;
    }
    return value;
  }

  Dim3 dimensions(const YamlSection::Entry& entry, const char* name, const std::array<std::int64_t, 3>& most) {
    const Place place = place_of(entry.value, entry.key_place);
    std::array<std::int64_t, 3> sizes = {1, 1, 1};
    const auto read_one = [&](const YAML::Node& node, std::size_t axis) {
      const std::string text = node.IsScalar() ? node.Scalar() : "";
      const auto [stop, failed] = std::from_chars(text.data(), text.data() + text.size(), sizes[axis]);
      if (!text.empty() && failed == std::errc() && stop == text.data() + text.size() && sizes[axis] >= 1 &&
          sizes[axis] <= most[axis])
        return;
      error(place_of(node, place),
            fmt::format("{}: got {}; must be a whole number from 1 to {}", name, seen(node), most[axis]));
      sizes[axis] = 1;
    };
    if (entry.value.IsSequence() && entry.value.size() >= 1 && entry.value.size() <= 3) {
      for (std::size_t i = 0; i < entry.value.size(); ++i) read_one(entry.value[i], i);
    } else if (entry.value.IsScalar()) {
      read_one(entry.value, 0);
    } else {
      error(place, fmt::format("{}: got {}; must be a list of one to three sizes", name, seen(entry.value)));
    }
    return {sizes[0], sizes[1], sizes[2]};
  }

  std::string text_of(const YamlSection::Entry* entry, const char* name) {
    if (entry == nullptr) return {};
    if (entry->value.IsScalar()) return entry->value.Scalar();
    error(place_of(entry->value, entry->key_place),
          fmt::format("kernel.{}: got {}; must be a text", name, seen(entry->value)));
    return {};
  }

  // Where the file that `entry` names lies; "" and an error when it may not be read.
  std::string file_of(const YamlSection::Entry& entry, const char* name) {
    const std::string text = text_of(&entry, name);
    auto path = files_.path_of(text);
    if (path) return *std::move(path);
    error(place_of(entry.value, entry.key_place), fmt::format("kernel.{}: {}", name, path.error()));
    return {};
  }

  void read_kernel(const YamlSection::Entry& entry) {
    if (!entry.value.IsMap())
      return error(place_of(entry.value, entry.key_place),
                   fmt::format("kernel: got {}; must be {{sass: FILE, name: NAME}} or {{cubin: FILE, name: NAME}}",
                               seen(entry.value)));
    YamlSection section(entry.value, "kernel.", place_of(entry.value, entry.key_place), errors_);
    const auto* sass = section.take("sass");
    const auto* cubin = section.take("cubin");
    const auto* name = section.take("name");
    const auto* elf = section.take("elf");
    const auto* arch = section.take("arch");
    const auto* registers = section.take("registers");
    const auto* shared = section.take("static_smem");
    static const std::vector<std::string> known = {"sass", "cubin", "name", "elf", "arch", "registers", "static_smem"};
    for (const auto& other : section.entries())
      if (!other.known)
        error(other.key_place, "kernel." + other.key + ": unknown key" + did_you_mean(other.key, known));
    if ((sass == nullptr) == (cubin == nullptr))
      return error(section.place(),
                   "kernel: must have either sass (text of cuobjdump -sass or nvdisasm -hex) or cubin");
    if (registers != nullptr) registers_ = whole(*registers, "kernel.registers", 1, 255);
    if (shared != nullptr) static_shared_ = whole(*shared, "kernel.static_smem", 0, kMostShared);
    const auto* source = sass != nullptr ? sass : cubin;
    CodeFiles files;
    files.is_cubin = cubin != nullptr;
    files.code = file_of(*source, files.is_cubin ? "cubin" : "sass");
    if (elf != nullptr) files.elf = file_of(*elf, "elf");
    if (files.code.empty() || (elf != nullptr && files.elf.empty())) return;
    auto listing = how_.listings != nullptr ? how_.listings->read(files) : read_code(files, limits_);
    if (!listing) {
      const CodeProblem& problem = listing.error();
      const YamlSection::Entry& at = problem.of_elf ? *elf : *source;
      if (!problem.message.empty())
        error(place_of(at.value, at.key_place),
              fmt::format("kernel.{}: {}: {}",
                          problem.of_elf   ? "elf"
                          : files.is_cubin ? "cubin"
                                           : "sass",
                          in_quotes(problem.of_elf ? files.elf : files.code), problem.message));
      errors_.insert(errors_.end(), problem.lines.begin(), problem.lines.end());
      return;
    }
    code_ = *std::move(listing);
    facts_of_launch_.code = files.code;
    choose(text_of(name, "name"), name != nullptr ? place_of(name->value, name->key_place) : section.place(), arch);
  }

  void choose(const std::string& name, const Place& place, const YamlSection::Entry* arch) {
    int architecture = 0;
    if (arch != nullptr) {
      const std::string text = text_of(arch, "arch");
      architecture = architecture_of(text);
      if (architecture == 0)
        return error(place_of(arch->value, arch->key_place),
                     fmt::format("kernel.arch: got {}; must be one of {}", in_quotes(text), kArchitectures));
    }
    const auto chosen = choose_function(code_->listing, name, architecture);
    if (!chosen) return error(place, "kernel.name: " + chosen.error());
    function_ = *chosen;
    if (!is_known_architecture(function_->architecture)) {
      const std::string said =
          function_->architecture == 0 ? "no architecture" : fmt::format("sm_{}", function_->architecture);
      errors_.push_back({code_->listing.file, function_->line, 1,
                         fmt::format("function {}: the listing says {}; must be one of {}", in_quotes(function_->name),
                                     said, kArchitectures)});
      return;
    }
    facts_ = facts_of(code_->listing.facts, function_->name);
    if (registers_) facts_.registers = registers_;
    launch_.kernel = function_->name;
  }

  void finish() {
    LaunchState state;
    state.grid = launch_.grid;
    state.block = launch_.block;
    state.cluster = launch_.cluster;
    state.limits = limits_;
    const std::vector<DeviceBuffer>& buffers = result_.memory.buffers;
    if (std::any_of(buffers.begin(), buffers.end(), [](const DeviceBuffer& one) { return !one.recorded; }))
      state.unrecorded = std::make_shared<UnrecordedReads>();
    describe();
    if (how_.depth == LaunchReading::Depth::described)
      return fill_constants(state, *function_, facts_, arguments_, arguments_place_, errors_);
    Listing own = code_->listing;  // linking writes names into it
    ListedFunction& kernel = own.functions[static_cast<std::size_t>(function_ - code_->listing.functions.data())];
    const auto linked = link_kernel(own, kernel, module_of_kernel(), facts_, result_.memory);
    if (!linked) {
      refused_.insert(refused_.end(), linked.error().begin(), linked.error().end());
      return;
    }
    fill_constants(state, *function_, facts_, arguments_, arguments_place_, errors_);
    if (!errors_.empty()) return;
    set_constants_address(state, function_->architecture, linked->constants_address);
    auto program = build_sparing_program(*linked, std::move(state), how_.all_values);
    if (!program) {
      refused_.insert(refused_.end(), program.error().begin(), program.error().end());
      return;
    }
    facts_of_launch_.needs_global = program->needs_global;
    if (how_.depth != LaunchReading::Depth::whole || !refused_.empty()) return;
    result_.program = std::move(*program);
    launch_.registers_per_thread = std::max(kLeastRegisters, facts_.registers.value_or(highest_register(*linked) + 1));
    const std::int64_t reserved = reserved_shared();
    std::optional<std::int64_t> shared = static_shared();
    result_.shared_bytes =
        static_cast<std::size_t>(reserved + shared.value_or(kMostShared) + launch_.dynamic_smem_bytes);
    // Nobody says how much it declares: as much as the first CTA touches.
    if (!shared) {
      const auto extent = extent_of_shared_memory();
      if (!extent) return;
      shared = std::clamp<std::int64_t>(*extent - reserved - launch_.dynamic_smem_bytes, 0, kMostShared);
    }
    launch_.static_smem_bytes = *shared;
    launch_.parameters = {{"function", readable_name(function_->name)},
                          {"sm", std::to_string(function_->architecture)},
                          {"instructions", std::to_string(linked->instructions())},
                          {"executed_instructions", std::to_string(result_.program.executed_share)}};
    result_.launch = launch_;
  }

  std::int64_t reserved_shared() const { return function_->architecture >= 90 ? kReservedShared : 0; }

  std::optional<std::int64_t> static_shared() const {
    if (static_shared_ || !facts_.static_shared) return static_shared_;
    return std::max<std::int64_t>(0, *facts_.static_shared - reserved_shared());
  }

  void describe() {
    LaunchFacts& facts = facts_of_launch_;
    facts.launch = launch_;
    facts.launch.registers_per_thread = facts_.registers.value_or(0);
    facts.launch.static_smem_bytes = static_shared().value_or(0);
    for (const Argument& argument : arguments_) facts.arguments.push_back(argument.text);
    facts.buffers = buffers_.facts();
    facts.architecture = function_->architecture;
    facts.instructions = function_->code.size();
  }

  // The ELF image that holds the kernel; without ELF text what nvdisasm printed beside the code.
  const Module& module_of_kernel() const {
    for (const Module& module : code_->modules)
      if ((module.architecture == 0 || module.architecture == function_->architecture) &&
          module.symbols.contains(function_->name))
        return module;
    return code_->modules.empty() ? code_->listing.module : code_->modules.front();
  }

  std::optional<std::int64_t> extent_of_shared_memory() {
    try {
      const Program& program = result_.program.with_products ? *result_.program.with_products : result_.program;
      return shared_extent(program, result_.memory, result_.shared_bytes);
    } catch (const DiagnosticsError& error) {
      errors_ = error.diagnostics();
    } catch (const std::length_error& error) {  // of the pattern table
      errors_.push_back({code_->listing.file, function_->line, 1, error.what()});
    }
    return std::nullopt;
  }

  std::string path_;
  const LaunchReading& how_;
  const Limits& limits_;
  NamedFiles files_;
  Diagnostics errors_, refused_;
  CompiledLaunch result_;
  LaunchBuffers buffers_;
  LaunchFacts facts_of_launch_;
  Launch launch_;
  SharedCode code_;
  const ListedFunction* function_ = nullptr;
  KernelFacts facts_;
  std::optional<std::int64_t> registers_, static_shared_;
  std::vector<Argument> arguments_;
  Place arguments_place_;
};

LaunchReading plainly(bool all_values, const Limits& limits) {
  LaunchReading how;
  how.all_values = all_values;
  how.limits = limits;
  return how;
}

tl::expected<CompiledLaunch, Diagnostics> launch_of(ReadLaunch read) {
  if (!read.errors.empty()) return tl::unexpected(std::move(read.errors));
  if (!read.refused.empty()) return tl::unexpected(std::move(read.refused));
  return std::move(*read.launch);
}

tl::expected<std::unique_ptr<Kernel>, Diagnostics> opened(tl::expected<CompiledLaunch, Diagnostics> compiled) {
  if (!compiled) return tl::unexpected(compiled.error());
  return kernel_of(*std::move(compiled));
}

}  // namespace

ReadLaunch read_launch(const std::string& path, const LaunchReading& how) { return LaunchFileReader(path, how).read(); }

std::unique_ptr<Kernel> kernel_of(CompiledLaunch launch) {
  return std::make_unique<SassKernel>(std::move(launch.program), std::move(launch.launch), std::move(launch.memory),
                                      launch.shared_bytes);
}

tl::expected<CompiledLaunch, Diagnostics> read_launch_file(const std::string& path, bool all_values,
                                                           const Limits& limits) {
  return launch_of(read_launch(path, plainly(all_values, limits)));
}

tl::expected<std::unique_ptr<Kernel>, Diagnostics> open_launch_file(const std::string& path, const Limits& limits,
                                                                    const std::string& within) {
  LaunchReading how = plainly(false, limits);
  how.within = within;
  return opened(launch_of(read_launch(path, how)));
}

tl::expected<std::unique_ptr<Kernel>, Diagnostics> open_launch_text(const std::string& text, const std::string& path,
                                                                    const Limits& limits, const std::string& within) {
  LaunchReading how = plainly(false, limits);
  how.within = within;
  return opened(launch_of(LaunchFileReader(path, how).read(text)));
}

}  // namespace tilescope::sass
