#include "driver.h"

#include <dlfcn.h>

#include <type_traits>

namespace tilescope::capture {

Driver loaded_driver() {
  Driver driver;
  void* library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return driver;
  const auto find = [library](auto& function, const char* name) {
    function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(dlsym(library, name));
  };
  find(driver.version, "cuDriverGetVersion");
  find(driver.current_device, "cuCtxGetDevice");
  find(driver.device_name, "cuDeviceGetName");
  find(driver.device_attribute, "cuDeviceGetAttribute");
  find(driver.address_range, "cuMemGetAddressRange_v2");
  find(driver.synchronize_stream, "cuStreamSynchronize");
  find(driver.copy, "cuMemcpy");
  find(driver.capture_info, "cuStreamGetCaptureInfo_v2");
  find(driver.kernel_node, "cuGraphKernelNodeGetParams_v2");
  find(driver.kernel_function, "cuKernelGetFunction");
  find(driver.load_function, "cuFuncLoad");
  find(driver.function_name, "cuFuncGetName");
  return driver;
}

}  // namespace tilescope::capture
