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
  const ParameterInfo row_threads = {"threads", "256", "threads of a CTA",
                                     0,         0,     {"32", "64", "128", "256", "512", "1024"}};
  const ParameterInfo row_width = {"width", "16", "byte per lane and access", 0, 0, {"4", "16"}};
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
      {"reduction",
       "sums as a tree in shared memory, a partial sum per CTA",
       {{"count", "1048576", "values", 1, std::int64_t{1} << 30},
        {"form",
         "sequential",
         "interleaved: neighbours first, warps diverge; strided: the same by neighbouring lanes; sequential: halves "
         "first; warp: the last 32 by shuffles",
         0,
         0,
         {"interleaved", "strided", "sequential", "warp"}},
        {"threads", "256", "threads of a CTA", 0, 0, {"64", "128", "256", "512", "1024"}},
        {"values", "1", "values that a thread adds up first", 0, 0, {"1", "4"}}},
       &plan_reduction},
      {"convolution",
       "2-D, zeros beyond the edges, the filter in constant memory",
       {{"rows", "1024", "of the image", 1, 32768},
        {"columns", "1024", "of the image", 1, 32768},
        {"filter", "3", "rows and columns of the filter", 0, 0, {"3", "7"}},
        {"form",
         "shared",
         "direct: neighbours from global memory; shared: tiles of 32 x 32 and their halo",
         0,
         0,
         {"direct", "shared"}},
        {"block_rows", "8", "rows of 32 threads of a CTA", 0, 0, {"8", "32"}}},
       &plan_convolution},
      {"softmax",
       "of every row, a CTA per row",
       {{"rows", "1024", "CTAs", 1, 1 << 24},
        {"columns", "1024", "of a row", 1, 32768},
        {"form",
         "registers",
         "registers, shared: the row is read once and stays there; online: twice; two_pass: three times",
         0,
         0,
         {"registers", "shared", "online", "two_pass"}},
        row_threads,
        row_width},
       &plan_softmax},
      {"layer_norm",
       "of every row, a CTA per row",
       {{"rows", "1024", "CTAs", 1, 1 << 24},
        {"columns", "1024", "of a row", 1, 32768},
        {"form",
         "registers",
         "registers: the row is read once and stays there; one_pass: twice; two_pass: three times",
         0,
         0,
         {"registers", "one_pass", "two_pass"}},
        row_threads,
        row_width},
       &plan_layer_norm},
      {"attention",
       "softmax(Q K^T / sqrt(d)) V of every head",
       {{"heads", "8", "of all batches", 1, 65535},
        {"n", "1024", "queries, and keys, of a head", 64, 32768},
        {"d", "64", "of a query, key and value", 0, 0, {"64", "128"}},
        {"causal", "0", "1: a query sees no key behind it", 0, 1},
        {"form",
         "flash",
         "standard: three launches, scores in memory; flash: one, FP32; tensor: one, FP16 on tensor cores",
         0,
         0,
         {"standard", "flash", "tensor"}},
        {"keys", "32", "flash and tensor: keys of a tile", 0, 0, {"32", "64"}}},
       &plan_attention},
  };
}

}  // namespace tilescope::gpu
