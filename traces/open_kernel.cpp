#include "traces/open_kernel.h"

#include <fmt/format.h>

#include "traces/bundle/bundle.h"
#include "traces/file/trace_reader.h"
#include "traces/kernels/registry.h"
#include "traces/sass/launch_file.h"

namespace tilescope {
namespace {

using Opened = tl::expected<std::unique_ptr<Kernel>, Diagnostics>;

Opened built_in(const std::string& name, const ParameterTexts& parameters) {
  auto kernel = make_kernel(name, parameters);
  if (kernel) return std::move(*kernel);
  Diagnostics errors;
  for (const std::string& problem : kernel.error()) errors.push_back({name, 0, 0, problem});
  return tl::unexpected(std::move(errors));
}

Opened trace(const std::string& path) {
  try {
    return open_trace(path);
  } catch (const DiagnosticsError& error) {
    return tl::unexpected(error.diagnostics());
  }
}

std::string kind_text(KernelKind kind) {
  return kind == KernelKind::trace ? "a trace" : kind == KernelKind::bundle ? "a bundle" : "a launch file";
}

}  // namespace

KernelKind kernel_kind(const std::string& name) {
  if (is_builtin_kernel(name)) return KernelKind::builtin;
  if (bundle::bundle_name(name)) return KernelKind::bundle;
  if (name.ends_with(".yaml") || name.ends_with(".yml")) return KernelKind::launch_file;
  return name.ends_with(".tst") || is_trace(name) ? KernelKind::trace : KernelKind::builtin;
}

Opened open_kernel(const std::string& name, const ParameterTexts& parameters, const sass::Limits& limits) {
  const KernelKind kind = kernel_kind(name);
  if (kind == KernelKind::builtin) return built_in(name, parameters);
  if (!parameters.empty())
    return tl::unexpected(
        Diagnostics{{name, 0, 0,
                     fmt::format("got the parameter {}={}; {} has no parameters to set", parameters.begin()->first,
                                 parameters.begin()->second, kind_text(kind))}});
  if (kind == KernelKind::bundle) {
    const auto name_of = bundle::bundle_name(name);
    const auto file = bundle::single_launch_file(*name_of);
    if (!file) return tl::unexpected(file.error());
    return sass::open_launch_file(*file, limits, name_of->folder);
  }
  return kind == KernelKind::trace ? trace(name) : sass::open_launch_file(name, limits);
}

Opened open_kernel_text(const std::string& launch, const std::string& path, const std::string& within) {
  return sass::open_launch_text(launch, path, {}, within);
}

std::string joined_messages(const Diagnostics& diagnostics) {
  std::string text;
  for (const Diagnostic& diagnostic : diagnostics) text += (text.empty() ? "" : "; ") + diagnostic.message;
  return text;
}

}  // namespace tilescope
