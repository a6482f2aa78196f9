// LDGSTS, LDSM, STSM, and matrix products that read their tiles through generic pointers.
#include <cuda_fp16.h>
#include <mma.h>

#include "access.cuh"

// Lanes side by side; n & 31: bytes read of each (the rest is filled with zeros); n >> 5: lanes that take part.
#define ASYNC(name, form, width)                                                                                   \
  KERNEL async_##name(ARGS) {                                                                                      \
    ME;                                                                                                            \
    __shared__ uint4 words[256];                                                                                   \
    words[threadIdx.x] = make_uint4(1, 2, 3, 4);                                                                   \
    const std::uint64_t to = shared_of(words) + threadIdx.x * width;                                               \
    const std::uint64_t from = global_of(in) + i * width;                                                          \
    if (lane < n >> 5) {                                                                                           \
      asm volatile("cp.async." form ".shared.global [%0], [%1], " #width ", %2;" ::"l"(to), "l"(from), "r"(n & 31) \
                   : "memory");                                                                                    \
      asm volatile("cp.async." form ".shared.global [%0], [%1], " #width ";" ::"l"(to), "l"(from) : "memory");     \
    }                                                                                                              \
    asm volatile("cp.async.wait_all;" ::: "memory");                                                               \
    __syncthreads();                                                                                               \
    out[i] = reinterpret_cast<int*>(words)[threadIdx.x ^ 1];                                                       \
  }
ASYNC(ca_4, "ca", 4)
ASYNC(ca_8, "ca", 8)
ASYNC(ca_16, "ca", 16)
ASYNC(cg_16, "cg", 16)

// Rows of 16 bytes, n bytes apart.
#define MATRIX_LOAD(name, form, regs)                                                                                 \
  KERNEL matrix_##name(ARGS) {                                                                                        \
    ME;                                                                                                               \
    __shared__ uint4 words[2048];                                                                                     \
    words[threadIdx.x] = make_uint4(1, 2, 3, 4);                                                                      \
    __syncthreads();                                                                                                  \
    unsigned a = 1, b = 2, c = 3, d = 4;                                                                              \
    const std::uint64_t p = shared_of(words) + lane * n;                                                              \
    asm volatile("ldmatrix.sync.aligned.m8n8." form ".shared.b16 {" regs "}, [%4];"                                   \
                 : "+r"(a), "+r"(b), "+r"(c), "+r"(d)                                                                 \
                 : "l"(p)                                                                                             \
                 : "memory");                                                                                         \
    out[i] = a + b + c + d;                                                                                           \
  }                                                                                                                   \
  KERNEL matrix_st_##name(ARGS) {                                                                                     \
    ME;                                                                                                               \
    __shared__ uint4 words[2048];                                                                                     \
    unsigned a = i, b = 2, c = 3, d = 4;                                                                              \
    const std::uint64_t p = shared_of(words) + lane * n;                                                              \
    asm volatile("stmatrix.sync.aligned.m8n8." form ".shared.b16 [%4], {" regs "};" ::"r"(a), "r"(b), "r"(c), "r"(d), \
                 "l"(p)                                                                                               \
                 : "memory");                                                                                         \
    __syncthreads();                                                                                                  \
    out[i] = reinterpret_cast<int*>(words)[threadIdx.x];                                                              \
  }
MATRIX_LOAD(x1, "x1", "%0")
MATRIX_LOAD(x2, "x2", "%0, %1")
MATRIX_LOAD(x4, "x4", "%0, %1, %2, %3")
MATRIX_LOAD(x1_trans, "x1.trans", "%0")
MATRIX_LOAD(x4_trans, "x4.trans", "%0, %1, %2, %3")

// 16 x 16 tiles of half, pitch n, in shared memory (odd n) or global memory: the compiler does not know which.
KERNEL wmma_generic(ARGS) {
  ME;
  using namespace nvcuda;
  __shared__ half tiles[2 * 64 * 64];
  for (int k = threadIdx.x; k < 2 * 64 * 64; k += blockDim.x) tiles[k] = __int2half_rn(in[k] & 7);
  __syncthreads();
  const half* const a = (n & 1) != 0 ? tiles : reinterpret_cast<const half*>(in);
  const int pitch = n >> 1;
  wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> x;
  wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::col_major> y;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum;
  wmma::fill_fragment(sum, 0.f);
  for (int k = 0; k < 3; ++k) {
    wmma::load_matrix_sync(x, a + 16 * k, pitch);
    wmma::load_matrix_sync(y, a + 16 * pitch + 16 * k, pitch);
    wmma::mma_sync(sum, x, y, sum);
  }
  wmma::store_matrix_sync(reinterpret_cast<float*>(out) + 1024 * (i / 32), sum, 16, wmma::mem_row_major);
}
