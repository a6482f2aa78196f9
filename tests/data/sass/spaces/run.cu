// Launches the kernels of spaces.cu, each case once, and prints what was launched: run [FIRST LAST], cases in the order
// of the table. Every kernel gets out (4 MiB of zeros), in (4 MiB, the numbers below) and n.
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "spaces.cu"

namespace {

struct Case {
  const char* name;
  void (*kernel)(int*, int*, int);
  int grid, block, n;
};
std::vector<Case> cases;

#define ADD(kernel, grid, block, n) cases.push_back({#kernel, kernel, grid, block, n})

void list_cases() {
  ADD(local_array_u8, 4, 256, 3);
  ADD(local_array_u16, 4, 256, 3);
  ADD(local_array_u32, 4, 256, 3);
  ADD(local_array_u64, 4, 256, 3);
  for (const int n : {0, 1, 7}) ADD(local_array_lanes, 2, 64, n);
  for (const int n : {0, 1, 11, 32}) ADD(local_some_lanes, 2, 64, n);
  ADD(local_spill_32, 8, 256, 1);
  ADD(local_spill_64, 8, 256, 1);
  for (const int n : {32, 5}) {
    ADD(local_ld_1, 1, 64, n), ADD(local_ld_2, 1, 64, n), ADD(local_ld_4, 1, 64, n), ADD(local_ld_8, 1, 64, n);
    ADD(local_ld_16, 1, 64, n), ADD(local_st_1, 1, 64, n), ADD(local_st_2, 1, 64, n), ADD(local_st_4, 1, 64, n);
    ADD(local_st_8, 1, 64, n), ADD(local_st_16, 1, 64, n);
  }
  // 1,024 threads on one SM: 4 KiB for each word of a lane.
  for (const int words : {4, 16, 32, 48, 56, 64, 80, 128, 512}) {
    ADD(local_footprint, 1, 1024, words + 4096 * 3);
    ADD(local_store_again, 1, 1024, words + 4096 * 3);
    ADD(local_load_again, 1, 1024, words + 4096 * 3);
  }
  ADD(local_footprint, 264, 1024, 32 + 4096 * 2);
  ADD(local_footprint, 264, 1024, 256 + 4096);
  for (const int n : {0, 1, 2, 3, 4, 5, 6, 7, 8, 9}) {
    ADD(global_add_u32_atom, 4, 256, n);
    ADD(global_add_u32_red, 4, 256, n);
  }
  for (const int n : {0, 1, 3, 4, 5, 8}) {
    ADD(global_add_u64_atom, 4, 256, n), ADD(global_add_u64_red, 4, 256, n);
    ADD(global_add_f32_atom, 4, 256, n), ADD(global_add_f32_red, 4, 256, n);
    ADD(global_cas_b32_atom, 4, 256, n);
  }
  for (const int n : {0, 1, 4}) {
    ADD(global_add_f16x2_atom, 4, 256, n), ADD(global_add_f16x2_red, 4, 256, n);
    ADD(global_max_s32_atom, 4, 256, n), ADD(global_max_s32_red, 4, 256, n);
    ADD(global_and_b32_atom, 4, 256, n), ADD(global_and_b32_red, 4, 256, n);
    ADD(global_exch_b32_atom, 4, 256, n), ADD(global_cas_b64_atom, 4, 256, n);
  }
  for (const int n : {0, 1, 2, 3, 7, 8, 9}) {
    ADD(shared_add_u32_atom, 2, 256, n), ADD(shared_add_u32_red, 2, 256, n);
    ADD(shared_cas_b32_atom, 2, 256, n);
  }
  for (const int n : {0, 1, 3, 8}) {
    ADD(shared_add_u64_atom, 1, 64, n), ADD(shared_add_u64_red, 1, 64, n);
    ADD(shared_add_f32_atom, 1, 64, n), ADD(shared_add_f32_red, 1, 64, n);
    ADD(shared_add_f16x2_atom, 1, 64, n), ADD(shared_add_f16x2_red, 1, 64, n);
    ADD(shared_max_s32_atom, 1, 64, n), ADD(shared_max_s32_red, 1, 64, n);
    ADD(shared_exch_b32_atom, 1, 64, n), ADD(shared_cas_b64_atom, 1, 64, n);
  }
  ADD(shared_inc, 2, 256, 255), ADD(shared_inc, 2, 256, 3), ADD(shared_inc, 2, 256, 0);
  ADD(global_inc, 2, 256, 65535), ADD(global_inc, 2, 256, 3), ADD(global_inc, 2, 256, 0);
  for (const int n : {0, 1, 3, 8, 16, 17, 19, 24, 32, 33, 35}) {
    ADD(generic_atomics, 1, 64, n);
    ADD(generic_cas, 1, 64, n);
  }
  for (const int n : {1, 2, 0x11, 0x21, 0x31, 0x41}) {
    ADD(shared_ld_1, 1, 64, n), ADD(shared_ld_2, 1, 64, n), ADD(shared_ld_4, 1, 64, n), ADD(shared_ld_8, 1, 64, n);
    ADD(shared_ld_16, 1, 64, n), ADD(shared_st_1, 1, 64, n), ADD(shared_st_2, 1, 64, n), ADD(shared_st_4, 1, 64, n);
    ADD(shared_st_8, 1, 64, n), ADD(shared_st_16, 1, 64, n);
    ADD(global_ld_1, 1, 64, n), ADD(global_ld_2, 1, 64, n), ADD(global_ld_4, 1, 64, n), ADD(global_ld_8, 1, 64, n);
    ADD(global_ld_16, 1, 64, n), ADD(global_st_1, 1, 64, n), ADD(global_st_2, 1, 64, n), ADD(global_st_4, 1, 64, n);
    ADD(global_st_8, 1, 64, n), ADD(global_st_16, 1, 64, n);
  }
  for (const int n : {0x001, 0x101, 0x201, 0x301, 0x401, 0x501, 0x111, 0x131, 0x141, 0x302}) {
    ADD(generic_ld_4, 1, 64, n), ADD(generic_st_4, 1, 64, n);
    ADD(generic_ld_16, 1, 64, n), ADD(generic_st_16, 1, 64, n);
  }
  for (const int n : {0x001, 0x101, 0x201, 0x301, 0x401}) {
    ADD(generic_ld_1, 1, 64, n), ADD(generic_st_1, 1, 64, n), ADD(generic_ld_2, 1, 64, n);
    ADD(generic_st_2, 1, 64, n), ADD(generic_ld_8, 1, 64, n), ADD(generic_st_8, 1, 64, n);
  }
  for (const int n : {1, 4}) {
    ADD(load_ca, 2, 64, n), ADD(load_cg, 2, 64, n), ADD(load_cs, 2, 64, n), ADD(load_lu, 2, 64, n);
    ADD(load_cv, 2, 64, n), ADD(load_nc, 2, 64, n), ADD(load_volatile, 2, 64, n), ADD(load_relaxed_cta, 2, 64, n);
    ADD(load_relaxed_gpu, 2, 64, n), ADD(load_relaxed_sys, 2, 64, n), ADD(load_acquire_cta, 2, 64, n);
    ADD(load_acquire_gpu, 2, 64, n), ADD(load_acquire_sys, 2, 64, n), ADD(load_no_allocate, 2, 64, n);
    ADD(store_wb, 2, 64, n), ADD(store_cg, 2, 64, n), ADD(store_cs, 2, 64, n), ADD(store_wt, 2, 64, n);
    ADD(store_volatile, 2, 64, n), ADD(store_relaxed_gpu, 2, 64, n), ADD(store_release_cta, 2, 64, n);
    ADD(store_release_gpu, 2, 64, n), ADD(store_release_sys, 2, 64, n), ADD(prefetches, 2, 64, n);
  }
  ADD(fence_none, 2, 64, 1), ADD(fence_cta, 2, 64, 1), ADD(fence_gpu, 2, 64, 1), ADD(fence_sys, 2, 64, 1);
  ADD(fence_acq_rel_cta, 2, 64, 1), ADD(fence_acq_rel_gpu, 2, 64, 1), ADD(fence_acq_rel_sys, 2, 64, 1);
  ADD(fence_sc_cta, 2, 64, 1), ADD(fence_sc_gpu, 2, 64, 1), ADD(fence_barrier, 2, 64, 1), ADD(fence_local, 2, 64, 16);
  for (const int lanes : {32, 11}) {
    for (const int bytes : {4, 0}) ADD(async_ca_4, 2, 64, bytes + 32 * lanes);
    for (const int bytes : {8, 4}) ADD(async_ca_8, 2, 64, bytes + 32 * lanes);
    for (const int bytes : {16, 5, 0})
      ADD(async_ca_16, 2, 64, bytes + 32 * lanes), ADD(async_cg_16, 2, 64, bytes + 32 * lanes);
  }
  for (const int n : {16, 32, 64, 80, 128}) {
    ADD(matrix_x1, 1, 64, n), ADD(matrix_x2, 1, 64, n), ADD(matrix_x4, 1, 64, n), ADD(matrix_x1_trans, 1, 64, n);
    ADD(matrix_x4_trans, 1, 64, n), ADD(matrix_st_x1, 1, 64, n), ADD(matrix_st_x2, 1, 64, n);
    ADD(matrix_st_x4, 1, 64, n), ADD(matrix_st_x1_trans, 1, 64, n), ADD(matrix_st_x4_trans, 1, 64, n);
  }
  ADD(wmma_generic, 2, 128, 1 + 2 * 64), ADD(wmma_generic, 2, 128, 1 + 2 * 72), ADD(wmma_generic, 2, 128, 2 * 64);
}

}  // namespace

int main(int argc, char** argv) {
  list_cases();
  const int first = argc > 1 ? std::atoi(argv[1]) : 0;
  const int last = argc > 2 ? std::atoi(argv[2]) : static_cast<int>(cases.size());
  const int words = 1 << 20;
  std::vector<int> numbers(words);
  unsigned x = 12345;
  for (int& v : numbers) {
    x = x * 1664525u + 1013904223u;
    v = static_cast<int>(x >> 1);
  }
  int *out, *in;
  cudaMalloc(&out, words * 4);
  cudaMalloc(&in, words * 4);
  cudaMemcpy(in, numbers.data(), words * 4, cudaMemcpyHostToDevice);
  cudaMemset(out, 0, words * 4);
  for (int c = first; c < last && c < static_cast<int>(cases.size()); ++c) {
    const Case& k = cases[c];
    cudaMemset(out, 0, words * 4);
    k.kernel<<<k.grid, k.block>>>(out, in, k.n);
    const cudaError_t status = cudaDeviceSynchronize();
    std::printf("%d,%s,%d,%d,%d,%s\n", c, k.name, k.grid, k.block, k.n, cudaGetErrorName(status));
    if (status != cudaSuccess) return 1;
  }
  return 0;
}
