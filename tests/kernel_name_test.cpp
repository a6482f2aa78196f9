#include "traces/sass/kernel_name.h"

#include <doctest/doctest.h>

using namespace tilescope::sass;

TEST_CASE("a kernel's base name is the same however it is written") {
  const struct {
    const char *name, *without_parameters, *base;
  } rows[] = {
      {"gemm", "gemm", "gemm"},
      {"_Z6kernelPf", "kernel", "kernel"},
      {"_ZN9tilescope3gpu4copyI6float4EEvPKT_PS3_i", "tilescope::gpu::copy<float4>", "copy"},
      {"void tilescope::gpu::gemm_register<(int)128, (int)8>(const float *, float *, int)",
       "tilescope::gpu::gemm_register<(int)128, (int)8>", "gemm_register"},
      {"void (anonymous namespace)::softmax<float, at::Functor<int> >(float*)",
       "(anonymous namespace)::softmax<float, at::Functor<int> >", "softmax"},
      {"at::native::<unnamed>::CatArrayBatchedCopy<T1, (int)2>(T1 *)",
       "at::native::<unnamed>::CatArrayBatchedCopy<T1, (int)2>", "CatArrayBatchedCopy"},
      {"void cub::CUB_200_NS::DeviceScan<cub::Policy<int>::Policy600, int*>(int*)",
       "cub::CUB_200_NS::DeviceScan<cub::Policy<int>::Policy600, int*>", "DeviceScan"},
      {"Functor::operator()<int>(int)", "Functor::operator()<int>", "operator()"},
      {"bool ns::operator<<int>(int, int)", "ns::operator<<int>", "operator<<int>"},
      {"triton_poi_fused_add_0", "triton_poi_fused_add_0", "triton_poi_fused_add_0"},
      {"unbalanced<(", "unbalanced<(", "unbalanced"},
      {"", "", ""},
  };
  for (const auto& row : rows) {
    CAPTURE(row.name);
    CHECK(name_without_parameters(row.name) == row.without_parameters);
    CHECK(base_name(row.name) == row.base);
  }
  CHECK(shortened_name("abcdefgh(int)", 8) == "abcdefgh");
  CHECK(shortened_name("abcdefghi(int)", 8) == "abcde...");
}
