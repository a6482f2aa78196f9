// The driver's functions that the recorder calls itself. A test puts others in their place.
#pragma once

#include <cuda.h>

namespace tilescope::capture {

struct Driver {
  CUresult (*version)(int*) = nullptr;
  CUresult (*current_device)(CUdevice*) = nullptr;
  CUresult (*device_name)(char*, int, CUdevice) = nullptr;
  CUresult (*device_attribute)(int*, CUdevice_attribute, CUdevice) = nullptr;
  CUresult (*address_range)(CUdeviceptr*, std::size_t*, CUdeviceptr) = nullptr;
  CUresult (*synchronize_stream)(CUstream) = nullptr;
  CUresult (*copy)(CUdeviceptr, CUdeviceptr, std::size_t) = nullptr;
  CUresult (*capture_info)(CUstream, CUstreamCaptureStatus*, cuuint64_t*, CUgraph*, const CUgraphNode**,
                           std::size_t*) = nullptr;
  CUresult (*kernel_node)(CUgraphNode, CUDA_KERNEL_NODE_PARAMS*) = nullptr;
  CUresult (*kernel_function)(CUfunction*, CUkernel) = nullptr;
  CUresult (*load_function)(CUfunction) = nullptr;
  CUresult (*function_name)(const char**, CUfunction) = nullptr;
};

// Of the driver that the process has loaded; functions that it lacks stay null.
Driver loaded_driver();

}  // namespace tilescope::capture
