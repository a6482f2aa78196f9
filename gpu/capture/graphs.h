// Kernel nodes of CUDA graphs: which recorded launches a launch of an executable graph means.
#pragma once

#include <string>
#include <unordered_map>
#include <vector>

namespace tilescope::capture {

struct GraphLaunch {
  const void* node = nullptr;
  int id = 0;                  // of the launch; 0: refused
  std::string kernel, reason;  // of a refused one
};

class Graphs {
 public:
  // A node was added to the graph, or got other parameters there.
  void set_node(const void* graph, GraphLaunch launch);
  void set_node(GraphLaunch launch);
  void add_child(const void* graph, const void* child);
  void copy(const void* graph, const void* from) { graphs_[graph] = graphs_[from]; }
  void forget_graph(const void* graph) { graphs_.erase(graph); }
  // The executable graph made from it, or updated by it.
  void instantiate(const void* executable, const void* graph) { executables_[executable] = graphs_[graph]; }
  void set_executable_node(const void* executable, GraphLaunch launch);
  void forget_executable(const void* executable) { executables_.erase(executable); }
  // In the order in which the nodes were made.
  const std::vector<GraphLaunch>& launches(const void* executable) { return executables_[executable]; }
  const std::vector<GraphLaunch>& nodes(const void* graph) { return graphs_[graph]; }

 private:
  static void set(std::vector<GraphLaunch>& all, GraphLaunch launch);

  std::unordered_map<const void*, std::vector<GraphLaunch>> graphs_, executables_;
  std::unordered_map<const void*, const void*> graph_of_node_;
};

}  // namespace tilescope::capture
