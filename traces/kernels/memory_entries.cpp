// The memory kernels as the registry knows them.
#include <fmt/format.h>

#include "traces/kernels/copy.h"
#include "traces/kernels/kernel_entry.h"
#include "traces/kernels/pointer_chase.h"
#include "traces/kernels/reread.h"
#include "traces/kernels/transpose.h"

namespace tilescope {
namespace {

constexpr std::int64_t kMostBytes = std::int64_t{64} << 30U;

void must_be_multiple(std::vector<std::string>& problems, const Parameters& p, const char* what, std::int64_t of,
                      const char* of_what) {
  if (p.number(what) % of != 0)
    problems.push_back(
        fmt::format("parameter {}: got {}; must be a multiple of {}={}", what, p.number(what), of_what, of));
}

std::unique_ptr<GeneratedKernel> pointer_chase(const Parameters& p, std::vector<std::string>& problems) {
  must_be_multiple(problems, p, "stride", 8, "pointer size");
  if (p.number("bytes") < p.number("stride"))
    problems.push_back(
        fmt::format("parameter bytes: got {}; must be at least stride={}", p.number("bytes"), p.number("stride")));
  if (!problems.empty()) return nullptr;
  return std::make_unique<PointerChase>(PointerChaseSpec{.bytes = p.number("bytes"),
                                                         .stride = p.number("stride"),
                                                         .steps = p.number("steps"),
                                                         .cached = p.flag("cached")});
}

std::unique_ptr<GeneratedKernel> reread(const Parameters& p, std::vector<std::string>& problems) {
  const std::string& form = p.word("form");
  RereadSpec spec{.form = form == "shared_set"      ? RereadForm::shared_set
                          : form == "per_sm_buffer" ? RereadForm::per_sm_buffer
                                                    : RereadForm::cyclic,
                  .bytes = p.number("bytes"),
                  .chunk = p.number("chunk"),
                  .ctas = p.number("ctas"),
                  .threads = p.number("threads"),
                  .passes = p.number("passes"),
                  .width = p.number("width"),
                  .cached = p.flag("cached")};
  must_be_multiple(problems, p, "bytes", spec.width, "width");
  if (spec.form == RereadForm::shared_set) {
    must_be_multiple(problems, p, "chunk", spec.width, "width");
    if (spec.bytes > spec.chunk) must_be_multiple(problems, p, "bytes", spec.chunk, "chunk");
  }
  if (!problems.empty()) return nullptr;
  return std::make_unique<Reread>(spec);
}

std::unique_ptr<GeneratedKernel> copy(const Parameters& p, std::vector<std::string>& problems) {
  const std::int64_t width = p.number("width");
  must_be_multiple(problems, p, "bytes", width, "width");
  if (!problems.empty()) return nullptr;
  return std::make_unique<Copy>(
      CopySpec{.elements = p.number("bytes") / width, .width = width, .threads = p.number("threads")});
}

std::unique_ptr<GeneratedKernel> strided(const Parameters& p, std::vector<std::string>& problems) {
  if (!problems.empty()) return nullptr;
  return std::make_unique<Copy>(CopySpec{.name = "strided",
                                         .elements = p.number("elements"),
                                         .width = p.number("width"),
                                         .stride = p.number("stride"),
                                         .threads = p.number("threads"),
                                         .store = false});
}

std::unique_ptr<GeneratedKernel> transpose(const Parameters& p, std::vector<std::string>& problems) {
  const std::string& form = p.word("form");
  const TransposeSpec spec{.rows = p.number("M"),
                           .columns = p.number("N"),
                           .tile = p.small("tile"),
                           .block_rows = p.small("block_rows"),
                           .form = form == "naive"         ? TransposeForm::naive
                                   : form == "naive_write" ? TransposeForm::naive_write
                                                           : TransposeForm::tiled,
                           .pad = p.small("pad"),
                           .swizzle = p.word("swizzle") == "xor",
                           .raster = *raster_from(p.word("raster")),
                           .group = p.number("group")};
  must_be_multiple(problems, p, "tile", spec.block_rows, "block_rows");
  if (spec.swizzle && (spec.tile & (spec.tile - 1)) != 0)
    problems.push_back(fmt::format("parameter tile: got {}; must be a power of two with swizzle=xor", spec.tile));
  if (!problems.empty()) return nullptr;
  return std::make_unique<Transpose>(spec);
}

}  // namespace

std::vector<KernelEntry> memory_entries() {
  const std::vector<std::string> widths{"4", "8", "16"};
  const ParameterInfo threads{"threads", "256", "threads of a CTA", 1, 1024};
  const ParameterInfo width{"width", "16", "byte per lane and access", 0, 0, widths};
  const ParameterInfo bytes{"bytes", "16777216", "working set, byte", 4, kMostBytes};
  const ParameterInfo cached{"cached", "1", "0: loads bypass L1", 0, 1};
  return {
      {{"pointer_chase",
        "one lane follows a chain of pointers: latency against working set",
        {bytes,
         {"stride", "128", "byte between elements of the chain", 8, kMostBytes},
         {"steps", "4096", "loads in all", 1, std::int64_t{1} << 40U},
         cached}},
       pointer_chase},
      {{"reread",
        "read-only bandwidth and hit rates against working set",
        {{"form",
          "cyclic",
          "shared_set: CTA i reads chunk i mod n; per_sm_buffer: every CTA reads all; cyclic: each line one reader",
          0,
          0,
          {"shared_set", "per_sm_buffer", "cyclic"}},
         bytes,
         {"chunk", "524288", "shared_set: byte that one CTA reads", 4, kMostBytes},
         {"ctas", "132", "CTAs of the grid", 1, 1 << 24},
         {"threads", "1024", "threads of a CTA", 1, 1024},
         {"passes", "1", "times that a CTA reads its part", 1, 1 << 30},
         width,
         cached}},
       reread},
      {{"copy", "out[i] = in[i], four loads in flight per thread", {bytes, threads, width}}, copy},
      {{"strided",
        "reads with a stride between neighbouring lanes",
        {{"elements", "1048576", "elements read", 1, std::int64_t{1} << 32U},
         {"stride", "1", "elements between neighbouring lanes", 1, 65536},
         threads,
         {"width", "4", "byte per element; of each the first word is read", 0, 0, widths}}},
       strided},
      {{"transpose",
        "out[x][y] = in[y][x], straight or through shared memory",
        {{"M", "1024", "rows of the input", 1, 65536},
         {"N", "1024", "columns of the input", 1, 65536},
         {"form",
          "tiled",
          "naive: reads coalesce; naive_write: writes coalesce; tiled: both, through shared memory",
          0,
          0,
          {"naive", "naive_write", "tiled"}},
         {"tile", "32", "rows and columns of a tile", 4, 64},
         {"block_rows", "8", "rows of threads of a CTA", 1, 64},
         {"pad", "0", "words between rows of the tile", 0, 64},
         {"swizzle", "none", "xor: columns of the tile permuted by row", 0, 0, {"none", "xor"}},
         {"raster", "row", "order in which CTAs take the tiles", 0, 0, {kRasterNames.begin(), kRasterNames.end()}},
         {"group", "8", "rows of tiles in a band of raster=grouped", 1, 65536}}},
       transpose},
  };
}

}  // namespace tilescope
