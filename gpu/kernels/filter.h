// The filters of the convolutions: fixed numbers that are symmetric in nothing, so that a mirrored or shifted result
// shows.
#pragma once

namespace tilescope::gpu {

// Word y * F + x weighs the neighbour F / 2 - y rows above and F / 2 - x columns to the left, F being 3 or 7.
struct Filter {
  float value[49];
};

constexpr Filter make_filter() {
  Filter filter{};
  for (int i = 0; i < 49; ++i) {
    filter.value[i] = static_cast<float>((i * 29 + 7) % 31 - 12) / 32;
  }
  return filter;
}

}  // namespace tilescope::gpu
