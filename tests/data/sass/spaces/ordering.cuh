// Loads and stores with a cache operator or an order, prefetches, fences.
#include "access.cuh"

#define LOAD_FORM(name, form)                                                                 \
  KERNEL load_##name(ARGS) {                                                                  \
    ME;                                                                                       \
    unsigned a, b;                                                                            \
    asm volatile(form " %0, [%1];" : "=r"(a) : "l"(global_of(in + i * (n & 15))) : "memory"); \
    asm volatile(form " %0, [%1];" : "=r"(b) : "l"(global_of(in + i * (n & 15))) : "memory"); \
    out[i] = a + b;                                                                           \
  }
LOAD_FORM(ca, "ld.global.ca.u32")
LOAD_FORM(cg, "ld.global.cg.u32")
LOAD_FORM(cs, "ld.global.cs.u32")
LOAD_FORM(lu, "ld.global.lu.u32")
LOAD_FORM(cv, "ld.global.cv.u32")
LOAD_FORM(nc, "ld.global.nc.u32")
LOAD_FORM(volatile, "ld.volatile.global.u32")
LOAD_FORM(relaxed_cta, "ld.relaxed.cta.global.u32")
LOAD_FORM(relaxed_gpu, "ld.relaxed.gpu.global.u32")
LOAD_FORM(relaxed_sys, "ld.relaxed.sys.global.u32")
LOAD_FORM(acquire_cta, "ld.acquire.cta.global.u32")
LOAD_FORM(acquire_gpu, "ld.acquire.gpu.global.u32")
LOAD_FORM(acquire_sys, "ld.acquire.sys.global.u32")
LOAD_FORM(no_allocate, "ld.global.L1::no_allocate.u32")

#define STORE_FORM(name, form)                                                               \
  KERNEL store_##name(ARGS) {                                                                \
    ME;                                                                                      \
    asm volatile(form " [%0], %1;" ::"l"(global_of(out + i * (n & 15))), "r"(i) : "memory"); \
    asm volatile(form " [%0], %1;" ::"l"(global_of(out + i * (n & 15))), "r"(n) : "memory"); \
  }
STORE_FORM(wb, "st.global.wb.u32")
STORE_FORM(cg, "st.global.cg.u32")
STORE_FORM(cs, "st.global.cs.u32")
STORE_FORM(wt, "st.global.wt.u32")
STORE_FORM(volatile, "st.volatile.global.u32")
STORE_FORM(relaxed_gpu, "st.relaxed.gpu.global.u32")
STORE_FORM(release_cta, "st.release.cta.global.u32")
STORE_FORM(release_gpu, "st.release.gpu.global.u32")
STORE_FORM(release_sys, "st.release.sys.global.u32")

KERNEL prefetches(ARGS) {
  ME;
  asm volatile("prefetch.global.L1 [%0];" ::"l"(global_of(in + i * (n & 15))));
  asm volatile("prefetch.global.L2 [%0];" ::"l"(global_of(in + 65536 + i * (n & 15))));
  out[i] = in[i * (n & 15)] + in[65536 + i * (n & 15)];
}

// A store, a load, the fence, the same load again: a line that the fence drops misses again.
#define FENCE(name, fence)                                  \
  KERNEL fence_##name(ARGS) {                               \
    ME;                                                     \
    Value v, w;                                             \
    LOAD(".global.ca", 4, v, global_of(in + i * (n & 15))); \
    STORE(".global", 4, v, global_of(out + i));             \
    fence;                                                  \
    LOAD(".global.ca", 4, w, global_of(in + i * (n & 15))); \
    out[262144 + i] = v.x + w.x;                            \
  }
FENCE(none, )
FENCE(cta, __threadfence_block())
FENCE(gpu, __threadfence())
FENCE(sys, __threadfence_system())
FENCE(acq_rel_cta, asm volatile("fence.acq_rel.cta;" ::: "memory"))
FENCE(acq_rel_gpu, asm volatile("fence.acq_rel.gpu;" ::: "memory"))
FENCE(acq_rel_sys, asm volatile("fence.acq_rel.sys;" ::: "memory"))
FENCE(sc_cta, asm volatile("fence.sc.cta;" ::: "memory"))
FENCE(sc_gpu, asm volatile("fence.sc.gpu;" ::: "memory"))
FENCE(barrier, __syncthreads())

KERNEL fence_local(ARGS) {  // does a fence drop lines of local memory?
  ME;
  int a[64];
  const std::uint64_t base = local_of(a);
  Value v;
  v.x = i;
  for (int k = 0; k < (n & 63); ++k) STORE(".local", 4, v, base + 4 * k);
  asm volatile("fence.acq_rel.gpu;" ::: "memory");
  int s = 0;
  for (int k = 0; k < (n & 63); ++k) {
    LOAD(".local", 4, v, base + 4 * k);
    s += v.x;
  }
  out[i] = s;
}
