// The recorder's part for CUDA graphs: a kernel node is recorded when it is made, and launched whenever its graph is.
#include "recorder.h"

namespace tilescope::capture {

void Recorder::node_added(const void* graph, const void* node, const LaunchCall& call) {
  GraphLaunch launch = graph_launch(node, call);
  const std::lock_guard lock(mutex_);
  graphs_.set_node(graph, std::move(launch));
}

void Recorder::node_changed(const void* node, const LaunchCall& call) {
  GraphLaunch launch = graph_launch(node, call);
  const std::lock_guard lock(mutex_);
  graphs_.set_node(std::move(launch));
}

void Recorder::executable_node_changed(const void* executable, const void* node, const LaunchCall& call) {
  GraphLaunch launch = graph_launch(node, call);
  const std::lock_guard lock(mutex_);
  graphs_.set_executable_node(executable, std::move(launch));
}

// Kernels that were not loaded when their node was made are by now.
void Recorder::instantiated(const void* executable, const void* graph) {
  std::vector<const void*> open;
  {
    const std::lock_guard lock(mutex_);
    for (const GraphLaunch& launch : graphs_.nodes(graph))
      if (launch.id == 0 && launch.node != nullptr) open.push_back(launch.node);
  }
  for (const void* node : open) {
    CUDA_KERNEL_NODE_PARAMS parameters{};
    if (driver_.kernel_node == nullptr ||
        driver_.kernel_node(static_cast<CUgraphNode>(const_cast<void*>(node)), &parameters) != CUDA_SUCCESS)
      continue;
    node_changed(node, node_call(parameters));
  }
  const std::lock_guard lock(mutex_);
  graphs_.instantiate(executable, graph);
}

void Recorder::graph_launched(const void* executable, CUstream stream, bool per_thread_stream) {
  if (!is_active_) return;
  const std::lock_guard lock(mutex_);
  for (const GraphLaunch& launch : graphs_.launches(executable)) {
    if (launch.id < 0) continue;
    const std::uint64_t place = selected_++;
    if (place < options_.skip || place - options_.skip >= options_.count) continue;
    write_order(launch.id, stream, per_thread_stream, true);
    if (launch.id == 0) refuse_locked(launch.kernel, launch.reason);
  }
}

void Recorder::capture_began() { ++captures_; }

void Recorder::capture_ended() {
  if (--captures_ < 0) captures_ = 0;
}

}  // namespace tilescope::capture
