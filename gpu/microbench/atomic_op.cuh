// Atomic operations by name, on global and shared memory, with a result and without (red). A value added is zero where
// the result is an address of the next one, so that a chain stays where it is.
#pragma once

#include <cstdint>

namespace tilescope::gpu {

enum class AtomicOp { add_u32, add_u64, add_f32, add_f16x2, max_s32, exch_b32, cas_b32, cas_b64, load };

constexpr const char* name_of(AtomicOp op) {
  switch (op) {
    case AtomicOp::add_u32:
      return "add_u32";
    case AtomicOp::add_u64:
      return "add_u64";
    case AtomicOp::add_f32:
      return "add_f32";
    case AtomicOp::add_f16x2:
      return "add_f16x2";
    case AtomicOp::max_s32:
      return "max_s32";
    case AtomicOp::exch_b32:
      return "exch_b32";
    case AtomicOp::cas_b32:
      return "cas_b32";
    case AtomicOp::cas_b64:
      return "cas_b64";
    case AtomicOp::load:
      return "load";
  }
  return "";
}
__host__ __device__ constexpr int bytes_of(AtomicOp op) {
  return op == AtomicOp::add_u64 || op == AtomicOp::cas_b64 ? 8 : 4;
}

#define TILESCOPE_ATOM(space, op, result, address, value) \
  asm volatile("atom" space "." op " %0, [%1], %2;" : "=r"(result) : "l"(address), "r"(value) : "memory")
#define TILESCOPE_ATOMIC_FUNCTIONS(name, space, plain)                                                              \
  template <AtomicOp kOp>                                                                                           \
  __device__ inline unsigned name##_atom(std::uint64_t address, unsigned value) {                                   \
    unsigned result = 0;                                                                                            \
    if constexpr (kOp == AtomicOp::add_u32) TILESCOPE_ATOM(space, "add.u32", result, address, value);               \
    if constexpr (kOp == AtomicOp::max_s32) TILESCOPE_ATOM(space, "max.s32", result, address, value);               \
    if constexpr (kOp == AtomicOp::exch_b32) TILESCOPE_ATOM(space, "exch.b32", result, address, value);             \
    if constexpr (kOp == AtomicOp::add_f16x2) TILESCOPE_ATOM(space, "add.noftz.f16x2", result, address, value);     \
    if constexpr (kOp == AtomicOp::add_f32)                                                                         \
      asm volatile("{.reg .f32 a, b; mov.b32 a, %2; atom" space ".add.f32 b, [%1], a; mov.b32 %0, b;}"              \
                   : "=r"(result)                                                                                   \
                   : "l"(address), "r"(value)                                                                       \
                   : "memory");                                                                                     \
    if constexpr (kOp == AtomicOp::add_u64)                                                                         \
      asm volatile("{.reg .b64 a, b; cvt.u64.u32 a, %2; atom" space ".add.u64 b, [%1], a; cvt.u32.u64 %0, b;}"      \
                   : "=r"(result)                                                                                   \
                   : "l"(address), "r"(value)                                                                       \
                   : "memory");                                                                                     \
    if constexpr (kOp == AtomicOp::cas_b32)                                                                         \
      asm volatile("atom" space ".cas.b32 %0, [%1], %2, %2;" : "=r"(result) : "l"(address), "r"(value) : "memory"); \
    if constexpr (kOp == AtomicOp::cas_b64)                                                                         \
      asm volatile("{.reg .b64 a, b; cvt.u64.u32 a, %2; atom" space ".cas.b64 b, [%1], a, a; cvt.u32.u64 %0, b;}"   \
                   : "=r"(result)                                                                                   \
                   : "l"(address), "r"(value)                                                                       \
                   : "memory");                                                                                     \
    if constexpr (kOp == AtomicOp::load) asm volatile(plain " %0, [%1];" : "=r"(result) : "l"(address) : "memory"); \
    return result;                                                                                                  \
  }                                                                                                                 \
  template <AtomicOp kOp>                                                                                           \
  __device__ inline void name##_red(std::uint64_t address, unsigned value) {                                        \
    if constexpr (kOp == AtomicOp::add_u32)                                                                         \
      asm volatile("red" space ".add.u32 [%0], %1;" ::"l"(address), "r"(value) : "memory");                         \
    if constexpr (kOp == AtomicOp::max_s32)                                                                         \
      asm volatile("red" space ".max.s32 [%0], %1;" ::"l"(address), "r"(value) : "memory");                         \
    if constexpr (kOp == AtomicOp::add_f16x2)                                                                       \
      asm volatile("red" space ".add.noftz.f16x2 [%0], %1;" ::"l"(address), "r"(value) : "memory");                 \
    if constexpr (kOp == AtomicOp::add_f32)                                                                         \
      asm volatile("{.reg .f32 a; mov.b32 a, %1; red" space ".add.f32 [%0], a;}" ::"l"(address), "r"(value)         \
                   : "memory");                                                                                     \
    if constexpr (kOp == AtomicOp::add_u64)                                                                         \
      asm volatile("{.reg .b64 a; cvt.u64.u32 a, %1; red" space ".add.u64 [%0], a;}" ::"l"(address), "r"(value)     \
                   : "memory");                                                                                     \
    if constexpr (kOp == AtomicOp::load)                                                                            \
      asm volatile("st" space ".u32 [%0], %1;" ::"l"(address), "r"(value) : "memory");                              \
  }
TILESCOPE_ATOMIC_FUNCTIONS(global, ".global", "ld.global.cg.u32")
TILESCOPE_ATOMIC_FUNCTIONS(shared, ".shared", "ld.volatile.shared.u32")

}  // namespace tilescope::gpu
