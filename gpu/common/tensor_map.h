// Tensor maps of a matrix of halves (or other numbers of 16 bits), for cp.async.bulk.tensor. The encoder is the
// driver's; it is asked for at run time, so that nothing is linked with the driver.
#pragma once

#include <cuda.h>

#include "device.h"

namespace tilescope::gpu {

// rows x columns halves, rows one after the other; a copy takes box_rows x box_columns of them, of which a row has
// swizzle_bytes (32, 64 or 128) if it is swizzled, and else (0) at most 256 columns.
inline CUtensorMap matrix_map(const void* data, int rows, int columns, int box_rows, int box_columns, int swizzle_bytes,
                              CUtensorMapDataType type = CU_TENSOR_MAP_DATA_TYPE_FLOAT16) {
  void* encode = nullptr;
  cudaDriverEntryPointQueryResult found = cudaDriverEntryPointSymbolNotFound;
#if CUDART_VERSION >= 12050
  check(cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &encode, 12000, cudaEnableDefault, &found),
        "cuTensorMapEncodeTiled");
#else
  check(cudaGetDriverEntryPoint("cuTensorMapEncodeTiled", &encode, cudaEnableDefault, &found),
        "cuTensorMapEncodeTiled");
#endif
  if (found != cudaDriverEntryPointSuccess) {
    throw std::runtime_error("cuTensorMapEncodeTiled: the driver does not have it");
  }
  const cuuint64_t sizes[] = {static_cast<cuuint64_t>(columns), static_cast<cuuint64_t>(rows)};
  const cuuint64_t pitches[] = {static_cast<cuuint64_t>(columns) * 2};  // bytes
  const cuuint32_t box[] = {static_cast<cuuint32_t>(box_columns), static_cast<cuuint32_t>(box_rows)};
  const cuuint32_t steps[] = {1, 1};
  const CUtensorMapSwizzle swizzle = swizzle_bytes == 32    ? CU_TENSOR_MAP_SWIZZLE_32B
                                     : swizzle_bytes == 64  ? CU_TENSOR_MAP_SWIZZLE_64B
                                     : swizzle_bytes == 128 ? CU_TENSOR_MAP_SWIZZLE_128B
                                                            : CU_TENSOR_MAP_SWIZZLE_NONE;
  CUtensorMap map{};
  const CUresult result = reinterpret_cast<decltype(&cuTensorMapEncodeTiled)>(encode)(
      &map, type, 2, const_cast<void*>(data), sizes, pitches, box, steps, CU_TENSOR_MAP_INTERLEAVE_NONE, swizzle,
      CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
  if (result != CUDA_SUCCESS) {
    throw std::runtime_error("cuTensorMapEncodeTiled: error " + std::to_string(static_cast<int>(result)));
  }
  return map;
}

}  // namespace tilescope::gpu
