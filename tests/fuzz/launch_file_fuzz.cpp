// Any text as a launch file beside the samples: it is read, and the first warps of its kernel give their instructions.
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "models/support/diagnostic.h"
#include "tests/fuzz/source_dir.h"
#include "traces/sass/launch_file.h"

using namespace tilescope;

namespace {

sass::Limits small_limits() {
  sass::Limits limits;
  limits.listing_bytes = std::uint64_t{1} << 20U;
  limits.warp_instructions = 2000;
  limits.cta_instructions = 10'000;
  limits.buffer_bytes = std::uint64_t{1} << 20U;
  limits.written_bytes = std::uint64_t{16} << 20U;
  return limits;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  const auto kernel = sass::open_launch_text(text, fuzz::source_file("traces/samples/sass/fuzz.yaml"), small_limits());
  if (!kernel) return 0;
  try {
    const auto stream = (*kernel)->make_stream();
    for (int warp = 0; warp < 2 && warp < (*kernel)->launch().warps_per_cta(); ++warp) {
      stream->start((*kernel)->launch().grid.count() - 1, warp, Operands::all);
      for (Segment segment; stream->next(segment);) {
      }
    }
  } catch (const DiagnosticsError&) {
    // An address or a loop that the arguments lead to.
  }
  return 0;
}
