// out[x][y] = in[y][x] for FP32, the classic study of layouts. A CTA of T x R threads takes a T x T tile, T / R rows
// per thread.
//   naive   straight: reads coalesce, writes touch one line per lane
//   tiled   through shared memory: both coalesce; the tile's columns are read with T-way conflicts unless padded or
//   swizzled
#pragma once

#include "models/raster.h"
#include "traces/kernels/generated_kernel.h"

namespace tilescope {

struct TransposeSpec {
  std::int64_t rows = 1024, columns = 1024;
  int tile = 32;       // T
  int block_rows = 8;  // R; divides T
  bool through_shared = true;
  int pad = 0;           // words between rows of the tile
  bool swizzle = false;  // column x of row y at x ^ y; T a power of two
  Raster raster = Raster::row;
  std::int64_t group = 8;
};

class Transpose final : public GeneratedKernel {
 public:
  explicit Transpose(const TransposeSpec& spec);

 private:
  CtaPlace place(std::int64_t cta) const override;
  bool step(const CtaPlace& place, int warp, std::int64_t index, RouteStep& out) const override;
  LaneAddresses lanes(const Access& access, int shape, int warp) const override;

  TransposeSpec spec_;
  RasterSpec raster_;
  std::uint64_t in_, out_;
};

}  // namespace tilescope
