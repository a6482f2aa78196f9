#include "sim/studies/sweep/study_kernel.h"

#include <fmt/format.h>

#include <filesystem>
#include <fstream>

#include "models/support/content_hash.h"
#include "models/support/suggest.h"
#include "models/support/text_file.h"
#include "models/support/yaml_text.h"
#include "traces/bundle/bundle.h"
#include "traces/kernels/registry.h"
#include "traces/open_kernel.h"

namespace tilescope::sweep {
namespace {

namespace fs = std::filesystem;

void add_file(ContentHash& hash, const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::string block(std::size_t{1} << 16U, '\0');
  while (in) {
    in.read(block.data(), static_cast<std::streamsize>(block.size()));
    hash.add({block.data(), static_cast<std::size_t>(in.gcount())});
  }
  hash.add("\n");
}

// The files that a launch file names: its listing, its buffers' contents.
void add_named_files(ContentHash& hash, const YAML::Node& node, const fs::path& folder) {
  if (node.IsScalar()) {
    const fs::path path = folder / node.Scalar();
    std::error_code error;
    if (!node.Scalar().empty() && fs::is_regular_file(path, error)) add_file(hash, path);
    return;
  }
  for (const auto& child : node) add_named_files(hash, node.IsMap() ? child.second : child, folder);
}

// Of a file, and of the files that a launch file names.
std::string content_hash(const StudyKernel& kernel) {
  ContentHash hash;
  add_file(hash, kernel.path);
  if (kernel.kind == KernelKind::trace) return hash.text();
  const auto text = read_text_file(kernel.path);
  const auto root = text ? parse_yaml(*text, kernel.path) : tl::unexpected(text.error());
  if (root) add_named_files(hash, *root, fs::path(kernel.path).parent_path());
  return hash.text();
}

Diagnostics unknown(const std::string& label, const std::vector<std::string>& names) {
  std::vector<std::string> accepted = names;
  accepted.insert(accepted.end(), {"a launch file (.yaml)", "a trace (.tst)"});
  return {{"", 0, 0,
           fmt::format("unknown kernel {}{}; must be {}", tilescope::in_quotes(label), did_you_mean(label, names),
                       list_of(accepted))}};
}

}  // namespace

std::string launch_content_hash(const std::string& text, const std::string& path) {
  ContentHash hash;
  hash.add(text + "\n");
  if (const auto root = parse_yaml(text, path)) add_named_files(hash, *root, fs::path(path).parent_path());
  return hash.text();
}

tl::expected<StudyKernel, Diagnostics> open_study_kernel(const std::string& label, const std::string& path) {
  StudyKernel kernel;
  kernel.label = label;
  std::vector<std::string> names;
  for (KernelInfo& info : builtin_kernels()) {
    names.push_back(info.name);
    if (info.name == label) kernel.parameters = std::move(info.parameters);
  }
  kernel.kind = is_builtin_kernel(label) ? KernelKind::builtin : kernel_kind(path);
  if (kernel.kind == KernelKind::builtin && !is_builtin_kernel(label)) return tl::unexpected(unknown(label, names));
  if (kernel.kind == KernelKind::builtin) return kernel;
  auto opened = open_kernel(path);
  if (!opened) return tl::unexpected(opened.error());
  kernel.opened = std::move(*opened);
  kernel.path = path;
  if (const auto name = bundle::bundle_name(path); kernel.kind == KernelKind::bundle && name) {
    const auto file = bundle::single_launch_file(*name);
    if (!file) return tl::unexpected(file.error());
    kernel.path = *file;
  }
  kernel.content_hash = content_hash(kernel);
  return kernel;
}

}  // namespace tilescope::sweep
