#include "sim/studies/calibrate/gpu_file.h"

#include "models/support/spec_hash.h"
#include "models/support/spec_reader.h"
#include "models/support/text_file.h"
#include "sim/studies/calibrate/flat_text.h"

namespace tilescope::calibrate {

tl::expected<GpuFile, Diagnostics> read_gpu_file(const std::string& path) {
  auto text = read_text_file(path);
  if (!text) return tl::unexpected(Diagnostics{text.error()});
  const auto as_written = read_spec_text<GpuSpec>(*text, path);
  if (!as_written) return tl::unexpected(as_written.error());
  auto flat = flat_text(*text, path);
  if (!flat) return tl::unexpected(std::move(flat.error()));
  GpuFile file{path, std::move(*flat), *as_written};
  const auto read_back = spec_with(file, {});
  if (!read_back || config_hash(spec_tree(*read_back)) != config_hash(spec_tree(file.spec)))
    return tl::unexpected(Diagnostics{
        {path, 0, 0, "cannot be put together with its base; must hold, as its base, one 'key: value' a line"}});
  return file;
}

tl::expected<GpuSpec, Diagnostics> spec_with(const GpuFile& file, const std::vector<Override>& values) {
  return read_spec_text<GpuSpec>(file.text, file.path, values);
}

}  // namespace tilescope::calibrate
