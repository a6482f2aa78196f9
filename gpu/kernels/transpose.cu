#include "../common/random.h"
#include "instances.h"
#include "memory.h"
#include "transpose.cuh"

namespace tilescope::gpu {
namespace {

using Kernel = void (*)(const float*, float*, int, int);

struct Compiled {
  TransposeForm form;
  int tile;
  int block_rows;
  int pad;
  bool swizzle;
  bool bounds;
  Kernel kernel;
};

template <TransposeForm kForm, int T, int R, int kPad, bool kXor>
void add(std::vector<Compiled>& table) {
  table.push_back({kForm, T, R, kPad, kXor, false, &transpose<kForm, T, R, kPad, kXor, false>});
  table.push_back({kForm, T, R, kPad, kXor, true, &transpose<kForm, T, R, kPad, kXor, true>});
}

template <int T, int R>
void add_forms(std::vector<Compiled>& table) {
  add<TransposeForm::kNaive, T, R, 0, false>(table);
  add<TransposeForm::kNaiveWrite, T, R, 0, false>(table);
  add<TransposeForm::kTiled, T, R, 0, false>(table);
  add<TransposeForm::kTiled, T, R, 1, false>(table);
  add<TransposeForm::kTiled, T, R, 0, true>(table);
}

std::vector<Compiled> compiled() {
  std::vector<Compiled> table;
  add_forms<16, 16>(table);
  add_forms<32, 8>(table);
  add_forms<32, 32>(table);
  add_forms<64, 16>(table);
  return table;
}

}  // namespace

MemoryLaunch plan_transpose(const ParameterValues& values) {
  const int rows = static_cast<int>(values.number("M"));
  const int columns = static_cast<int>(values.number("N"));
  const int tile = static_cast<int>(values.number("tile"));
  const int block_rows = static_cast<int>(values.number("block_rows"));
  const bool bounds = rows % tile != 0 || columns % tile != 0;
  const TransposeForm form = values.word("form") == "tiled"         ? TransposeForm::kTiled
                             : values.word("form") == "naive_write" ? TransposeForm::kNaiveWrite
                                                                    : TransposeForm::kNaive;
  Kernel chosen = nullptr;
  for (const Compiled& c : compiled()) {
    if (c.form == form && c.tile == tile && c.block_rows == block_rows && c.pad == values.number("pad") &&
        c.swizzle == (values.word("swizzle") == "xor") && c.bounds == bounds) {
      chosen = c.kernel;
    }
  }
  require(
      chosen != nullptr, "tile,block_rows,pad,swizzle",
      values.word("tile") + "," + values.word("block_rows") + "," + values.word("pad") + "," + values.word("swizzle"),
      "a compiled combination: 16,16 or 32,8 or 32,32 or 64,16, with pad=1 or swizzle=xor only in form=tiled and "
      "not both");

  MemoryLaunch result;
  result.symbol = reinterpret_cast<const void*>(chosen);
  result.grid = dim3(divide_up(columns, tile), divide_up(rows, tile));
  result.block = dim3(tile, block_rows);
  const std::size_t count = static_cast<std::size_t>(rows) * columns;
  result.input_bytes = result.output_bytes = count * sizeof(float);
  result.moved_bytes = 2.0 * static_cast<double>(result.input_bytes);
  result.prepare = [count](void* input, std::uint32_t seed) {
    fill_random_bits(static_cast<std::uint32_t*>(input), count, seed);
  };
  result.launch = [grid = result.grid, block = result.block, chosen, rows, columns](const void* input, void* output,
                                                                                    bool) {
    chosen<<<grid, block>>>(static_cast<const float*>(input), static_cast<float*>(output), rows, columns);
  };
  result.expected = [rows, columns](const std::vector<char>& input, const void*) {
    std::vector<char> output(input.size());
    const auto* const from = reinterpret_cast<const std::uint32_t*>(input.data());
    auto* const to = reinterpret_cast<std::uint32_t*>(output.data());
    for (std::size_t y = 0; y < static_cast<std::size_t>(rows); ++y) {
      for (std::size_t x = 0; x < static_cast<std::size_t>(columns); ++x) {
        to[x * rows + y] = from[y * columns + x];
      }
    }
    return output;
  };
  return result;
}

}  // namespace tilescope::gpu
