// Where lines live: what atomics on few places show of the hash of slices, and that pages spread over all of them.
#include "models/address_hash.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <set>
#include <vector>

#include "engine_runs.h"

using namespace tilescope;
using namespace tilescope::test;

namespace {

// Slices of the lines of `bytes` from `begin` on.
std::vector<unsigned> slices(const AddressHash& hash, std::uint64_t begin, std::uint64_t bytes) {
  std::vector<unsigned> result;
  for (std::uint64_t at = begin; at < begin + bytes; at += kLineBytes)
    result.push_back(hash.slice(LineAddress::of(at)));
  return result;
}
std::size_t different(const std::vector<unsigned>& all) { return std::set<unsigned>(all.begin(), all.end()).size(); }

}  // namespace

TEST_CASE("256 bytes live in one slice, 512 bytes and a KiB in two, a page of 4 KiB in eight") {
  const AddressHash hash(h200());
  for (std::uint64_t page = 0; page < 64; ++page) {
    CAPTURE(page);
    const std::uint64_t begin = (1ULL << 32U) + page * 4096;
    for (std::uint64_t at = begin; at < begin + 4096; at += 1024) {
      CHECK(different(slices(hash, at, 256)) == 1);
      CHECK(different(slices(hash, at, 512)) == 2);
      CHECK(different(slices(hash, at, 1024)) == 2);
    }
    CHECK(different(slices(hash, begin, 4096)) == 8);
  }
}

TEST_CASE("every slice holds its share of many pages, whatever lies between them") {
  const AddressHash hash(h200());
  for (const std::uint64_t stride : {4096, 8192, 65536, 1 << 20, 3 << 20}) {
    CAPTURE(stride);
    std::map<unsigned, int> lines;
    for (std::uint64_t page = 0; page < 4096; ++page)
      for (const unsigned slice : slices(hash, page * stride, 4096)) ++lines[slice];
    REQUIRE(lines.size() == static_cast<std::size_t>(h200().l2.slices / h200().l2.partitions));
    const double mean = 4096.0 * 32 / static_cast<double>(lines.size());
    for (const auto& one : lines) {
      const unsigned slice = one.first;
      const int count = one.second;
      CAPTURE(slice);
      CHECK(std::abs(count / mean - 1) < 0.15);
    }
  }
}

// dram__bytes_read.max over .avg of an H100, gpu/microbench/counted_streams.cu: 1.03 to 1.04, 1.009 and 1.005.
TEST_CASE("channels hold nearly as much of what lies in a row, and their share of any stride") {
  const GpuSpec spec = gpu("h100");
  const AddressHash hash(spec);
  const auto most = [&](std::uint64_t count, std::uint64_t stride) {
    std::vector<int> lines(static_cast<std::size_t>(spec.hbm.channels));
    for (std::uint64_t i = 0; i < count; ++i) ++lines[hash.channel(LineAddress::of((7ULL << 32U) + i * stride))];
    return *std::max_element(lines.begin(), lines.end()) * static_cast<double>(lines.size()) /
           static_cast<double>(count);
  };
  const auto of_bytes = [&](double mb) { return most(static_cast<std::uint64_t>(mb * 1e6 / kLineBytes), kLineBytes); };
  CHECK(of_bytes(1.08) < 1.08);
  CHECK(of_bytes(3.25) < 1.04);
  CHECK(of_bytes(13) < 1.02);
  for (const std::uint64_t stride : {512, 1024, 2048, 4096, 8192, 65536, 1 << 20, 3 << 20}) {
    CAPTURE(stride);
    CHECK(most(40000, stride) < 1.12);
  }
}
