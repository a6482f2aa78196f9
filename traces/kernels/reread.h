// Read-only kernels for bandwidth and hit rates against the working set, in three forms:
//   shared_set     CTA i reads the (i mod n)-th chunk of a set of n chunks: many CTAs, every chunk read by many SMs
//   per_sm_buffer  every CTA reads the same buffer `passes` times
//   cyclic         the grid covers the set once per pass, each line read by one CTA only, `passes` times over
// The code is that of gpu/kernels/reread.cuh (see reread_code.h): an unrolled loop, then single rows. The threads of a
// CTA read consecutive elements, so one load of all of them is a *row* of threads * width bytes (of the whole grid, for
// cyclic); a last row may be ragged.
#pragma once

#include "traces/kernels/generated_kernel.h"

namespace tilescope {

enum class RereadForm : std::uint8_t { shared_set, per_sm_buffer, cyclic };

struct RereadSpec {
  RereadForm form = RereadForm::cyclic;
  std::int64_t bytes = 1 << 20;    // the set, or the buffer; a multiple of width
  std::int64_t chunk = 512 << 10;  // shared_set: what one CTA reads; divides bytes
  std::int64_t ctas = 132;
  std::int64_t threads = 1024;
  std::int64_t passes = 1;
  std::int64_t width = 16;  // byte per lane and load: 4, 8, 16
  bool cached = true;
  // The compiler knows the distance between rows, as in the published bandwidth curves; else it is a parameter.
  bool known_stride = false;
  int unroll = 8;  // loads per thread and iteration; as many as there are rows where those are at most twice as many
};

class Reread final : public GeneratedKernel {
 public:
  explicit Reread(const RereadSpec& spec);

 private:
  CtaPlace place(std::int64_t cta) const override;
  bool step(const CtaPlace& place, int warp, std::int64_t index, RouteStep& out) const override;
  LaneAddresses lanes(const Access& access, int shape, int warp) const override;

  std::int64_t row_bytes() const { return spec_.threads * spec_.width; }  // one load of one CTA
  // Of the ragged row, one CTA has some threads only.
  std::int64_t partial_bytes() const { return rest_ % row_bytes(); }

  RereadSpec spec_;
  std::int64_t region_;      // byte: what one pass of a CTA (of the grid, for cyclic) covers
  std::int64_t row_stride_;  // byte between two rows of a CTA
  std::int64_t rows_;        // whole rows
  int unroll_;               // loads in flight
  std::int64_t rest_;        // byte in the ragged row after them; 0: none
  std::uint64_t buffer_;
  int ragged_section_ = -1;
};

}  // namespace tilescope
