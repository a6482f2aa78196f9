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
#include "traces/sass/launch_state.h"
#include "traces/sass/listing_source.h"
#include "traces/sass/sass_kernel.h"
#include "traces/sass/shared_extent.h"

namespace tilescope::sass {
namespace {

// launch__registers_per_thread of a kernel that is compiled to 15; H200.
constexpr std::int64_t kLeastRegisters = 16;

class Reader {
 public:
  Reader(std::string path, bool all_values, const Limits& limits)
      : path_(std::move(path)), all_values_(all_values), limits_(limits) {
    const std::size_t slash = path_.rfind('/');
    folder_ = slash == std::string::npos ? "" : path_.substr(0, slash + 1);
  }

  tl::expected<CompiledLaunch, Diagnostics> read() {
    const auto text = read_text_file(path_);
    if (!text) return tl::unexpected(Diagnostics{text.error()});
    return read(*text);
  }

  tl::expected<CompiledLaunch, Diagnostics> read(const std::string& text) {
    const auto root = parse_yaml(text, path_);
    if (!root) return tl::unexpected(Diagnostics{root.error()});
    if (!root->IsMap())
      return tl::unexpected(Diagnostics{
          {path_, 1, 1,
           fmt::format("got {}; must be a launch file: a map with kernel, grid, block and args", seen(*root))}});
    read_root(*root);
    if (!errors_.empty()) return tl::unexpected(errors_);
    finish();
    if (!errors_.empty()) return tl::unexpected(errors_);
    return std::move(result_);
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
    static const std::vector<std::string> known = {"kernel", "grid", "block", "dynamic_smem", "args"};
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
    if (args != nullptr)
      arguments_ = read_arguments(args->value, place_of(args->value, args->key_place), folder_, limits_, result_.memory,
                                  errors_);
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

  std::string beside(const std::string& name) const { return name.starts_with('/') ? name : folder_ + name; }

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
    const std::string path = beside(text_of(source, sass != nullptr ? "sass" : "cubin"));
    const Place place = place_of(source->value, source->key_place);
    auto text = sass != nullptr ? read_listing_file(path, limits_) : disassembled(path, place);
    if (!text) {
      error(place, std::string("kernel.") + (sass != nullptr ? "sass: " : "cubin: ") + quoted(path) + ": " +
                       text.error().message);
      return;
    }
    auto listing = read_listing(*text, path);
    if (!listing) {
      errors_.insert(errors_.end(), listing.error().begin(), listing.error().end());
      return;
    }
    listing_ = std::move(*listing);
    if (elf != nullptr) {
      const std::string elf_path = beside(text_of(elf, "elf"));
      const auto elf_text = read_listing_file(elf_path, limits_);
      if (!elf_text)
        return error(place_of(elf->value, elf->key_place),
                     "kernel.elf: " + quoted(elf_path) + ": " + elf_text.error().message);
      auto facts = facts_from_elf_text(*elf_text, elf_path);
      if (!facts) {
        errors_.insert(errors_.end(), facts.error().begin(), facts.error().end());
        return;
      }
      listing_.facts = std::move(*facts);
      auto modules = modules_from_elf_text(*elf_text, elf_path);
      if (!modules) {
        errors_.insert(errors_.end(), modules.error().begin(), modules.error().end());
        return;
      }
      modules_ = std::move(*modules);
    }
    choose(text_of(name, "name"), name != nullptr ? place_of(name->value, name->key_place) : section.place(), arch);
  }

  tl::expected<std::string, Diagnostic> disassembled(const std::string& path, const Place& place) {
    auto readable = read_listing_file(path, limits_);
    if (!readable) return readable;
    auto text = disassemble(path, limits_);
    if (!text) return tl::unexpected(place.error(text.error()));
    return std::move(*text);
  }

  void choose(const std::string& name, const Place& place, const YamlSection::Entry* arch) {
    int architecture = 0;
    if (arch != nullptr) {
      const std::string text = text_of(arch, "arch");
      architecture = architecture_of(text);
      if (architecture == 0)
        return error(place_of(arch->value, arch->key_place),
                     fmt::format("kernel.arch: got {}; must be one of {}", quoted(text), kArchitectures));
    }
    const auto chosen = choose_function(listing_, name, architecture);
    if (!chosen) return error(place, "kernel.name: " + chosen.error());
    function_ = &listing_.functions[static_cast<std::size_t>(*chosen - listing_.functions.data())];
    if (!is_known_architecture(function_->architecture)) {
      const std::string said =
          function_->architecture == 0 ? "no architecture" : fmt::format("sm_{}", function_->architecture);
      errors_.push_back({listing_.file, function_->line, 1,
                         fmt::format("function {}: the listing says {}; must be one of {}", quoted(function_->name),
                                     said, kArchitectures)});
      return;
    }
    facts_ = facts_of(listing_.facts, function_->name);
    if (registers_) facts_.registers = registers_;
    launch_.kernel = function_->name;
  }

  void finish() {
    LaunchState state;
    state.grid = launch_.grid;
    state.block = launch_.block;
    state.limits = limits_;
    const auto linked = link_kernel(listing_, *function_, module_of_kernel(), facts_, result_.memory);
    if (!linked) {
      errors_ = linked.error();
      return;
    }
    fill_constants(state, *function_, facts_, arguments_, arguments_place_, errors_);
    if (!errors_.empty()) return;
    set_constants_address(state, function_->architecture, linked->constants_address);
    const std::int64_t reserved = function_->architecture >= 90 ? kReservedShared : 0;
    auto program = build_program(*linked, std::move(state), all_values_);
    if (!program) {
      errors_ = program.error();
      return;
    }
    result_.program = std::move(*program);
    launch_.registers_per_thread = std::max(kLeastRegisters, facts_.registers.value_or(highest_register(*linked) + 1));
    std::optional<std::int64_t> shared = static_shared_;
    if (!shared && facts_.static_shared) shared = std::max<std::int64_t>(0, *facts_.static_shared - reserved);
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

  // The ELF image that holds the kernel; without ELF text what nvdisasm printed beside the code.
  const Module& module_of_kernel() const {
    for (const Module& module : modules_)
      if ((module.architecture == 0 || module.architecture == function_->architecture) &&
          module.symbols.contains(function_->name))
        return module;
    return modules_.empty() ? listing_.module : modules_.front();
  }

  std::optional<std::int64_t> extent_of_shared_memory() {
    try {
      return shared_extent(result_.program, result_.memory, result_.shared_bytes);
    } catch (const DiagnosticsError& error) {
      errors_ = error.diagnostics();
    } catch (const std::length_error& error) {  // of the pattern table
      errors_.push_back({listing_.file, function_->line, 1, error.what()});
    }
    return std::nullopt;
  }

  std::string path_, folder_;
  bool all_values_;
  const Limits& limits_;
  Diagnostics errors_;
  CompiledLaunch result_;
  Launch launch_;
  Listing listing_;
  std::vector<Module> modules_;  // of the ELF text
  ListedFunction* function_ = nullptr;
  KernelFacts facts_;
  std::optional<std::int64_t> registers_, static_shared_;
  std::vector<Argument> arguments_;
  Place arguments_place_;
};

tl::expected<std::unique_ptr<Kernel>, Diagnostics> kernel_of(tl::expected<CompiledLaunch, Diagnostics> compiled) {
  if (!compiled) return tl::unexpected(compiled.error());
  return std::make_unique<SassKernel>(std::move(compiled->program), std::move(compiled->launch),
                                      std::move(compiled->memory), compiled->shared_bytes);
}

}  // namespace

tl::expected<CompiledLaunch, Diagnostics> read_launch_file(const std::string& path, bool all_values,
                                                           const Limits& limits) {
  return Reader(path, all_values, limits).read();
}

tl::expected<std::unique_ptr<Kernel>, Diagnostics> open_launch_file(const std::string& path, const Limits& limits) {
  return kernel_of(read_launch_file(path, false, limits));
}

tl::expected<std::unique_ptr<Kernel>, Diagnostics> open_launch_text(const std::string& text, const std::string& path,
                                                                    const Limits& limits) {
  return kernel_of(Reader(path, false, limits).read(text));
}

}  // namespace tilescope::sass
