#include "traces/kernels/registry.h"

#include <fmt/format.h>

#include <algorithm>

#include "models/support/diagnostic.h"
#include "models/support/suggest.h"
#include "traces/kernels/kernel_entry.h"

namespace tilescope {
namespace {

const std::vector<KernelEntry>& entries() {
  static const std::vector<KernelEntry> all = [] {
    std::vector<KernelEntry> made = gemm_entries();
    std::vector<KernelEntry> memory = memory_entries();
    std::move(memory.begin(), memory.end(), std::back_inserter(made));
    return made;
  }();
  return all;
}

const KernelEntry* find(const std::string& name) {
  const auto found =
      std::find_if(entries().begin(), entries().end(), [&](const KernelEntry& e) { return e.info.name == name; });
  return found == entries().end() ? nullptr : &*found;
}

}  // namespace

std::vector<KernelInfo> builtin_kernels() {
  std::vector<KernelInfo> all;
  for (const KernelEntry& entry : entries()) all.push_back(entry.info);
  return all;
}

bool is_builtin_kernel(const std::string& name) { return find(name) != nullptr; }

tl::expected<std::unique_ptr<Kernel>, std::vector<std::string>> make_kernel(const std::string& name,
                                                                            const ParameterTexts& given) {
  std::vector<std::string> problems;
  const KernelEntry* entry = find(name);
  if (entry == nullptr) {
    std::vector<std::string> names;
    for (const KernelEntry& other : entries()) names.push_back(other.info.name);
    problems.push_back(fmt::format("kernel {}: unknown{}; built in are {}", in_quotes(name), did_you_mean(name, names),
                                   list_of(names, "and")));
    return tl::make_unexpected(std::move(problems));
  }
  const Parameters parameters(entry->info.parameters, given, problems);
  // What depends on several parameters is checked even when one of them is wrong, with its default in its place.
  std::unique_ptr<GeneratedKernel> kernel = entry->make(parameters, problems);
  if (!problems.empty()) return tl::make_unexpected(std::move(problems));
  kernel->set_parameters(parameters.resolved());
  return kernel;
}

}  // namespace tilescope
