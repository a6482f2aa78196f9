// Small kernels that together use most of what nvcc emits for sm_80 and sm_90. All have one signature, so that one
// runner makes listings, outputs and counters of all of them (see ../README.md).
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_pipeline.h>

#include <cstdint>

#define KERNEL extern "C" __global__ void __launch_bounds__(128)
#define ARGS int* __restrict__ out, const int* __restrict__ in, int n
#define ME int i = blockIdx.x * blockDim.x + threadIdx.x

KERNEL integer(ARGS) {
  ME;
  int a = in[i], b = in[i + n], c = in[i + 2 * n] & 31, d = (b & 1023) + 1;
  int* o = out + i * 32;
  o[0] = a + b * c;
  o[1] = a / d;
  o[2] = a % d;
  o[3] = (unsigned)a / (unsigned)d;
  o[4] = __mulhi(a, b);
  o[5] = __umulhi(a, b);
  o[6] = a << c;
  o[7] = a >> c;
  o[8] = (unsigned)a >> c;
  o[9] = min(a, b);
  o[10] = max((unsigned)a, (unsigned)b);
  o[11] = abs(a - b);
  o[12] = __popc(a);
  o[13] = __clz(a >> c);
  o[14] = __ffs(a);
  o[15] = __brev(a);
  o[16] = __byte_perm(a, b, c | c << 7);
  o[17] = __funnelshift_l(a, b, c);
  o[18] = __funnelshift_r(a, b, c);
  o[19] = __sad(a, b, c);
  o[20] = __dp4a(a, b, c);
  o[21] = (a & b) | (~a & c);
  o[22] = a ^ b ^ c;
  o[23] = __vadd2(a, b);
  o[24] = a < b ? c : d;
  o[25] = (a > 0 && b < 77) || c == 3;
  o[26] = (short)a * (short)b;
  unsigned x;
  asm("bfe.u32 %0, %1, %2, 7;" : "=r"(x) : "r"(a), "r"(c));
  o[27] = x;
  int y;
  asm("bfi.b32 %0, %1, %2, %3, 9;" : "=r"(y) : "r"(a), "r"(b), "r"(c));
  o[28] = y;
  asm("bfe.s32 %0, %1, %2, 5;" : "=r"(y) : "r"(a), "r"(c));
  o[29] = y;
  o[30] = __mul24(a, b);
  o[31] = __usad(a, b, 5);
}
KERNEL wide(ARGS) {
  ME;
  long long a = (long long)in[i] << 20 | in[i + n], b = (long long)in[i + 2 * n] * 77 - 12345;
  int s = in[i] & 63;
  long long* o = (long long*)out + i * 16;
  o[0] = a + b;
  o[1] = a - b;
  o[2] = a * b;
  o[3] = a / b;
  o[4] = a % (b | 1);
  o[5] = (unsigned long long)a / 1000;
  o[6] = a << s;
  o[7] = a >> s;
  o[8] = (unsigned long long)a >> s;
  o[9] = a < b;
  o[10] = max(a, b);
  o[11] = __mul64hi(a, b);
  o[12] = __popcll(a);
  o[13] = __clzll(a);
  o[14] = __brevll(a);
  o[15] = llabs(a - b);
}
KERNEL single(ARGS) {
  ME;
  float a = in[i] * 1e-5f - 3000.f, b = in[i + n] * 3e-9f + 0.01f, c = (in[i + 2 * n] & 255) - 128.f;
  float* o = (float*)out + i * 32;
  o[0] = a + b;
  o[1] = a * b;
  o[2] = fmaf(a, b, c);
  o[3] = fminf(a, c);
  o[4] = fmaxf(a, c);
  o[5] = fabsf(a);
  o[6] = floorf(a);
  o[7] = ceilf(a);
  o[8] = rintf(a);
  o[9] = truncf(a);
  o[10] = __fmul_rz(a, b);
  o[11] = __fadd_rd(a, b);
  o[12] = a < c ? a : b;
  o[13] = __int2float_rn(in[i]);
  o[14] = (float)(unsigned)in[i];
  ((int*)o)[15] = (int)a;
  ((int*)o)[16] = __float2int_rd(a);
  ((unsigned*)o)[17] = (unsigned)b;
  ((int*)o)[18] = __float_as_int(a) ^ 1;
  o[19] = a / b;
  o[20] = sqrtf(b);
  o[21] = 1.f / c;
  ((long long*)o)[11] = (long long)(a * 1e6f);
  ((int*)o)[24] = a != b && !(c > 2.f);
  o[25] = copysignf(b, c);
  o[26] = __saturatef(a);
  ((int*)o)[27] = isnan(a / c);
  o[28] = (float)(long long)in[i];
  o[29] = fmodf(a, b);
  o[30] = (float)(char)in[i];
  o[31] = (float)(short)in[i];
}
KERNEL approx(ARGS) {
  ME;
  float a = in[i] * 3e-9f + 0.01f, b = in[i + n] * 1e-8f - 10.f;
  float* o = (float*)out + i * 16;
  o[0] = __expf(b);
  o[1] = __logf(a);
  o[2] = __sinf(b);
  o[3] = __cosf(b);
  o[4] = rsqrtf(a);
  o[5] = __fdividef(b, a);
  o[6] = exp2f(b);
  o[7] = tanhf(b);
  o[8] = sinf(b);
  o[9] = powf(a, b);
  o[10] = log2f(a);
  o[11] = erff(b);
  o[12] = cbrtf(a);
  o[13] = expf(b);
}
KERNEL fp64(ARGS) {
  ME;
  double a = in[i] * 1e-5 - 3000., b = in[i + n] * 3e-9 + 0.01;
  double* o = (double*)out + i * 16;
  o[0] = a + b;
  o[1] = a * b;
  o[2] = fma(a, b, 1.5);
  o[3] = a / b;
  o[4] = sqrt(b);
  o[5] = fmin(a, b);
  o[6] = floor(a);
  o[7] = (double)in[i];
  o[8] = (float)a;
  ((long long*)o)[9] = (long long)a;
  ((int*)o)[20] = (int)a;
  ((int*)o)[21] = a < b;
  o[11] = (double)(float)b;
  o[12] = (double)(long long)in[i];
  o[13] = fabs(a) - b;
  ((unsigned*)o)[28] = (unsigned)b;
  o[15] = exp(b);
}
KERNEL halves(ARGS) {
  ME;
  float x = (in[i] & 4095) * 0.01f - 20.f, y = (in[i + n] & 4095) * 0.003f + 0.1f;
  __half2 a = __floats2half2_rn(x, y), b = __floats2half2_rn(y, -x), c = __floats2half2_rn(0.5f, y);
  __half2* o = (__half2*)out + i * 16;
  o[0] = __hadd2(a, b);
  o[1] = __hmul2(a, b);
  o[2] = __hfma2(a, b, c);
  o[3] = __hmin2(a, b);
  o[4] = __hmax2(a, c);
  o[5] = __hneg2(a);
  ((int*)o)[6] = __hlt(a.x, b.x) + 2 * __hge(a.y, c.y);
  ((float*)o)[7] = __half2float(a.y);
  o[8] = __hlt2(a, b);
  __nv_bfloat162 p = __floats2bfloat162_rn(x, y), q = __floats2bfloat162_rn(y, x);
  __nv_bfloat162* r = (__nv_bfloat162*)o;
  r[9] = __hadd2(p, q);
  r[10] = __hmul2(p, q);
  r[11] = __hfma2(p, q, p);
  r[12] = __hmax2(p, q);
  ((float*)o)[13] = __bfloat162float(q.y);
  ((int*)o)[14] = __half2int_rn(a.x);
  o[15] = __half2half2(__int2half_rn(in[i] & 2047));
}
KERNEL lanes(ARGS) {
  ME;
  int v = in[i];
  int* o = out + i * 32;
  unsigned lane = threadIdx.x & 31;
  o[0] = __shfl_sync(~0u, v, 5);
  o[1] = __shfl_sync(~0u, v, v & 31);
  o[2] = __shfl_up_sync(~0u, v, 3);
  o[3] = __shfl_down_sync(~0u, v, 7);
  o[4] = __shfl_xor_sync(~0u, v, 16);
  o[5] = __shfl_sync(~0u, v, 2, 8);
  o[6] = __shfl_up_sync(~0u, v, 1, 16);
  o[7] = __shfl_down_sync(~0u, v, 2, 4);
  o[8] = __ballot_sync(~0u, v & 1);
  o[9] = __any_sync(~0u, v == 7);
  o[10] = __all_sync(~0u, v > 0);
  o[11] = __match_any_sync(~0u, v & 3);
  int all;
  o[12] = __match_all_sync(~0u, v & 0, &all);
  o[13] = all;
  o[14] = __reduce_add_sync(~0u, v & 1023);
  o[15] = __reduce_max_sync(~0u, v);
  o[16] = __reduce_and_sync(~0u, v | 3);
  o[17] = __reduce_xor_sync(~0u, v);
  o[18] = __reduce_min_sync(~0u, (unsigned)v);
  if (v & 4)
    o[19] = __ballot_sync(__activemask(), lane < 20);
  else
    o[19] = __shfl_xor_sync(__activemask(), v, 0);
  int sum = v & 255;
  for (int d = 1; d < 32; d *= 2) {
    int t = __shfl_up_sync(~0u, sum, d);
    if (lane >= d) sum += t;
  }
  o[20] = sum;
  unsigned x;
  asm("mov.u32 %0, %%lanemask_lt;" : "=r"(x));
  o[21] = x;
  asm("mov.u32 %0, %%laneid;" : "=r"(x));
  o[22] = x;
  asm("mov.u32 %0, %%lanemask_ge;" : "=r"(x));
  o[23] = x;
  o[24] = __popc(__ballot_sync(~0u, v & 8) & ((1u << lane) - 1));
}
KERNEL divergent(ARGS) {
  ME;
  int v = in[i], s = 0, t = 0;
  if (v & 1) {
    s = v * 3;
    if (v & 2)
      s += in[(v >> 8) & 255];
    else {
      s -= 7;
      t = 1;
    }
  } else if (v & 4)
    s = v / 3;
  for (int k = 0; k < (v >> 4 & 15); ++k) {
    if ((k ^ v) % 5 == 3) continue;
    s += in[k] * k;
    if (s % 11 == 7) break;
  }
  while (t < (v & 63)) {
    t += 1 + (s & 3);
    s = s * 1103515245 + 12345;
  }
  if (v % 7 == 3) {
    out[i] = s;
    return;
  }
  __syncwarp();
  do {
    s ^= s << 3;
    t--;
  } while (t > 5 && (s & 7));
  out[i] = s + t;
  if (threadIdx.x < 40)
    for (int k = threadIdx.x; k < 50; k += 3) atomicAdd(out + n + k, s & 255);
}
KERNEL jumps(ARGS) {
  ME;
  int v = in[i], s = 1;
  for (int r = 0; r < 4; ++r) {
    switch (v >> (3 * r) & 15) {
      case 0:
        s += 3;
        break;
      case 1:
        s *= v;
        break;
      case 2:
        s ^= in[s & 255];
        break;
      case 3:
        s = s / 3 + r;
        break;
      case 4:
        s -= v >> 3;
        break;
      case 5:
        s = __popc(s);
        break;
      case 6:
        s = __brev(s);
        break;
      case 7:
        s = max(s, v);
        break;
      case 8:
        s += in[n + (s & 127)];
        break;
      case 9:
        s = s << r;
        break;
      case 10:
        s = ~s;
        break;
      default:
        s = s % 77;
    }
  }
  out[i] = s;
}
__device__ __noinline__ int helper(int a, int b) {
  int r = a;
  for (int k = 0; k < (b & 7); ++k) r = r * 5 + b;
  return r;
}
__device__ __noinline__ int fib(int k) { return k < 2 ? k : fib(k - 1) + fib(k - 2); }
KERNEL calls(ARGS) {
  ME;
  int v = in[i];
  int s = helper(v, i);
  if (v & 1) s += helper(s, v);
  out[i] = s + fib(v & 7);
}
KERNEL local(ARGS) {
  ME;
  int a[24];
  int v = in[i];
  for (int k = 0; k < 24; ++k) a[k] = in[(i + k * 7) & 255];
  for (int k = 0; k < 24; ++k) {
    int j = (v >> k) % 24;
    j = j < 0 ? -j : j;
    int t = a[j];
    a[j] = a[k] ^ k;
    a[k] = t;
  }
  int s = 0;
  for (int k = 0; k < 24; ++k) s = s * 31 + a[k];
  out[i] = s;
}
KERNEL through_shared(ARGS) {
  __shared__ int index[128];
  __shared__ int bins[64];
  __shared__ short small[256];
  ME;
  int t = threadIdx.x;
  index[t] = (in[i] >> 3) & 127;
  if (t < 64) bins[t] = 0;
  small[t] = in[i];
  small[t + 128] = in[i] >> 5;
  __syncthreads();
  int j = index[index[t] ^ 1];
  atomicAdd(&bins[j & 63], t);
  __syncthreads();
  int old = atomicMax(&bins[(j + 5) & 63], 3);
  __syncthreads();
  out[i] = in[j] + bins[t & 63] + small[(j * 2) & 255] + (old & 0);
  if (in[index[t]] & 64) out[n + i] = bins[index[t] & 63];
  out[2 * n + i] =
      __syncthreads_count(in[i] & 1) + 1000 * __syncthreads_or(in[i] == 5) + 2000 * __syncthreads_and(in[i] != 9);
}
KERNEL scan(ARGS) {
  extern __shared__ int s[];
  ME;
  int t = threadIdx.x;
  s[t] = in[i] & 1023;
  __syncthreads();
  for (int d = 1; d < blockDim.x; d *= 2) {
    int x = t >= d ? s[t - d] : 0;
    __syncthreads();
    s[t] += x;
    __syncthreads();
  }
  if (in[i] & 1) out[blockIdx.x * 128 + (s[t] & 127)] = 1;
  out[n + i] = s[t];
}
KERNEL atomics(ARGS) {
  ME;
  int v = in[i];
  int* o = out + (blockIdx.x << 10);
  atomicAdd(o + (v & 15), 3);
  atomicMax(o + 16 + (v & 15), v & 0xffff);
  atomicAnd((unsigned*)o + 32, ~(1u << (v & 31)));
  atomicOr(o + 33, 1 << (v & 31));
  atomicXor(o + 34, v);
  atomicMin((unsigned*)o + 35, (unsigned)v);
  atomicAdd((float*)o + 36, 1.0f);
  atomicAdd((unsigned long long*)(o + 38), 5ull);
  if (threadIdx.x == 0) {
    int old = atomicAdd(o + 40, 7);
    o[41] = old;
    o[42] = atomicCAS(o + 43, 0, 99);
    o[44] = atomicExch(o + 45, v);
    o[46] = atomicInc((unsigned*)o + 47, 5);
  }
  if (threadIdx.x < 32) {
    int pos = atomicAdd(o + 48, 1);
    o[64 + pos] = 1;
  }
}
KERNEL gather(ARGS) {
  ME;
  int a = in[i] & 255;
  int b = in[a] & 255;
  out[b] = 1;
  if (in[b] > in[a]) out[n + i] = in[n + ((a * b) & 255)];
}
KERNEL widths(ARGS) {
  ME;
  const char* c = (const char*)in;
  char* o = (char*)out;
  int4 v = ((const int4*)in)[i & 63];
  int2 w = ((const int2*)in)[i & 127];
  int s = (signed char)c[i] + ((const unsigned char*)c)[i + 3] + ((const short*)c)[i + 1] +
          ((const unsigned short*)c)[i + 9];
  v.x += s;
  w.y ^= s;
  ((int4*)out)[i] = v;
  ((int2*)(out + 4 * n))[i] = w;
  o[32 * n + i] = s;
  ((short*)(o + 36 * n))[i] = s * 3;
  int g;
  asm volatile("ld.global.cg.s32 %0, [%1];" : "=r"(g) : "l"(in + i));
  asm volatile("st.global.wt.s32 [%0], %1;" ::"l"(out + 10 * n + i), "r"(g));
  asm volatile("ld.volatile.global.s32 %0, [%1];" : "=r"(g) : "l"(in + i));
  __threadfence();
  out[11 * n + i] = g;
  const int* generic = (v.x & 1) ? in + 1 : (const int*)(out + 12 * n);
  out[13 * n + i] = *(volatile const int*)generic;
}
__constant__ int table[64] = {5, 3, 9, 1, 4, 7, 8, 2};
KERNEL constants(ARGS) {
  ME;
  int s = 0;
  for (int k = 0; k < (n & 31) + 9; ++k) s += table[(in[i] + k) & 63] * table[k & 7];
  out[i] = s + gridDim.x * 3 + blockDim.x + gridDim.y;
  if (i == table[2]) out[n] = clock() != 0;
}
KERNEL async(ARGS) {
  __shared__ __align__(16) int s[2][128 * 4];
  int t = threadIdx.x;
  int acc = 0;
  __pipeline_memcpy_async(&s[0][t * 4], in + t * 4, 16);
  __pipeline_commit();
  for (int k = 0; k < 4; ++k) {
    if (k < 3) {
      __pipeline_memcpy_async(&s[(k + 1) & 1][t], in + ((t * 3 + k) & 511), 4);
      __pipeline_memcpy_async(&s[(k + 1) & 1][128 + t * 2], in + t * 2, 8);
    }
    __pipeline_commit();
    __pipeline_wait_prior(1);
    __syncthreads();
    acc = acc * 3 + s[k & 1][(t * 5) & 127] + s[k & 1][128 + t];
    __syncthreads();
  }
  ME;
  out[i] = acc;
}
__device__ void ldsm(unsigned (&r)[4], const void* p) {
  unsigned a = __cvta_generic_to_shared(p);
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
               : "r"(a));
}
__device__ void ldsmt(unsigned (&r)[2], const void* p) {
  unsigned a = __cvta_generic_to_shared(p);
  asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0,%1}, [%2];" : "=r"(r[0]), "=r"(r[1]) : "r"(a));
}
KERNEL matrix(ARGS) {
  __shared__ __align__(16) __half s[4][16 * 24];
  int t = threadIdx.x, w = t >> 5, lane = t & 31;
  for (int k = lane; k < 16 * 24; k += 32) s[w][k] = __float2half((in[(k * 3 + w) & 255] & 63) * 0.125f - 4.f);
  __syncwarp();
  unsigned a[4], b[2];
  ldsm(a, &s[w][(lane & 15) * 24 + (lane >> 4) * 8]);
  ldsmt(b, &s[w][(lane & 15) * 24 + 16]);
  float d[4] = {0, 1, 2, 3};
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
               : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
  asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5}, {%6}, {%0,%1,%2,%3};"
               : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
               : "r"(a[1]), "r"(a[3]), "r"(b[1]));
  unsigned h[2] = {a[0], a[1]};
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 {%0,%1}, {%2,%3,%4,%5}, {%6,%7}, {%0,%1};"
               : "+r"(h[0]), "+r"(h[1])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
  float e[4] = {1, 0, 1, 0};
  unsigned ta[4], tb[2];
  for (int k = 0; k < 4; ++k) ta[k] = __float_as_uint((in[lane + k] & 1023) * 0.25f);
  tb[0] = ta[2] ^ 0x3f000000 & 0;
  tb[1] = ta[1];
  asm volatile(
      "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
      : "+f"(e[0]), "+f"(e[1]), "+f"(e[2]), "+f"(e[3])
      : "r"(ta[0]), "r"(ta[1]), "r"(ta[2]), "r"(ta[3]), "r"(tb[0]), "r"(tb[1]));
  asm volatile("mma.sync.aligned.m16n8k4.row.col.f32.tf32.tf32.f32 {%0,%1,%2,%3}, {%4,%5}, {%6}, {%0,%1,%2,%3};"
               : "+f"(e[0]), "+f"(e[1]), "+f"(e[2]), "+f"(e[3])
               : "r"(ta[0]), "r"(ta[1]), "r"(tb[0]));
  float f[4] = {0, 0, 1, 1};
  asm volatile(
      "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
      : "+f"(f[0]), "+f"(f[1]), "+f"(f[2]), "+f"(f[3])
      : "r"(ta[0] >> 16), "r"(ta[1] >> 16), "r"(ta[2] >> 16), "r"(ta[3] >> 16), "r"(tb[0] >> 16), "r"(tb[1] >> 16));
  int g[4] = {1, 2, 3, 4};
  asm volatile("mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
               : "+r"(g[0]), "+r"(g[1]), "+r"(g[2]), "+r"(g[3])
               : "r"(in[lane]), "r"(in[lane + 1]), "r"(in[lane + 2]), "r"(in[lane + 3]), "r"(in[lane + 4]),
                 "r"(in[lane + 5]));
  asm volatile("mma.sync.aligned.m16n8k16.row.col.s32.u8.s8.s32 {%0,%1,%2,%3}, {%4,%5}, {%6}, {%0,%1,%2,%3};"
               : "+r"(g[0]), "+r"(g[1]), "+r"(g[2]), "+r"(g[3])
               : "r"(in[lane]), "r"(in[lane + 7]), "r"(in[lane + 4]));
  double dd[2] = {1, 2};
  asm volatile("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0,%1}, {%2}, {%3}, {%0,%1};"
               : "+d"(dd[0]), "+d"(dd[1])
               : "d"((double)(in[lane] & 255)), "d"((double)(in[lane + 9] & 255)));
  ME;
  int* o = out + i * 32;
  for (int k = 0; k < 4; ++k) {
    o[k] = __float_as_int(d[k]);
    o[4 + k] = __float_as_int(e[k]);
    o[8 + k] = __float_as_int(f[k]);
    o[12 + k] = g[k];
    o[16 + k] = a[k];
  }
  o[20] = h[0];
  o[21] = h[1];
  o[22] = b[0];
  o[23] = b[1];
  ((double*)o)[12] = dd[0];
  ((double*)o)[13] = dd[1];
}
KERNEL stride_loop(ARGS) {
  int s = 0;
  for (int k = blockIdx.x * blockDim.x + threadIdx.x; k < 4 * n; k += gridDim.x * blockDim.x) s += in[k] * 3;
  ME;
  out[i] = s;
}
KERNEL named(ARGS) {
  __shared__ int s[128];
  ME;
  int t = threadIdx.x;
  s[t] = in[i];
  if (t < 64) {
    asm volatile("bar.sync 1, 64;");
    out[i] = s[(t + 1) & 63];
    asm volatile("bar.arrive 2, 128;");
  } else {
    asm volatile("bar.sync 2, 128;");
    out[i] = s[t ^ 64];
  }
}
KERNEL bulk(ARGS) {
#if __CUDA_ARCH__ >= 900
  __shared__ __align__(128) int s[512];
  __shared__ __align__(8) uint64_t bar;
  int t = threadIdx.x;
  unsigned b = __cvta_generic_to_shared(&bar), d = __cvta_generic_to_shared(s);
  if (t == 0) {
    asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(b));
    asm volatile("fence.proxy.async.shared::cta;");
  }
  __syncthreads();
  if (t == 0) {
    asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], 2048;" ::"r"(b));
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], 2048, [%2];" ::"r"(d),
                 "l"(in), "r"(b)
                 : "memory");
  }
  asm volatile("{ .reg .pred p; W: mbarrier.try_wait.parity.shared.b64 p, [%0], 0; @p bra D; bra W; D: }" ::"r"(b)
               : "memory");
  ME;
  out[i] = s[(t * 7) & 511];
  out[n + i] = in[s[t] & 255];
#endif
}
