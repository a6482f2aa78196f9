// out[x][y] = in[y][x] for FP32, the classic study of layouts. A CTA of T x R threads takes a T x T tile, T / R rows
// per thread.
//   naive        straight: reads coalesce, writes touch one line per lane
//   naive_write  straight: writes coalesce, reads touch one line per lane
//   tiled        through shared memory: both coalesce; the tile's columns are read with T-way conflicts unless padded
//   or
//                swizzled
// A matrix that is no multiple of the tile takes code with bounds everywhere, as in gpu/kernels/transpose.cuh.
#pragma once

#include <vector>

#include "traces/kernels/generated_kernel.h"
#include "traces/raster.h"

namespace tilescope {

enum class TransposeForm : std::uint8_t { naive, naive_write, tiled };

struct TransposeSpec {
  std::int64_t rows = 1024, columns = 1024;
  int tile = 32;       // T
  int block_rows = 8;  // R; divides T
  TransposeForm form = TransposeForm::tiled;
  int pad = 0;           // words between rows of the tile
  bool swizzle = false;  // column x of row y at x ^ y; T a power of two
  Raster raster = Raster::row;
  std::int64_t group = 8;

  int rows_per_thread() const { return tile / block_rows; }
  bool bounds() const { return rows % tile != 0 || columns % tile != 0; }
};

class Transpose final : public GeneratedKernel {
 public:
  explicit Transpose(const TransposeSpec& spec);

 private:
  CtaPlace place(std::int64_t cta) const override;
  bool step(const CtaPlace& place, int warp, std::int64_t index, RouteStep& out) const override;
  LaneAddresses lanes(const Access& access, int shape, int warp) const override;

  // The thread's place in the input for its row-th load, or for its row-th store: row and column within the tile.
  struct Element {
    std::int64_t row, column;
  };
  Element loaded(std::int64_t thread, int row) const;
  Element stored(std::int64_t thread, int row) const;

  TransposeSpec spec_;
  RasterSpec raster_;
  std::uint64_t in_, out_;
  std::vector<std::vector<char>> leaves_;  // by shape and warp: no lane has a last element to store
};

}  // namespace tilescope
