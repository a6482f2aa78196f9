// The heap in pages of 2 MiB, where the system has such: short runs wait a tenth to a fifth less for memory that they
// touch for the first time.
#pragma once

namespace tilescope::cli {

// To be called before much is allocated. What the heap grows by beyond its first quarter of a GiB comes in small pages.
void use_huge_heap();

}  // namespace tilescope::cli
