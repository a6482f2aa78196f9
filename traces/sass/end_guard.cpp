#include "traces/sass/end_guard.h"

#include <algorithm>
#include <memory>

namespace tilescope::sass {

void EndGuard::prove_end(std::int64_t cta, int warp, std::uint64_t executed) {
  const std::scoped_lock lock(mutex_);
  if (failure_) std::rethrow_exception(failure_);
  if (executed <= cleared_) return;  // another thread was faster
  try {
    cleared_ = std::max(cleared_.load(), kGrowth * execute(cta, warp));
  } catch (...) {
    failure_ = std::current_exception();
    throw;
  }
}

std::uint64_t EndGuard::execute(std::int64_t cta, int warp) {
  if (program_.whole_cta) {
    CtaExecutor executor(program_, patterns_, memory_, shared_bytes_, false, resident_);
    executor.start(cluster_of(program_.launch, cta), &passed_);
    executor.run_to_end();
    return executor.furthest();
  }
  WarpExecutor executor(program_, patterns_);
  std::unique_ptr<CtaMemory> own;
  if (program_.needs_memory)
    own = std::make_unique<CtaMemory>(memory_, shared_bytes_, false, resident_.pages,
                                      program_.launch.limits.written_bytes);
  executor.start(cta, warp, own.get());
  while (!executor.done()) executor.next(false);
  return executor.executed();
}

}  // namespace tilescope::sass
