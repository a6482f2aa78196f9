// A bundle of 1,000 launches with 50 listings is listed in less than a second, and checked in less than five.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include "bundle_files.h"
#include "cli_answer.h"
#include "cpu_time.h"

using namespace tilescope;

namespace {

constexpr int kLaunches = 1000, kListings = 50;

void make_large(const test::BundleCopy& copy) {
  const std::string launch = copy.read("launches/0001.yaml"), listing = copy.read("code/copy-1.sass.zst");
  std::string index, order;
  for (int i = 0; i < kListings; ++i) copy.write(fmt::format("code/c{}.sass.zst", i), listing);
  for (int id = 1; id <= kLaunches; ++id) {
    std::string own = launch;
    own.replace(own.find("copy-1.sass"), 11, fmt::format("c{}.sass", id % kListings));
    copy.write(fmt::format("launches/{:04}.yaml", id), own);
    index += fmt::format(
        "- {{id: {}, file: launches/{:04}.yaml, kernel: _ZN9tilescope3gpu4copyI6float4EEvPKT_PS3_i, grid: [64, 1, 1], "
        "block: [256, 1, 1]}}\n",
        id, id);
    for (int call = 0; call < 3; ++call) order += fmt::format("{} 0\n", id);
  }
  copy.write("launches.yaml", index);
  copy.write("order", order);
  std::filesystem::remove(copy.path / "refused");
}

}  // namespace

TEST_CASE("a bundle of a thousand launches is listed and checked at once") {
  const test::BundleCopy copy;
  make_large(copy);
  const CpuTime listing;
  const CliAnswer list = ask({"bundle", "list", copy.name()});
  CHECK(listing.seconds() < 1);
  CHECK(list.out.find("3,000 launches, 1,000 of them different") != std::string::npos);
  const CpuTime checking;
  const CliAnswer check = ask({"bundle", "check", copy.name(), "--threads", "1"});
  CHECK(check.out.find("1000 launches can be simulated") != std::string::npos);
  CHECK(checking.seconds() < 5);
}
