// Where the windows of shared and local memory lie in the generic address space, and the physical place of local
// memory.
//
// The driver chooses both; these are far from the buffers (traces/kernels/device_buffers.h). A window holds 16 MiB.
#pragma once

#include <cstdint>

#include "traces/kernels/device_buffers.h"

namespace tilescope::sass {

inline constexpr std::uint64_t kSharedWindow = 0x7d0000000000, kLocalWindow = 0x7c0000000000;
inline constexpr std::uint64_t kWindowBytes = std::uint64_t{16} << 20U;
// The shared memories of a cluster's CTAs, one window behind the other, by rank. The own one lies in its place too.
inline constexpr std::uint64_t kClusterWindowBytes = 16 * kWindowBytes;
// Constant bank 0 as global memory, for the addresses of parameters; what lies there is the launch's.
inline constexpr std::uint64_t kParameterWindow = 0x7a0000000000;
// Local memory of a thread: the stack grows down from here (c[0x0][0x28]).
inline constexpr std::uint32_t kLocalBytes = 64 * 1024;
// The words of a warp's 32 threads lie side by side: word w of lane l at 128 w + 4 l.
inline constexpr std::uint64_t kLocalMemory = 0x7e0000000000;
inline constexpr std::uint64_t kLocalBytesPerWarp = std::uint64_t{kLocalBytes} * 32;
// Warps of a launch whose local memory lies apart: as many as fit below the buffers.
inline constexpr std::uint64_t kLocalWarps = (DeviceBuffers::kFirst - kLocalMemory) / kLocalBytesPerWarp;

constexpr bool in_window(std::uint64_t address, std::uint64_t window) { return address - window < kWindowBytes; }

}  // namespace tilescope::sass
