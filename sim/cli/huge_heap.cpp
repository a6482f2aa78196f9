#include "sim/cli/huge_heap.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>

#ifdef __GLIBC__
#include <malloc.h>
#include <sys/mman.h>
#include <unistd.h>
#endif

namespace tilescope::cli {

void use_huge_heap() {
#if defined(__GLIBC__) && defined(MADV_HUGEPAGE)
  constexpr int kGrowth = 256 << 20;
  constexpr std::uintptr_t kPage = std::uintptr_t{2} << 20U;
  if (mallopt(M_TOP_PAD, kGrowth) == 0) return;
  const auto heap_end = [] { return reinterpret_cast<std::uintptr_t>(sbrk(0)); };
  const std::uintptr_t before = heap_end();
  std::array<void*, 8> taken{};  // until the heap has grown, by that much
  constexpr std::size_t kPiece = 64 << 10;
  for (void*& piece : taken)
    if (heap_end() == before) piece = std::malloc(kPiece);
  for (void* const piece : taken) std::free(piece);
  const auto begin = (before + kPage - 1) / kPage * kPage;
  const auto end = heap_end() / kPage * kPage;
  if (end > begin) madvise(reinterpret_cast<void*>(begin), end - begin, MADV_HUGEPAGE);
#endif
}

}  // namespace tilescope::cli
