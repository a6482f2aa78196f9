#include "graphs.h"

namespace tilescope::capture {

void Graphs::set(std::vector<GraphLaunch>& all, GraphLaunch launch) {
  for (GraphLaunch& known : all)
    if (known.node == launch.node && launch.node != nullptr) {
      known = std::move(launch);
      return;
    }
  all.push_back(std::move(launch));
}

void Graphs::set_node(const void* graph, GraphLaunch launch) {
  graph_of_node_[launch.node] = graph;
  // A node that is made is new: looking for it would take longer with every node of a large graph.
  graphs_[graph].push_back(std::move(launch));
}

void Graphs::set_node(GraphLaunch launch) {
  const auto graph = graph_of_node_.find(launch.node);
  if (graph != graph_of_node_.end()) set(graphs_[graph->second], std::move(launch));
}

void Graphs::add_child(const void* graph, const void* child) {
  const std::vector<GraphLaunch> nodes = graphs_[child];
  std::vector<GraphLaunch>& own = graphs_[graph];
  own.insert(own.end(), nodes.begin(), nodes.end());
}

void Graphs::set_executable_node(const void* executable, GraphLaunch launch) {
  set(executables_[executable], std::move(launch));
}

}  // namespace tilescope::capture
