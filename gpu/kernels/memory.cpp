#include "memory.h"

#include <cstring>
#include <stdexcept>

namespace tilescope::gpu {
namespace {

constexpr std::int64_t kMostBytes = std::int64_t{16} << 30;

}  // namespace

std::int64_t ParameterValues::number(const char* name) const { return std::stoll(word(name)); }

const std::string& ParameterValues::word(const char* name) const {
  for (const Value& value : values_) {
    if (value.name == name) {
      return value.text;
    }
  }
  throw std::logic_error(std::string(name) + ": not a parameter of this kernel");
}

void require(bool good, const char* what, const std::string& value, const std::string& must_be) {
  if (!good) {
    throw std::invalid_argument(std::string(what) + ": got '" + value + "'; must be " + must_be);
  }
}

std::vector<char> bytes_of(double sum) {
  std::vector<char> bytes(sizeof sum);
  std::memcpy(bytes.data(), &sum, sizeof sum);
  return bytes;
}

std::vector<MemoryKernel> memory_kernels() {
  const std::vector<std::string> widths = {"4", "8", "16"};
  const ParameterInfo threads = {"threads", "256", "threads of a CTA", 1, 1024};
  const ParameterInfo width = {"width", "16", "byte per lane and access", 0, 0, widths};
  const ParameterInfo bytes = {"bytes", "16777216", "working set, byte", 4, kMostBytes};
  const ParameterInfo cached = {"cached", "1", "0: loads bypass L1", 0, 1};
  return {
      {"copy", "out[i] = in[i], four loads in flight per thread", {bytes, threads, width}, &plan_copy},
      {"strided",
       "reads with a stride between neighbouring lanes",
       {{"elements", "1048576", "elements read", 1, std::int64_t{1} << 32},
        {"stride", "1", "elements between neighbouring lanes", 1, 65536},
        threads,
        {"width", "4", "byte per lane and access", 0, 0, widths}},
       &plan_strided},
      {"reread",
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
        cached},
       &plan_reread},
      {"transpose",
       "out[x][y] = in[y][x], straight or through shared memory",
       {{"M", "1024", "rows of the input", 1, 32768},
        {"N", "1024", "columns of the input", 1, 32768},
        {"form",
         "tiled",
         "naive: reads coalesce; naive_write: writes coalesce; tiled: both, through shared memory",
         0,
         0,
         {"naive", "naive_write", "tiled"}},
        {"tile", "32", "rows and columns of a tile", 0, 0, {"16", "32", "64"}},
        {"block_rows", "8", "rows of threads of a CTA", 1, 64},
        {"pad", "0", "words between rows of the tile", 0, 0, {"0", "1"}},
        {"swizzle", "none", "xor: columns of the tile permuted by row", 0, 0, {"none", "xor"}}},
       &plan_transpose},
      {"pointer_chase",
       "one lane follows a chain of pointers: latency against working set",
       {bytes,
        {"stride", "128", "byte between elements of the chain", 8, kMostBytes},
        {"steps", "4096", "loads in all", 1, 1 << 30},
        cached},
       &plan_pointer_chase},
  };
}

}  // namespace tilescope::gpu
