// The entry of libtilescope_capture.so. The driver loads the library that CUDA_INJECTION64_PATH names when the program
// first calls it, and calls InitializeInjection; CUPTI then tells of every driver call that on_driver_call knows.
#include <cupti.h>
#include <dlfcn.h>
#include <pthread.h>

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string>
#include <vector>

#include "callbacks.h"

namespace tilescope::capture {
namespace {

Recorder* recorder = nullptr;      // lives as long as the process
thread_local bool inside = false;  // this thread is in the recorder

void say(const std::string& text) { std::fprintf(stderr, "tilescope-capture: %s\n", text.c_str()); }

void CUPTIAPI on_callback(void*, CUpti_CallbackDomain domain, CUpti_CallbackId id, const void* data) {
  // The recorder's own driver calls are none of the program's, but what they load is the program's code.
  if (recorder == nullptr || (inside && domain != CUPTI_CB_DOMAIN_RESOURCE)) return;
  const bool was_inside = inside;
  inside = true;
  try {
    if (domain == CUPTI_CB_DOMAIN_DRIVER_API)
      on_driver_call(*recorder, id, *static_cast<const CUpti_CallbackData*>(data));
    else if (domain == CUPTI_CB_DOMAIN_RESOURCE)
      on_resource_event(*recorder, id, *static_cast<const CUpti_ResourceData*>(data));
  } catch (const std::exception& error) {
    say(std::string("error: the recorder stops: ") + error.what());
    recorder = nullptr;
  }
  inside = was_inside;
}

// The CUPTI that the program has loaded (PyTorch brings one), else the toolkit's.
void* find_cupti() {
  std::vector<std::string> places;
  if (const char* own = std::getenv("TILESCOPE_CUPTI")) places.emplace_back(own);
  const std::string names[] = {"libcupti.so." + std::to_string(CUDA_VERSION / 1000), "libcupti.so"};
  for (const std::string& name : names)
    if (void* library = dlopen(name.c_str(), RTLD_NOW | RTLD_NOLOAD)) return library;
  for (const std::string& name : names) {
    places.push_back(name);
    std::vector<std::string> homes;
    for (const char* variable : {"CUDA_HOME", "CUDA_PATH"})
      if (const char* home = std::getenv(variable)) homes.emplace_back(home);
    homes.emplace_back("/usr/local/cuda");
    for (const std::string& home : homes)
      for (const char* folder : {"/extras/CUPTI/lib64/", "/lib64/", "/lib/", "/targets/x86_64-linux/lib/"})
        places.push_back(std::string(home).append(folder).append(name));
  }
  for (const std::string& place : places)
    if (void* library = dlopen(place.c_str(), RTLD_NOW | RTLD_LOCAL)) return library;
  return nullptr;
}

// Empty: callbacks come.
std::string subscribe() {
  void* library = find_cupti();
  if (library == nullptr)
    return "libcupti was not found; it comes with the CUDA Toolkit (extras/CUPTI) and with PyTorch "
           "(nvidia-cuda-cupti): name it in "
           "TILESCOPE_CUPTI";
  const auto subscribe = reinterpret_cast<decltype(&cuptiSubscribe)>(dlsym(library, "cuptiSubscribe"));
  const auto enable = reinterpret_cast<decltype(&cuptiEnableCallback)>(dlsym(library, "cuptiEnableCallback"));
  if (subscribe == nullptr || enable == nullptr) return "libcupti lacks its callback functions";
  CUpti_SubscriberHandle handle{};
  if (const CUptiResult result = subscribe(&handle, on_callback, nullptr); result != CUPTI_SUCCESS)
    return result == CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED
               ? "another profiler is attached to the program, and CUPTI serves one"
               : "CUPTI refuses a subscriber (error " + std::to_string(result) + ")";
  // A driver or a CUPTI that is older than this library has no such call; the program does not make it then.
  for (const CUpti_CallbackId id : driver_calls()) enable(1, handle, CUPTI_CB_DOMAIN_DRIVER_API, id);
  for (const CUpti_CallbackId id : resource_events()) enable(1, handle, CUPTI_CB_DOMAIN_RESOURCE, id);
  return {};
}

void begin() {
  Options options = options_from_environment();
  if (options.directory.empty()) return;
  auto* made = new Recorder(std::move(options), loaded_driver());
  std::string why = made->begin();
  if (why.empty()) {
    recorder = made;
    why = subscribe();
  }
  if (why.empty()) {
    // A forked child shares the open files but is no part of this recording.
    pthread_atfork(nullptr, nullptr, [] { recorder = nullptr; });
    return;
  }
  recorder = nullptr;
  say("error: nothing is recorded: " + why);
}

}  // namespace
}  // namespace tilescope::capture

// The driver looks for this name.
extern "C" __attribute__((visibility("default"))) int InitializeInjection() {  // NOLINT(readability-identifier-naming)
  try {
    tilescope::capture::begin();
  } catch (const std::exception& error) {
    tilescope::capture::say(std::string("error: nothing is recorded: ") + error.what());
  }
  return 1;
}
