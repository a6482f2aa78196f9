#include "sim/studies/sweep/study_kernel.h"

#include <fmt/format.h>

#include <filesystem>
#include <fstream>

#include "models/support/suggest.h"
#include "models/support/text_file.h"
#include "models/support/yaml_text.h"
#include "sim/studies/sweep/text_hash.h"
#include "traces/file/trace_reader.h"
#include "traces/kernels/registry.h"
#include "traces/sass/launch_file.h"

namespace tilescope::sweep {
namespace {

namespace fs = std::filesystem;

void add_file(TextHash& hash, const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::string block(std::size_t{1} << 16U, '\0');
  while (in) {
    in.read(block.data(), static_cast<std::streamsize>(block.size()));
    hash.add({block.data(), static_cast<std::size_t>(in.gcount())});
  }
  hash.add("\n");
}

// The files that a launch file names: its listing, its buffers' contents.
void add_named_files(TextHash& hash, const YAML::Node& node, const fs::path& folder) {
  if (node.IsScalar()) {
    const fs::path path = folder / node.Scalar();
    std::error_code error;
    if (!node.Scalar().empty() && fs::is_regular_file(path, error)) add_file(hash, path);
    return;
  }
  for (const auto& child : node) add_named_files(hash, node.IsMap() ? child.second : child, folder);
}

Diagnostics sentence(const std::string& text) { return {{"", 0, 0, text}}; }

tl::expected<StudyKernel, Diagnostics> launch_file(StudyKernel kernel) {
  kernel.kind = KernelKind::launch_file;
  auto opened = sass::open_launch_file(kernel.path);
  if (!opened) return tl::unexpected(opened.error());
  kernel.opened = std::move(*opened);
  TextHash hash;
  add_file(hash, kernel.path);
  const auto text = read_text_file(kernel.path);
  const auto root = text ? parse_yaml(*text, kernel.path) : tl::unexpected(text.error());
  if (root) add_named_files(hash, *root, fs::path(kernel.path).parent_path());
  kernel.content_hash = hash.text();
  return kernel;
}

tl::expected<StudyKernel, Diagnostics> trace(StudyKernel kernel) {
  kernel.kind = KernelKind::trace;
  try {
    kernel.opened = open_trace(kernel.path);
  } catch (const std::exception& error) {
    return tl::unexpected(sentence(error.what()));
  }
  TextHash hash;
  add_file(hash, kernel.path);
  kernel.content_hash = hash.text();
  return kernel;
}

}  // namespace

tl::expected<StudyKernel, Diagnostics> open_study_kernel(const std::string& label, const std::string& path) {
  StudyKernel kernel;
  kernel.label = label;
  kernel.path = path;
  if (label.ends_with(".yaml") || label.ends_with(".yml")) return launch_file(std::move(kernel));
  if (label.ends_with(".tst")) return trace(std::move(kernel));
  std::vector<std::string> names;
  for (KernelInfo& info : builtin_kernels()) {
    if (info.name == label) {
      kernel.path.clear();
      kernel.parameters = std::move(info.parameters);
      return kernel;
    }
    names.push_back(info.name);
  }
  std::vector<std::string> accepted = names;
  accepted.insert(accepted.end(), {"a launch file (.yaml)", "a trace (.tst)"});
  return tl::unexpected(sentence(fmt::format("unknown kernel {}{}; must be {}", tilescope::quoted(label),
                                             did_you_mean(label, names), list_of(accepted))));
}

}  // namespace tilescope::sweep
