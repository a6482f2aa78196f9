// Breadth-first search of a random graph with a few hubs, level by level: by a list of frontier vertices that atomics
// append to, and by all vertices looking for a parent (bottom up).
#include <algorithm>

#include "program.h"

__global__ void top_down(const int* first, const int* edges, int* level, const int* frontier, int frontier_count,
                         int* next, int* next_count, int depth) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= frontier_count) return;
  const int vertex = frontier[i];
  for (int at = first[vertex]; at < first[vertex + 1]; ++at) {
    const int neighbour = edges[at];
    if (level[neighbour] == -1 && atomicCAS(&level[neighbour], -1, depth) == -1)
      next[atomicAdd(next_count, 1)] = neighbour;
  }
}

__global__ void bottom_up(const int* first, const int* edges, int* level, int vertices, int depth, int* found) {
  const int vertex = blockIdx.x * blockDim.x + threadIdx.x;
  if (vertex >= vertices || level[vertex] != -1) return;
  for (int at = first[vertex]; at < first[vertex + 1]; ++at) {
    if (level[edges[at]] == depth - 1) {
      level[vertex] = depth;
      atomicAdd(found, 1);
      return;
    }
  }
}

struct Graph {
  std::vector<int> first, edges;
};

Graph random_graph(int vertices, int pairs) {
  program::Random random(11);
  std::vector<std::vector<int>> neighbours(vertices);
  for (int i = 0; i < pairs; ++i) {
    const int a = static_cast<int>(random.below(vertices));
    const int b = static_cast<int>(random.below(i % 16 == 0 ? 64 : vertices));  // the first 64 vertices are hubs
    neighbours[a].push_back(b), neighbours[b].push_back(a);
  }
  Graph graph;
  graph.first.push_back(0);
  for (std::vector<int>& list : neighbours) {
    std::sort(list.begin(), list.end());
    graph.edges.insert(graph.edges.end(), list.begin(), list.end());
    graph.first.push_back(static_cast<int>(graph.edges.size()));
  }
  return graph;
}

std::vector<int> levels(const Graph& graph, int root) {
  std::vector<int> level(graph.first.size() - 1, -1), queue{root};
  level[root] = 0;
  for (size_t i = 0; i < queue.size(); ++i)
    for (int at = graph.first[queue[i]]; at < graph.first[queue[i] + 1]; ++at)
      if (level[graph.edges[at]] == -1) level[graph.edges[at]] = level[queue[i]] + 1, queue.push_back(graph.edges[at]);
  return level;
}

int main() {
  program::take_turn();
  const int vertices = 1 << 14, root = 12345;
  const Graph graph = random_graph(vertices, 1 << 15);
  const std::vector<int> wanted = levels(graph, root);
  std::vector<int> start(vertices, -1);
  start[root] = 0;
  program::Device<int> first(graph.first), edges(graph.edges), level(start), frontier(vertices), next(vertices),
      count(1);

  frontier.upload({root});
  program::Device<int>*from = &frontier, *to = &next;
  for (int depth = 1, size = 1; size > 0; ++depth) {
    CHECKED(cudaMemset(count, 0, sizeof(int)));
    top_down<<<(size + 127) / 128, 128>>>(first, edges, level, *from, size, *to, count, depth);
    size = count.host()[0];
    if (size > 1) {  // the order in which CTAs appended says nothing: sorted, the next launch is the same in every run
      std::vector<int> list = to->host();
      std::sort(list.begin(), list.begin() + size);
      to->upload(list);
    }
    std::swap(from, to);
  }
  program::expect_equal("top_down", level.host(), wanted);

  level.upload(start);
  for (int depth = 1, size = 1; size > 0; ++depth) {
    CHECKED(cudaMemset(count, 0, sizeof(int)));
    bottom_up<<<vertices / 256, 256>>>(first, edges, level, vertices, depth, count);
    size = count.host()[0];
  }
  program::expect_equal("bottom_up", level.host(), wanted);
  return program::finish("bfs");
}
