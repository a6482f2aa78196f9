// Kernels of mbarriers, bulk and tensor copies and clusters: what they write is known from a GPU (async_h100.csv).
//   nvcc -arch=sm_90a -O3 -o async async.cu && ./async
// prints a line per launch: name, arguments, the tensor map's 128 bytes, a hash of what was written.
#include <cuda.h>

#include <cstdint>
#include <cstdio>
#include <cstring>
#include <functional>
#include <string>
#include <vector>

#define ASM asm volatile
typedef unsigned int u32;
typedef unsigned long long u64;

__device__ u32 smem_of(const void* p) { return static_cast<u32>(__cvta_generic_to_shared(p)); }
__device__ void init(u32 b, u32 n) { ASM("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(b), "r"(n) : "memory"); }
__device__ void fence_async() { ASM("fence.proxy.async;" ::: "memory"); }
__device__ void expect(u32 b, u32 n) {
  ASM("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(b), "r"(n) : "memory");
}
__device__ void arrive(u32 b) { ASM("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(b) : "memory"); }
__device__ void wait(u32 b, u32 parity) {
  ASM("{.reg .pred p;\nL: mbarrier.try_wait.parity.shared::cta.b64 p, [%0], %1;\n@p bra D;\nbra L;\nD:\n}" ::"r"(b),
      "r"(parity)
      : "memory");
}
__device__ u32 test(u32 b, u32 parity) {
  u32 r;
  ASM("{.reg .pred p; mbarrier.test_wait.parity.shared::cta.b64 p, [%1], %2; selp.u32 %0,1,0,p;}"
      : "=r"(r)
      : "r"(b), "r"(parity)
      : "memory");
  return r;
}
__device__ u32 rank() {
  u32 r;
  ASM("mov.u32 %0, %%cluster_ctarank;" : "=r"(r));
  return r;
}
__device__ u32 map_to(u32 a, u32 r) {
  u32 x;
  ASM("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(x) : "r"(a), "r"(r));
  return x;
}
__device__ void cluster_sync() { ASM("barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;" ::: "memory"); }

extern "C" __global__ void mbarriers(u32* out) {
  __shared__ alignas(8) u64 bar[4];
  u32 b = smem_of(bar);
  if (threadIdx.x == 0) {
    init(b, 3);
    u64 s0, s1;
    u32 p;
    ASM("mbarrier.arrive.shared::cta.b64 %0, [%1];" : "=l"(s0) : "r"(b) : "memory");
    ASM("mbarrier.pending_count.b64 %0, %1;" : "=r"(p) : "l"(s0));
    out[0] = p;
    out[1] = test(b, 0), out[2] = test(b, 1);
    ASM("mbarrier.arrive.shared::cta.b64 %0, [%1], 2;" : "=l"(s1) : "r"(b) : "memory");
    ASM("mbarrier.pending_count.b64 %0, %1;" : "=r"(p) : "l"(s1));
    out[3] = p;
    out[4] = test(b, 0), out[5] = test(b, 1);
    u32 r;
    ASM("{.reg .pred p; mbarrier.test_wait.shared::cta.b64 p, [%1], %2; selp.u32 %0,1,0,p;}"
        : "=r"(r)
        : "r"(b), "l"(s1)
        : "memory");
    out[6] = r;
    ASM("mbarrier.arrive_drop.shared::cta.b64 %0, [%1];" : "=l"(s0) : "r"(b) : "memory");
    ASM("mbarrier.arrive.noComplete.shared::cta.b64 %0, [%1], 1;" : "=l"(s0) : "r"(b) : "memory");
    ASM("mbarrier.pending_count.b64 %0, %1;" : "=r"(p) : "l"(s0));
    out[7] = p;
    ASM("mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%0], %1;" ::"r"(b), "r"(64) : "memory");
    ASM("mbarrier.arrive.shared::cta.b64 %0, [%1];" : "=l"(s0) : "r"(b) : "memory");
    out[8] = test(b, 0), out[9] = test(b, 1);
    ASM("mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [%0], %1;" ::"r"(b), "r"(64) : "memory");
    out[10] = test(b, 0), out[11] = test(b, 1);
    arrive(b), arrive(b);
    out[12] = test(b, 0), out[13] = test(b, 1);
    u64 raw = *reinterpret_cast<volatile u64*>(bar);
    out[14] = static_cast<u32>(raw), out[15] = static_cast<u32>(raw >> 32);
    ASM("mbarrier.arrive.expect_tx.shared::cta.b64 %0, [%1], %2;" : "=l"(s0) : "r"(b), "r"(16) : "memory");
    raw = *reinterpret_cast<volatile u64*>(bar);
    out[16] = static_cast<u32>(raw), out[17] = static_cast<u32>(raw >> 32);
    out[18] = static_cast<u32>(s0), out[19] = static_cast<u32>(s0 >> 32);
    ASM("mbarrier.inval.shared::cta.b64 [%0];" ::"r"(b) : "memory");
    init(b + 8, 1);
    ASM("{.reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], 1, 1000; selp.u32 %0,1,0,p;}"
        : "=r"(r)
        : "r"(b + 8)
        : "memory");
    out[20] = r;
  }
}

extern "C" __global__ void copies_at_mbarrier(const uint4* in, uint4* out, int noinc) {
  __shared__ alignas(16) uint4 data[128];
  __shared__ alignas(8) u64 bar;
  u32 b = smem_of(&bar);
  if (threadIdx.x == 0) init(b, noinc ? 128 : 1);
  __syncthreads();
  ASM("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(smem_of(&data[threadIdx.x])), "l"(in + threadIdx.x) : "memory");
  if (noinc)
    ASM("cp.async.mbarrier.arrive.noinc.shared::cta.b64 [%0];" ::"r"(b) : "memory");
  else
    ASM("cp.async.mbarrier.arrive.shared::cta.b64 [%0];" ::"r"(b) : "memory");
  __syncthreads();
  if (!noinc && threadIdx.x == 0) arrive(b);
  wait(b, 0);
  out[threadIdx.x] = data[127 - threadIdx.x];
}

extern "C" __global__ void bulk_round(const char* in, char* out, u32* sums, int bytes) {
  extern __shared__ __align__(1024) char data[];
  __shared__ alignas(8) u64 bar;
  u32 b = smem_of(&bar), d = smem_of(data);
  if (threadIdx.x == 0) {
    ASM("cp.async.bulk.prefetch.L2.global [%0], %1;" ::"l"(in), "r"(bytes) : "memory");
    init(b, 1);
    fence_async();
    expect(b, bytes);
    ASM("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(d), "l"(in),
        "r"(bytes), "r"(b)
        : "memory");
  }
  __syncthreads();
  wait(b, 0);
  for (int i = threadIdx.x; i < bytes / 4; i += blockDim.x) reinterpret_cast<u32*>(data)[i] += 7;
  fence_async();
  __syncthreads();
  if (threadIdx.x == 0) {
    ASM("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(out), "r"(d), "r"(bytes) : "memory");
    ASM("cp.async.bulk.commit_group;" ::: "memory");
    ASM("cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [%0], [%1], %2;" ::"l"(sums), "r"(d), "r"(bytes)
        : "memory");
    ASM("cp.async.bulk.commit_group;" ::: "memory");
    ASM("cp.async.bulk.wait_group.read 1;" ::: "memory");
    ASM("cp.async.bulk.wait_group 0;" ::: "memory");
  }
}

struct Coordinates {
  int c[5];
  unsigned short o[3];
};

template <int kRank, bool kIm2col>
__device__ void load_box(const CUtensorMap* map, u32 d, u32 b, const Coordinates& at) {
  const int* c = at.c;
  const unsigned short* o = at.o;
#define COPY(text, ...) \
  ASM("cp.async.bulk.tensor." text ".mbarrier::complete_tx::bytes [%0], [%1, " __VA_ARGS__ : "memory")
  if constexpr (!kIm2col) {
    if constexpr (kRank == 1)
      COPY("1d.shared::cluster.global.tile", "{%3}], [%2];" ::"r"(d), "l"(map), "r"(b), "r"(c[0]));
    if constexpr (kRank == 2)
      COPY("2d.shared::cluster.global.tile", "{%3,%4}], [%2];" ::"r"(d), "l"(map), "r"(b), "r"(c[0]), "r"(c[1]));
    if constexpr (kRank == 3)
      COPY("3d.shared::cluster.global.tile", "{%3,%4,%5}], [%2];" ::"r"(d), "l"(map), "r"(b), "r"(c[0]), "r"(c[1]),
           "r"(c[2]));
    if constexpr (kRank == 4)
      COPY("4d.shared::cluster.global.tile", "{%3,%4,%5,%6}], [%2];" ::"r"(d), "l"(map), "r"(b), "r"(c[0]), "r"(c[1]),
           "r"(c[2]), "r"(c[3]));
    if constexpr (kRank == 5)
      COPY("5d.shared::cluster.global.tile", "{%3,%4,%5,%6,%7}], [%2];" ::"r"(d), "l"(map), "r"(b), "r"(c[0]),
           "r"(c[1]), "r"(c[2]), "r"(c[3]), "r"(c[4]));
  } else {
    if constexpr (kRank == 3)
      COPY("3d.shared::cluster.global.im2col", "{%3,%4,%5}], [%2], {%6};" ::"r"(d), "l"(map), "r"(b), "r"(c[0]),
           "r"(c[1]), "r"(c[2]), "h"(o[0]));
    if constexpr (kRank == 4)
      COPY("4d.shared::cluster.global.im2col", "{%3,%4,%5,%6}], [%2], {%7,%8};" ::"r"(d), "l"(map), "r"(b), "r"(c[0]),
           "r"(c[1]), "r"(c[2]), "r"(c[3]), "h"(o[0]), "h"(o[1]));
    if constexpr (kRank == 5)
      COPY("5d.shared::cluster.global.im2col", "{%3,%4,%5,%6,%7}], [%2], {%8,%9,%10};" ::"r"(d), "l"(map), "r"(b),
           "r"(c[0]), "r"(c[1]), "r"(c[2]), "r"(c[3]), "r"(c[4]), "h"(o[0]), "h"(o[1]), "h"(o[2]));
  }
}

template <int kRank, bool kIm2col>
__device__ void load_kernel(const CUtensorMap* map, uint4* out, const Coordinates& at, int bytes) {
  extern __shared__ __align__(1024) char data[];
  __shared__ alignas(8) u64 bar;
  u32 b = smem_of(&bar), d = (smem_of(data) + 1023) / 1024 * 1024;
  uint4* box = reinterpret_cast<uint4*>(data + (d - smem_of(data)));
  if (threadIdx.x == 0) {
    ASM("prefetch.tensormap [%0];" ::"l"(map) : "memory");
    init(b, 1);
    fence_async();
    expect(b, bytes);
    load_box<kRank, kIm2col>(map, d, b, at);
  }
  __syncthreads();
  wait(b, 0);
  for (int i = threadIdx.x; i < bytes / 16; i += blockDim.x) out[i] = box[i];
}
#define LOAD(name, rank, im2col)                                                                             \
  extern "C" __global__ void name(const __grid_constant__ CUtensorMap map, uint4* out, const Coordinates at, \
                                  int bytes) {                                                               \
    load_kernel<rank, im2col>(&map, out, at, bytes);                                                         \
  }
// clang-format off
LOAD(load_1d, 1, false)
LOAD(load_2d, 2, false)
LOAD(load_3d, 3, false)
LOAD(load_4d, 4, false)
LOAD(load_5d, 5, false)
LOAD(im2col_3d, 3, true)
LOAD(im2col_4d, 4, true)
LOAD(im2col_5d, 5, true)
// clang-format on

// Stores, adds and fetches a box of two dimensions from a ramp in shared memory.
extern "C" __global__ void store_2d(const __grid_constant__ CUtensorMap map, const Coordinates at, int bytes, int add) {
  extern __shared__ __align__(1024) char data[];
  u32 d = (smem_of(data) + 1023) / 1024 * 1024;
  u32* box = reinterpret_cast<u32*>(data + (d - smem_of(data)));
  for (int i = threadIdx.x; i < bytes / 4; i += blockDim.x) box[i] = 3 * i + 1;
  fence_async();
  __syncthreads();
  if (threadIdx.x == 0) {
    ASM("cp.async.bulk.prefetch.tensor.2d.L2.global.tile [%0, {%1, %2}];" ::"l"(&map), "r"(at.c[0]), "r"(at.c[1])
        : "memory");
    if (add)
      ASM("cp.reduce.async.bulk.tensor.2d.global.shared::cta.add.tile.bulk_group [%0, {%1, %2}], [%3];" ::"l"(&map),
          "r"(at.c[0]), "r"(at.c[1]), "r"(d)
          : "memory");
    else
      ASM("cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [%0, {%1, %2}], [%3];" ::"l"(&map), "r"(at.c[0]),
          "r"(at.c[1]), "r"(d)
          : "memory");
    ASM("cp.async.bulk.commit_group;" ::: "memory");
    ASM("cp.async.bulk.wait_group 0;" ::: "memory");
  }
}

extern "C" __global__ void map_in_memory(CUtensorMap* map, uint4* out, const Coordinates at, int bytes) {
  if (threadIdx.x == 0) ASM("fence.proxy.tensormap::generic.acquire.gpu [%0], 128;" ::"l"(map) : "memory");
  __syncthreads();
  load_kernel<2, false>(map, out, at, bytes);
}

// Clusters of 4: what each CTA writes into the memory of others.
extern "C" __global__ void __cluster_dims__(4, 1, 1) cluster_words(u32* out) {
  __shared__ alignas(16) u32 words[256];
  __shared__ alignas(8) u64 bar;
  u32 w = smem_of(words), b = smem_of(&bar), r = rank(), t = threadIdx.x;
  words[t] = 0;
  words[t + 128] = 1000 * r + t;
  if (t == 0) {
    init(b, 1);
    ASM("fence.mbarrier_init.release.cluster;" ::: "memory");
  }
  cluster_sync();
  if (t == 0) expect(b, 4 * 32 + 4 * 32);
  u32 value;
  ASM("ld.shared::cluster.u32 %0, [%1];" : "=r"(value) : "r"(map_to(w + 512 + 4 * t, (r + 1) % 4)) : "memory");
  ASM("st.shared::cluster.u32 [%0], %1;" ::"r"(map_to(w + 4 * t, (r + 2) % 4)), "r"(value) : "memory");
  ASM("barrier.cluster.arrive.release;\nbarrier.cluster.wait.acquire;" ::: "memory");
  ASM("red.shared::cluster.add.u32 [%0], %1;" ::"r"(map_to(w, (r + 3) % 4)), "r"(t) : "memory");
  u32 old = 0;
  if (t == 0) ASM("atom.shared::cluster.add.u32 %0, [%1], 5;" : "=r"(old) : "r"(map_to(w + 4, (r + 3) % 4)) : "memory");
  u32 peer = map_to(b, (r + 1) % 4);
  if (t < 32)
    ASM("st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.u32 [%0], %1, [%2];" ::"r"(
            map_to(w + 128 + 4 * t, (r + 1) % 4)),
        "r"(7 * t + r), "r"(peer)
        : "memory");
  else if (t < 64)
    ASM("red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u32 [%0], %1, [%2];" ::"r"(
            map_to(w + 256, (r + 1) % 4)),
        "r"(t), "r"(peer)
        : "memory");
  wait(b, 0);
  cluster_sync();
  if (t == 0)
    ASM("mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%0];" ::"r"(map_to(b, (r + 2) % 4)) : "memory");
  wait(b, 1);
  u32 x, size, ids, counts;
  ASM("mov.u32 %0, %%cluster_nctarank;" : "=r"(size));
  ASM("mov.u32 %0, %%clusterid.x;" : "=r"(ids));
  ASM("mov.u32 %0, %%nclusterid.x;" : "=r"(counts));
  ASM("mov.u32 %0, %%cluster_ctaid.x;" : "=r"(x));
  out[(blockIdx.x * 256 + t) * 2] = words[t] + (t == 0 ? 0 : 0 * old);
  out[(blockIdx.x * 256 + t) * 2 + 1] = x + 10 * size + 100 * ids + 1000 * counts;
  u64 generic = __cvta_generic_to_shared(words) ? reinterpret_cast<u64>(words) : 0, far;
  ASM("mapa.u64 %0, %1, %2;" : "=l"(far) : "l"(generic), "r"((r + 1) % 4));
  u32 owner;
  ASM("getctarank.u64 %0, %1;" : "=r"(owner) : "l"(far));
  out[(blockIdx.x * 256 + 128 + t) * 2] = *reinterpret_cast<volatile u32*>(far + 512 + 4 * t);
  out[(blockIdx.x * 256 + 128 + t) * 2 + 1] = owner;
  cluster_sync();
}

// Each CTA of a cluster of 2 loads half a tile for both; sums of tiles, warp-specialised, `stages` deep.
template <int kCluster>
__device__ void pipeline(const CUtensorMap* map, u32* out, int tiles, int stages, int shift) {
  extern __shared__ __align__(1024) char data[];
  __shared__ alignas(8) u64 full[8], empty[8];
  constexpr u32 kBytes = 64 * 64 * 2;
  u32 f = smem_of(full), e = smem_of(empty), d = (smem_of(data) + 1023) / 1024 * 1024;
  const u32 r = kCluster > 1 ? rank() : 0;
  if (threadIdx.x == 0) {
    for (int i = 0; i < stages; ++i) init(f + 8 * i, 1), init(e + 8 * i, kCluster * 128);
    ASM("fence.mbarrier_init.release.cluster;" ::: "memory");
    fence_async();
  }
  if (kCluster > 1)
    cluster_sync();
  else
    __syncthreads();
  const int first = blockIdx.x / kCluster * shift;
  if (threadIdx.x >= 128) {
    if (threadIdx.x == 128)
      for (int t = 0; t < tiles; ++t) {
        const int s = t % stages;
        wait(e + 8 * s, t / stages % 2 ^ 1);
        expect(f + 8 * s, kBytes);
        const int row = 64 * (first + t);
        if (kCluster > 1)
          ASM("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.multicast::cluster "
              "[%0], [%1, {%2, %3}], [%4], %5;" ::"r"(d + kBytes * s + kBytes / kCluster * r),
              "l"(map), "r"(0), "r"(row + 64 / kCluster * r), "r"(f + 8 * s),
              "h"(static_cast<unsigned short>((1 << kCluster) - 1))
              : "memory");
        else
          ASM("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], "
              "[%4];" ::"r"(d + kBytes * s),
              "l"(map), "r"(0), "r"(row), "r"(f + 8 * s)
              : "memory");
      }
  } else {
    u32 sum = 0;
    for (int t = 0; t < tiles; ++t) {
      const int s = t % stages;
      wait(f + 8 * s, t / stages % 2);
      for (int i = 0; i < 16; ++i) {
        u32 v;
        ASM("ld.shared.u32 %0, [%1];" : "=r"(v) : "r"(d + kBytes * s + 4 * threadIdx.x + 512 * i) : "memory");
        sum += v;
      }
      for (int c = 0; c < kCluster; ++c) {
        if (kCluster == 1)
          arrive(e + 8 * s);
        else
          ASM("mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%0];" ::"r"(map_to(e + 8 * s, c)) : "memory");
      }
    }
    out[blockIdx.x * 128 + threadIdx.x] = sum;
  }
  if (kCluster > 1) cluster_sync();
}
extern "C" __global__ void __launch_bounds__(160)
    pipeline_alone(const __grid_constant__ CUtensorMap map, u32* out, int tiles, int stages, int shift) {
  pipeline<1>(&map, out, tiles, stages, shift);
}
extern "C" __global__ void __launch_bounds__(160) __cluster_dims__(2, 1, 1)
    pipeline_pair(const __grid_constant__ CUtensorMap map, u32* out, int tiles, int stages, int shift) {
  pipeline<2>(&map, out, tiles, stages, shift);
}

// ---------------------------------------------------------------- host
#define CHECK(call)                                            \
  if (auto e = (call); e != cudaSuccess) {                     \
    fprintf(stderr, "%s: %s\n", #call, cudaGetErrorString(e)); \
    exit(1);                                                   \
  }
static decltype(&cuTensorMapEncodeTiled) encode_tiled;
static decltype(&cuTensorMapEncodeIm2col) encode_im2col;
static std::string hex(const CUtensorMap& m) {
  std::string s;
  char t[3];
  for (size_t i = 0; i < sizeof m; ++i) snprintf(t, 3, "%02x", reinterpret_cast<const unsigned char*>(&m)[i]), s += t;
  return s;
}
static u64 hash(const void* device, size_t bytes) {
  std::vector<unsigned char> v(bytes);
  CHECK(cudaDeviceSynchronize());
  CHECK(cudaMemcpy(v.data(), device, bytes, cudaMemcpyDeviceToHost));
  u64 h = 1469598103934665603ULL;
  for (auto b : v) h = (h ^ b) * 1099511628211ULL;
  return h;
}
struct Map {
  const char* name;
  CUtensorMapDataType type;
  int bytes, rank;
  std::vector<cuuint64_t> dims, strides;
  std::vector<cuuint32_t> box, steps;
  int interleave, swizzle, promotion, fill;
  std::vector<int> at;
  size_t offset = 0;
};
int main(int argc, char** argv) {
  const int only = argc > 1 ? atoi(argv[1]) : -1;  // the launch with this number, so that a fault ends no other
  int number = 0;
  const auto skip = [&] { return only >= 0 && number++ != only; };
  cudaDriverEntryPointQueryResult q;
  CHECK(cudaFree(nullptr));
  CHECK(cudaGetDriverEntryPoint("cuTensorMapEncodeTiled", reinterpret_cast<void**>(&encode_tiled), cudaEnableDefault,
                                &q));
  CHECK(cudaGetDriverEntryPoint("cuTensorMapEncodeIm2col", reinterpret_cast<void**>(&encode_im2col), cudaEnableDefault,
                                &q));
  const size_t size = 16 << 20;
  u32 *in, *out;
  CHECK(cudaMalloc(&in, size));
  CHECK(cudaMalloc(&out, size));
  std::vector<u32> iota(size / 4);
  for (size_t i = 0; i < iota.size(); ++i) iota[i] = static_cast<u32>(i);
  CHECK(cudaMemcpy(in, iota.data(), size, cudaMemcpyHostToDevice));
  auto clear = [&] { CHECK(cudaMemset(out, 0, size)); };
  if (!skip()) {
    clear(), mbarriers<<<1, 32>>>(out);
    u32 words[32];
    CHECK(cudaMemcpy(words, out, sizeof words, cudaMemcpyDeviceToHost));
    printf("mbarriers,words");
    for (int i = 0; i < 21; ++i) printf(" %08x", words[i]);
    printf(",,%016llx\n", hash(out, 84));
  }
  for (int noinc : {0, 1}) {
    if (skip()) continue;
    clear(), copies_at_mbarrier<<<1, 128>>>(reinterpret_cast<uint4*>(in), reinterpret_cast<uint4*>(out), noinc);
    printf("copies_at_mbarrier,%d,,%016llx\n", noinc, hash(out, 2048));
  }
  for (int bytes : {16, 48, 2048, 16384}) {
    if (skip()) continue;
    clear(), bulk_round<<<1, 64, 16384>>>(reinterpret_cast<char*>(in) + 64, reinterpret_cast<char*>(out), out + 65536,
                                          bytes);
    printf("bulk_round,%d,,%016llx\n", bytes, hash(out, 65536 * 4 + 65536));
  }
  if (!skip()) {
    clear(), cluster_words<<<8, 128>>>(out);
    printf("cluster_words,,,%016llx\n", hash(out, 8 * 256 * 8));
  }
  CHECK(cudaFuncSetAttribute(load_1d, cudaFuncAttributeMaxDynamicSharedMemorySize, 200000));
  CHECK(cudaFuncSetAttribute(load_2d, cudaFuncAttributeMaxDynamicSharedMemorySize, 200000));
  CHECK(cudaFuncSetAttribute(load_3d, cudaFuncAttributeMaxDynamicSharedMemorySize, 200000));
  CHECK(cudaFuncSetAttribute(load_4d, cudaFuncAttributeMaxDynamicSharedMemorySize, 200000));
  CHECK(cudaFuncSetAttribute(load_5d, cudaFuncAttributeMaxDynamicSharedMemorySize, 200000));
  const auto F16 = CU_TENSOR_MAP_DATA_TYPE_FLOAT16, F32 = CU_TENSOR_MAP_DATA_TYPE_FLOAT32;
  const auto U8 = CU_TENSOR_MAP_DATA_TYPE_UINT8, U32 = CU_TENSOR_MAP_DATA_TYPE_UINT32;
  std::vector<Map> maps = {
      {"1d", U32, 4, 1, {1000}, {}, {64}, {1}, 0, 0, 0, 0, {100}},
      {"1d_past_end", U32, 4, 1, {1000}, {}, {64}, {1}, 0, 0, 0, 0, {960}},
      {"1d_before", U32, 4, 1, {1000}, {}, {64}, {1}, 0, 0, 0, 0, {-10}},
      {"1d_steps", U32, 4, 1, {1000}, {}, {64}, {2}, 0, 0, 0, 0, {3}},
      {"2d", F16, 2, 2, {512, 300}, {1024}, {64, 32}, {1, 1}, 0, 0, 0, 0, {128, 7}},
      {"2d_32", F16, 2, 2, {512, 300}, {1024}, {16, 32}, {1, 1}, 0, 1, 0, 0, {128, 7}},
      {"2d_64", F16, 2, 2, {512, 300}, {1024}, {32, 32}, {1, 1}, 0, 2, 1, 0, {128, 7}},
      {"2d_128", F16, 2, 2, {512, 300}, {1024}, {64, 32}, {1, 1}, 0, 3, 2, 0, {128, 7}},
      {"2d_128_corner", F16, 2, 2, {500, 300}, {1024}, {64, 32}, {1, 1}, 0, 3, 3, 0, {470, 280}},
      {"2d_128_edge", F16, 2, 2, {512, 300}, {1024}, {64, 32}, {1, 1}, 0, 3, 0, 0, {480, 280}},
      {"2d_edge", F16, 2, 2, {512, 300}, {1024}, {64, 32}, {1, 1}, 0, 0, 0, 0, {480, 280}},
      {"2d_before", F16, 2, 2, {512, 300}, {1024}, {64, 32}, {1, 1}, 0, 3, 0, 0, {-8, -3}},
      {"2d_outside", F16, 2, 2, {512, 300}, {1024}, {64, 32}, {1, 1}, 0, 3, 0, 0, {512, 0}},
      {"2d_256", F16, 2, 2, {512, 300}, {1024}, {64, 32}, {1, 1}, 0, 3, 3, 0, {128, 7}},
      {"2d_nan", F32, 4, 2, {500, 300}, {2048}, {32, 16}, {1, 1}, 0, 0, 3, 1, {-7, -5}},
      {"2d_nan_f16", F16, 2, 2, {504, 300}, {2048}, {32, 16}, {1, 1}, 0, 0, 3, 1, {-7, -5}},
      {"2d_steps", F32, 4, 2, {500, 300}, {2048}, {32, 16}, {1, 2}, 0, 0, 0, 0, {9, 3}},
      {"2d_steps_both", F32, 4, 2, {500, 300}, {2048}, {32, 16}, {2, 3}, 0, 0, 0, 0, {9, 3}},
      {"2d_narrow", F16, 2, 2, {512, 300}, {1024}, {8, 40}, {1, 1}, 0, 3, 0, 0, {128, 7}},
      {"2d_u8", U8, 1, 2, {1024, 300}, {1024}, {128, 24}, {1, 1}, 0, 3, 0, 0, {256, 7}},
      {"2d_f64", CU_TENSOR_MAP_DATA_TYPE_FLOAT64, 8, 2, {128, 300}, {1024}, {16, 8}, {1, 1}, 0, 0, 0, 0, {4, 7}},
      {"2d_u16", CU_TENSOR_MAP_DATA_TYPE_UINT16, 2, 2, {128, 300}, {1024}, {16, 8}, {1, 1}, 0, 0, 0, 0, {4, 7}},
      {"2d_i32", CU_TENSOR_MAP_DATA_TYPE_INT32, 4, 2, {128, 300}, {1024}, {16, 8}, {1, 1}, 0, 0, 0, 0, {4, 7}},
      {"2d_u64", CU_TENSOR_MAP_DATA_TYPE_UINT64, 8, 2, {128, 300}, {1024}, {16, 8}, {1, 1}, 0, 0, 0, 0, {4, 7}},
      {"2d_i64", CU_TENSOR_MAP_DATA_TYPE_INT64, 8, 2, {128, 300}, {1024}, {16, 8}, {1, 1}, 0, 0, 0, 0, {4, 7}},
      {"2d_bf16", CU_TENSOR_MAP_DATA_TYPE_BFLOAT16, 2, 2, {128, 300}, {1024}, {16, 8}, {1, 1}, 0, 0, 0, 1, {-4, 7}},
      {"2d_tf32", CU_TENSOR_MAP_DATA_TYPE_TFLOAT32, 4, 2, {128, 300}, {1024}, {16, 8}, {1, 1}, 0, 0, 0, 0, {4, 7}},
      {"2d_f32_ftz",
       CU_TENSOR_MAP_DATA_TYPE_FLOAT32_FTZ,
       4,
       2,
       {128, 300},
       {1024},
       {16, 8},
       {1, 1},
       0,
       0,
       0,
       0,
       {4, 7}},
      {"2d_tf32_ftz",
       CU_TENSOR_MAP_DATA_TYPE_TFLOAT32_FTZ,
       4,
       2,
       {128, 300},
       {1024},
       {16, 8},
       {1, 1},
       0,
       0,
       0,
       0,
       {4, 7}},
      {"3d_128", F16, 2, 3, {128, 64, 20}, {512, 65536}, {64, 8, 3}, {1, 1, 1}, 0, 3, 0, 0, {64, 5, 2}},
      {"3d_out", F32, 4, 3, {60, 50, 20}, {256, 32768}, {32, 8, 3}, {1, 1, 1}, 0, 0, 0, 0, {40, 45, -1}},
      {"4d",
       F32,
       4,
       4,
       {60, 50, 20, 10},
       {256, 32768, 1048576},
       {8, 4, 3, 2},
       {1, 1, 1, 1},
       0,
       0,
       0,
       0,
       {40, 45, 1, 3}},
      {"5d",
       F32,
       4,
       5,
       {60, 10, 6, 5, 4},
       {256, 4096, 65536, 1048576},
       {8, 4, 3, 2, 2},
       {1, 2, 1, 1, 1},
       0,
       0,
       0,
       0,
       {40, 1, 4, 3, 3}},
      {"interleave_16", F16, 2, 3, {64, 50, 20}, {1024, 65536}, {8, 4, 3}, {1, 1, 1}, 1, 0, 0, 0, {5, 7, 2}},
      {"interleave_32", F16, 2, 3, {64, 50, 20}, {2048, 131072}, {16, 4, 3}, {1, 1, 1}, 2, 1, 0, 0, {5, 7, 2}},
      {"big_dims", U8, 1, 2, {4294967296ULL, 65536}, {1ULL << 39}, {256, 1}, {8, 7}, 0, 0, 0, 0, {100, 0}},
  };
  for (auto& m : maps) {
    if (skip()) continue;
    CUtensorMap map{};
    std::vector<cuuint64_t> strides = m.strides;
    strides.resize(5);
    auto r =
        encode_tiled(&map, m.type, m.rank, reinterpret_cast<char*>(in) + m.offset, m.dims.data(), strides.data(),
                     m.box.data(), m.steps.data(), (CUtensorMapInterleave)m.interleave, (CUtensorMapSwizzle)m.swizzle,
                     (CUtensorMapL2promotion)m.promotion, (CUtensorMapFloatOOBfill)m.fill);
    if (r != CUDA_SUCCESS) {
      printf("load,%s,error %d,\n", m.name, (int)r);
      continue;
    }
    int bytes = m.bytes;
    for (int i = 0; i < m.rank; ++i) bytes *= (m.box[i] + m.steps[i] - 1) / m.steps[i];
    if (m.interleave == 0 && m.steps[0] != 1) bytes = bytes;
    Coordinates at{};
    for (int i = 0; i < m.rank; ++i) at.c[i] = m.at[i];
    clear();
    int ok = 1;
    if (std::string(m.name) != "big_dims") {
      auto kernel = m.rank == 1   ? load_1d
                    : m.rank == 2 ? load_2d
                    : m.rank == 3 ? load_3d
                    : m.rank == 4 ? load_4d
                                  : load_5d;
      kernel<<<1, 64, 100000>>>(map, reinterpret_cast<uint4*>(out), at, bytes);
    } else
      ok = 0;
    printf("load,%s,%s,%d,%016llx\n", m.name, hex(map).c_str(), bytes, ok ? hash(out, 65536) : 0);
    fflush(stdout);
  }
  {  // im2col: NHWC of halves
    struct Im {
      const char* name;
      int rank;
      std::vector<cuuint64_t> dims, strides;
      std::vector<int> lower, upper;
      u32 channels, pixels;
      std::vector<cuuint32_t> steps;
      int swizzle;
      std::vector<int> at;
      std::vector<int> o;
    };
    std::vector<Im> ims = {
        {"im3", 3, {64, 20, 4}, {128, 4096}, {-1}, {-1}, 32, 24, {1, 1, 1}, 0, {16, 3, 1}, {1}},
        {"im4",
         4,
         {64, 20, 18, 4},
         {128, 4096, 131072},
         {-1, -1},
         {-1, -1},
         32,
         48,
         {1, 1, 1, 1},
         2,
         {32, 17, 2, 1},
         {2, 1}},
        {"im4_steps",
         4,
         {64, 20, 18, 4},
         {128, 4096, 131072},
         {-1, -1},
         {-1, -1},
         64,
         40,
         {1, 2, 2, 1},
         3,
         {0, 15, 1, 1},
         {0, 2}},
        {"im5",
         5,
         {64, 10, 8, 6, 4},
         {128, 2048, 32768, 262144},
         {-1, -1, 0},
         {-1, -1, 0},
         16,
         70,
         {1, 1, 1, 1, 1},
         1,
         {8, 7, 5, 4, 1},
         {1, 0, 0}},
        {"im5_far",
         5,
         {64, 10, 8, 6, 4},
         {128, 2048, 32768, 262144},
         {-3, -2, -1},
         {2, 3, -4},
         16,
         70,
         {1, 1, 2, 3, 1},
         1,
         {8, -3, 5, 4, 1},
         {3, 2, 1}},
    };
    for (auto& m : ims) {
      if (skip()) continue;
      CUtensorMap map{};
      auto r = encode_im2col(&map, F16, m.rank, in, m.dims.data(), m.strides.data(), m.lower.data(), m.upper.data(),
                             m.channels, m.pixels, m.steps.data(), (CUtensorMapInterleave)0,
                             (CUtensorMapSwizzle)m.swizzle, (CUtensorMapL2promotion)0, (CUtensorMapFloatOOBfill)0);
      if (r != CUDA_SUCCESS) {
        printf("im2col,%s,error %d,\n", m.name, (int)r);
        continue;
      }
      int bytes = 2 * m.channels * m.pixels;
      Coordinates at{};
      for (int i = 0; i < m.rank; ++i) at.c[i] = m.at[i];
      for (int i = 0; i < m.rank - 2; ++i) at.o[i] = m.o[i];
      clear();
      auto kernel = m.rank == 3 ? im2col_3d : m.rank == 4 ? im2col_4d : im2col_5d;
      kernel<<<1, 64, 40000>>>(map, reinterpret_cast<uint4*>(out), at, bytes);
      printf("im2col,%s,%s,%d,%016llx\n", m.name, hex(map).c_str(), bytes, hash(out, 65536));
      fflush(stdout);
    }
  }
  for (int add : {0, 1})
    for (auto [swizzle, x] : {std::pair{0, 130}, {3, 64}, {3, 470}}) {
      if (skip()) continue;
      CUtensorMap map{};
      clear();
      cuuint64_t dims[] = {500, 300}, strides[] = {1024};
      cuuint32_t box[] = {64, 32}, steps[] = {1, 1};
      encode_tiled(&map, CU_TENSOR_MAP_DATA_TYPE_UINT16, 2, out, dims, strides, box, steps,
                   CU_TENSOR_MAP_INTERLEAVE_NONE, (CUtensorMapSwizzle)swizzle, CU_TENSOR_MAP_L2_PROMOTION_NONE,
                   CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
      if (add) {
        dims[0] = 250;
        box[0] = 32;
        encode_tiled(&map, U32, 2, out, dims, strides, box, steps, CU_TENSOR_MAP_INTERLEAVE_NONE,
                     (CUtensorMapSwizzle)swizzle, CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
      }
      Coordinates at{{add ? x / 2 : x, 290}, {}};
      store_2d<<<1, 64, 40000>>>(map, at, 4096, add);
      if (add) store_2d<<<1, 64, 40000>>>(map, at, 4096, add);
      printf("store,%d %d %d,%s,4096,%016llx\n", add, swizzle, x, hex(map).c_str(), hash(out, 1 << 19));
    }
  {
    CUtensorMap map{}, *device;
    cuuint64_t dims[] = {64, 65536}, strides[] = {128};
    cuuint32_t box[] = {64, 32}, steps[] = {1, 1};
    encode_tiled(&map, F16, 2, in, dims, strides, box, steps, CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_128B,
                 CU_TENSOR_MAP_L2_PROMOTION_L2_128B, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
    CHECK(cudaMalloc(&device, sizeof map));
    CHECK(cudaMemcpy(device, &map, sizeof map, cudaMemcpyHostToDevice));
    if (!skip()) {
      clear(), map_in_memory<<<1, 64, 40000>>>(device, reinterpret_cast<uint4*>(out), Coordinates{{0, 5}, {}}, 4096);
      printf("map_in_memory,0 5,%s,4096,%016llx\n", hex(map).c_str(), hash(out, 65536));
    }
    for (int cluster : {1, 2})
      for (int stages : {1, 2, 4})
        for (int shift : {0, 16}) {
          if (skip()) continue;
          cuuint32_t tile[] = {64, static_cast<cuuint32_t>(64 / cluster)};
          encode_tiled(&map, F16, 2, in, dims, strides, tile, steps, CU_TENSOR_MAP_INTERLEAVE_NONE,
                       CU_TENSOR_MAP_SWIZZLE_128B, CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
          clear();
          auto kernel = cluster == 1 ? pipeline_alone : pipeline_pair;
          kernel<<<132, 160, 40000>>>(map, out, 64, stages, shift);
          printf("pipeline,%d %d %d,%s,,%016llx\n", cluster, stages, shift, hex(map).c_str(), hash(out, 132 * 512));
        }
  }
  return 0;
}
