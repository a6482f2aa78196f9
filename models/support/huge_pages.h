// Vectors of megabytes that are read here and there: in pages of 2 MiB, where the system has such, the host's processor
// finds the place of what it reads without a look at its page tables.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <new>
#include <vector>

#ifdef __linux__
#include <sys/mman.h>
#endif

namespace tilescope {

// Those of less than a sixteenth of a page are allocated as any other.
template <class T>
struct HugePageAllocator {
  using value_type = T;
  static constexpr std::size_t kPage = std::size_t{2} << 20U, kFewest = kPage / 16;

  HugePageAllocator() = default;
  template <class U>
  HugePageAllocator(const HugePageAllocator<U>&) {}

  T* allocate(std::size_t count) {
    if (count > static_cast<std::size_t>(-1) / 2 / sizeof(T)) throw std::bad_array_new_length();
    std::size_t bytes = count * sizeof(T);
    if (bytes < kFewest) return static_cast<T*>(::operator new(bytes));
    bytes = (bytes + kPage - 1) / kPage * kPage;
    void* const all = std::aligned_alloc(kPage, bytes);
    if (all == nullptr) throw std::bad_alloc();
#ifdef MADV_HUGEPAGE
    madvise(all, bytes, MADV_HUGEPAGE);  // refused where there are none: then pages are small
#endif
    return static_cast<T*>(all);
  }
  void deallocate(T* all, std::size_t count) {
    if (count * sizeof(T) < kFewest)
      ::operator delete(all);
    else
      std::free(all);
  }
  friend bool operator==(const HugePageAllocator&, const HugePageAllocator&) { return true; }
};

template <class T>
using HugePageVector = std::vector<T, HugePageAllocator<T>>;

}  // namespace tilescope
