#include "sim/studies/calibrate/gpu_file.h"

#include "models/support/spec_reader.h"
#include "models/support/text_file.h"

namespace tilescope::calibrate {

tl::expected<GpuFile, Diagnostics> read_gpu_file(const std::string& path) {
  auto text = read_text_file(path);
  if (!text) return tl::unexpected(Diagnostics{text.error()});
  GpuFile file{path, std::move(*text), {}};
  auto spec = spec_with(file, {});
  if (!spec) return tl::unexpected(std::move(spec.error()));
  file.spec = std::move(*spec);
  return file;
}

tl::expected<GpuSpec, Diagnostics> spec_with(const GpuFile& file, const std::vector<Override>& values) {
  return read_spec_text<GpuSpec>(file.text, file.path, values);
}

}  // namespace tilescope::calibrate
