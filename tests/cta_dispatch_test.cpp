// Which SMs the first CTAs of a launch go to.
#include "models/cta_dispatch.h"

#include <doctest/doctest.h>

#include <numeric>

using namespace tilescope;

namespace {

const std::vector<std::int64_t> kGpcs = {16, 16, 16, 16, 16, 16, 18, 18};

std::vector<int> sms_of(std::int64_t ctas, int slots) {
  LaunchSpec spec;
  spec.cta_interval_cycles = 1;
  std::vector<int> sms;
  for (const CtaDispatch::Placement& placement : CtaDispatch(spec, ctas).first_wave(kGpcs, slots)) {
    CHECK(placement.cta == static_cast<std::int64_t>(sms.size()));
    sms.push_back(placement.sm);
  }
  return sms;
}

std::vector<int> per_gpc(const std::vector<int>& sms) {
  std::vector<int> counts(kGpcs.size(), 0);
  for (const int sm : sms) {
    std::int64_t end = kGpcs[0];
    std::size_t gpc = 0;
    while (sm >= end) end += kGpcs[++gpc];
    ++counts[gpc];
  }
  return counts;
}

}  // namespace

TEST_CASE("a launch of as many CTAs as SMs fills them in order") {
  std::vector<int> all(132);
  std::iota(all.begin(), all.end(), 0);
  CHECK(sms_of(132, 1) == all);
  CHECK(sms_of(1000, 1) == all);
  all.insert(all.end(), all.begin(), all.end());
  CHECK(sms_of(264, 8) == all);
}

TEST_CASE("fewer CTAs go to every TPC before any has two") {  // as 72 and 128 CTAs do on an H100
  CHECK(per_gpc(sms_of(9, 1)) == std::vector<int>{2, 1, 1, 1, 1, 1, 1, 1});
  CHECK(per_gpc(sms_of(66, 1)) == std::vector<int>{8, 8, 8, 8, 8, 8, 9, 9});
  for (const int sm : sms_of(66, 1)) CHECK(sm % 2 == 0);
  CHECK(per_gpc(sms_of(72, 1)) == std::vector<int>{9, 9, 9, 9, 9, 9, 9, 9});
  CHECK(per_gpc(sms_of(128, 1)) == std::vector<int>{16, 16, 16, 16, 16, 16, 16, 16});
}

TEST_CASE("within a GPC the first TPCs are full, the others have one CTA each") {
  const std::vector<int> sms = sms_of(128, 1);
  const std::vector<int> seventh(sms.begin() + 96, sms.begin() + 112);
  CHECK(seventh == std::vector<int>{96, 97, 98, 99, 100, 101, 102, 103, 104, 105, 106, 107, 108, 109, 110, 112});
}

TEST_CASE("what is left for the second places is shared out alike") {
  const std::vector<int> sms = sms_of(132 + 64, 2);
  CHECK(per_gpc({sms.begin() + 132, sms.end()}) == std::vector<int>{8, 8, 8, 8, 8, 8, 8, 8});
}

TEST_CASE("a launch of up to eight CTAs stays in TPCs of one GPC") {  // as 8 CTAs do on an H200
  CHECK(sms_of(8, 1) == std::vector<int>{0, 1, 2, 3, 4, 5, 6, 7});
  CHECK(sms_of(3, 8) == std::vector<int>{0, 1, 2});
}
