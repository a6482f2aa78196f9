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
  if (mallopt(M_TOP_PAD, kGrowth) == 0) return;  // by so much more it grows, whenever it grows
  const auto heap_end = [] { return static_cast<char*>(sbrk(0)); };
  const auto beyond_page = [](const char* at) { return reinterpret_cast<std::uintptr_t>(at) % kPage; };
  char* const before = heap_end();
  std::array<void*, 8> taken{};  // until the heap has grown, by that much
  constexpr std::size_t kPiece = 64 << 10;
  for (void*& piece : taken)
    if (heap_end() == before) piece = std::malloc(kPiece);
  for (void* const piece : taken) std::free(piece);
  char* const begin = before + (kPage - beyond_page(before)) % kPage;
  char* const end = heap_end() - beyond_page(heap_end());
  if (end > begin) madvise(begin, static_cast<std::size_t>(end - begin), MADV_HUGEPAGE);
#endif
}

}  // namespace tilescope::cli
