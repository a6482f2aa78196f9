// Writes what the program launches into a bundle. Called from the program's threads by the callbacks of injection.cpp.
#pragma once

#include <atomic>
#include <mutex>
#include <string>
#include <unordered_map>
#include <unordered_set>

#include "allocations.h"
#include "attributes.h"
#include "bundle_files.h"
#include "contents.h"
#include "driver.h"
#include "graphs.h"
#include "kernels.h"
#include "launch_text.h"
#include "options.h"

namespace tilescope::capture {

// One call that launches a kernel, or describes a launch.
struct LaunchCall {
  const void* function = nullptr;
  const char* symbol = nullptr;  // null: not known
  Sizes grid{1, 1, 1}, block{1, 1, 1};
  std::uint32_t dynamic_shared = 0;
  CUstream stream = nullptr;
  bool per_thread_stream = false;  // a null stream is the thread's own
  LaunchAttributes attributes;
  void* const* parameters = nullptr;
  void* const* extra = nullptr;
};

// Of a kernel node: CUDA_KERNEL_NODE_PARAMS in each of its versions.
template <class Node>
LaunchCall node_call(const Node& from) {
  LaunchCall call;
  call.function = from.func != nullptr ? static_cast<const void*>(from.func) : from.kern;
  call.grid = {from.gridDimX, from.gridDimY, from.gridDimZ};
  call.block = {from.blockDimX, from.blockDimY, from.blockDimZ};
  call.dynamic_shared = from.sharedMemBytes;
  call.parameters = from.kernelParams;
  call.extra = from.extra;
  return call;
}

class Recorder {
 public:
  Recorder(Options options, const Driver& driver)
      : options_(std::move(options)), driver_(driver), is_active_(!options_.profiler_range) {}

  // Empty: recording; otherwise why not.
  std::string begin() { return files_.claim(options_.directory); }

  // Before the driver sees the launch: copies memory where it is asked for.
  void before_launch(const LaunchCall& call);
  // After the driver took it.
  void launched(const LaunchCall& call);
  void refuse(const std::string& kernel, const std::string& reason);

  // cudaProfilerStart and cudaProfilerStop, which mean something with --profiler-range.
  void profiler_switched(bool is_on) { is_active_ = is_on || !options_.profiler_range; }
  void capture_began();
  void capture_ended();
  void node_added(const void* graph, const void* node, const LaunchCall& call);
  void node_changed(const void* node, const LaunchCall& call);
  void executable_node_changed(const void* executable, const void* node, const LaunchCall& call);
  void instantiated(const void* executable, const void* graph);
  void graph_launched(const void* executable, CUstream stream, bool per_thread_stream);
  void stream_destroyed(CUstream stream);
  void tensor_map_encoded(const void* map, TensorMap words);

  // Tables that callbacks fill, under the lock.
  template <class Change>
  void change(Change&& change) {
    const std::lock_guard lock(mutex_);
    change(kernels_, allocations_, graphs_);
  }
  void loaded(std::uint32_t module, const void* image, std::size_t bytes) {
    const std::lock_guard lock(mutex_);
    kernels_.loaded(module, image, bytes);
    strangers_.clear();
  }
  void allocated(std::uint64_t address, std::uint64_t bytes) {
    const std::lock_guard lock(mutex_);
    allocations_.add(address, bytes);
    strangers_.clear();
  }
  const Options& options() const { return options_; }

 private:
  struct Outcome {
    int id = 0;
    std::string kernel, reason;
    bool is_wanted = true;
  };
  Outcome record(const LaunchCall& call, bool may_count);
  void load_kernel(const LaunchCall& call);
  Kernel* find_kernel(const void* function, const char* symbol);
  std::string pack(const LaunchCall& call, const Kernel& kernel, std::string& arguments) const;
  Hash identity(const LaunchCall& call, const Kernel& kernel, const std::string& arguments) const;
  void find_buffers(const std::vector<PossibleAddress>& addresses, Buffers& buffers,
                    std::vector<PossibleAddress>& unknown) const;
  std::vector<PossibleAddress> ask_for_buffers(const std::vector<PossibleAddress>& unknown, Buffers& buffers) const;
  void remember(const std::vector<PossibleAddress>& strangers, Kernel& kernel);
  int store(const LaunchCall& call, Kernel& kernel, const std::string& arguments, Buffers buffers);
  void describe_gpu();
  void write_order(int id, CUstream stream, bool per_thread_stream, bool is_graph);
  void refuse_locked(const std::string& kernel, const std::string& reason);
  GraphLaunch graph_launch(const void* node, const LaunchCall& call);

  const Options options_;
  const Driver driver_;
  std::atomic<bool> is_active_;
  std::mutex mutex_;    // of everything below; the driver is never called under it
  std::mutex copying_;  // of contents_; taken before mutex_
  BundleFiles files_;
  Kernels kernels_;
  Allocations allocations_;
  Graphs graphs_;
  Contents contents_;
  std::unordered_map<Hash, int> ids_;        // by identity with memory
  std::unordered_map<Hash, int> plain_ids_;  // by identity without: the ids of a recording without memory
  std::unordered_map<const void*, int> streams_;
  std::unordered_map<Hash, TensorMap> tensor_maps_;
  // Regions that are none of the device, until memory is allocated or code loaded.
  std::unordered_set<std::uint64_t> strangers_;
  std::uint64_t selected_ = 0;     // launches of selected kernels so far
  std::atomic<int> captures_ = 0;  // streams that are being captured
  int next_stream_ = 1, next_id_ = 1;
  std::atomic<bool> gpu_described_ = false;
};

}  // namespace tilescope::capture
