// Which lines go when a partition of L2 is full? Each SM reads a list of lines again and again, one warp's line at a
// time, and tells by the clock which are still there; after each pass, or among its reads, it may read or write lines
// of another region.
//   A line's home and an SM's partition are told apart by how long atomics take, which are done at home.
//   hot: whose home the lines read again are (own: that of the reading SM's partition; other; both, one after the
//   other), by both partitions' SMs. share: how much of a partition they take, percent of half of what the driver says
//   L2 has. scan: what is done to other lines (read or write, of which home); scanned: how much of a partition they
//   would take; by=first: by the SMs of one partition alone; among: between the reads, not after them.
//   meet=never: SMs do not wait for each other before a pass.
//   lost_2: hot lines of the SMs of one partition that are not found in the second pass, percent; lost: the same, mean
//   of the sixth to the last but one; lost_last: in that one. near_*: of far lines, those not found near the SM.
#include <algorithm>

#include "benchmarks.h"
#include "device_probe.cuh"

namespace tilescope::gpu {
namespace {

constexpr std::size_t kBytes = 192U << 20U;
constexpr unsigned kLine = 128;
constexpr unsigned kLines = kBytes / kLine;
constexpr int kThreads = 512;
constexpr int kWarps = kThreads / 32;
constexpr unsigned kNearLimit = 420;  // cycles; near hits take 270, lines of HBM 560
constexpr unsigned kFarLimit = 600;   // of far lines: hits take 470, lines of HBM 740
constexpr int kReferences = 256;
constexpr unsigned kReferencePitch = 97;  // lines, which takes them through both homes
constexpr int kMost = 24;                 // passes
constexpr int kListBytes = 200 * 1024;

// Least cycles of atomics on each of the reference lines, by SM.
__global__ void time_references(unsigned* data, unsigned* least) {
  const int sm = sm_id();
  if (threadIdx.x != 0) return;
  for (int i = 0; i < 8 * kReferences; ++i) {
    const int line = (i + 2 * sm) % kReferences;  // SMs do not meet at one line
    unsigned& best = least[sm * kReferences + line];
    const unsigned cycles = timed_atomic(data + line * kReferencePitch * (kLine / 4));
    best = i < kReferences ? cycles : min(best, cycles);
  }
}

// home[line]: 0 or 1; partition and border by SM.
__global__ void find_homes(unsigned* data, const int* partition, const unsigned* border, unsigned char* home) {
  const int sm = sm_id();
  if (threadIdx.x % 32 != 0) return;
  const unsigned warps = blockDim.x / 32;
  for (unsigned line = blockIdx.x * warps + threadIdx.x / 32; line < kLines; line += gridDim.x * warps) {
    unsigned best = ~0U;
    for (int i = 0; i < 3; ++i) best = min(best, timed_atomic(data + line * (kLine / 4)));
    home[line] = static_cast<unsigned char>(best < border[sm] ? partition[sm] : 1 - partition[sm]);
  }
}

enum class Home { own, other, both };  // of lines that an SM reads: its partition, the other one, one after the other
enum class Scan { none, read, write };

struct Plan {
  Home home;     // of the lines read again
  unsigned hot;  // as many for each partition's SMs
  Scan scan;     // what is done to other lines between two passes
  Home scan_home;
  unsigned scanned;
  int scanners;  // partitions whose SMs scan, a bit each
  bool meet;     // all SMs before each pass
  bool among;
  int passes;
};

// Of each list of homes an SM holds every n-th line, n being the SMs of its partition.
__global__ void __launch_bounds__(kThreads)
    read_again(unsigned* data, const unsigned* lists, const unsigned* list_of, const int* partition, const int* rank,
               const int* count, Plan plan, unsigned* arrived, unsigned* missed, unsigned* sink) {
  extern __shared__ unsigned mine[];
  __shared__ unsigned absent[2];  // lines that L2 had not, far ones that the SM's partition had not
  const int sm = sm_id();
  const int here = partition[sm];
  const int warp = static_cast<int>(threadIdx.x) / 32;
  const bool first_lane = threadIdx.x % 32 == 0;
  const unsigned n = count[here];
  const auto share_of = [&](unsigned lines) { return (lines + n - 1 - rank[sm]) / n; };
  const auto is_far = [&](Home home, unsigned i) {
    return home == Home::other || (home == Home::both && (i / kWarps) % 2 == 1);
  };
  const unsigned hot = share_of(plan.hot);
  const unsigned region = plan.scan == Scan::none ? 0 : (list_of[2] - list_of[2] / 3) / n;  // lines to scan
  for (unsigned i = threadIdx.x; i < hot; i += kThreads) {
    mine[i] = lists[list_of[is_far(plan.home, i) ? 1 - here : here] + i * n + rank[sm]];
  }
  for (unsigned i = threadIdx.x; i < region; i += kThreads) {
    mine[hot + i] = lists[list_of[plan.scan_home == Home::other ? 1 - here : here] + list_of[2] / 3 + i * n + rank[sm]];
  }
  unsigned next = 0;
  unsigned sum = 0;
  for (int pass = 0; pass < plan.passes; ++pass) {
    if (threadIdx.x < 2) absent[threadIdx.x] = 0;
    __syncthreads();
    if (plan.meet && threadIdx.x == 0) {
      atomicAdd(arrived, 1);
      unsigned seen;
      do {
        asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(seen) : "l"(arrived) : "memory");
      } while (seen < (pass + 1) * gridDim.x);
    }
    __syncthreads();
    const unsigned scanned = (plan.scanners >> here & 1) != 0 ? share_of(plan.scanned) : 0;
    const auto scan = [&](unsigned i) {
      unsigned at = next + i;
      while (at >= region) at -= region;
      unsigned* const address = data + mine[hot + at] * (kLine / 4) + threadIdx.x % 32;
      if (plan.scan == Scan::write) {
        *address = 0;
      } else {
        unsigned value;
        asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(value) : "l"(address) : "memory");
        sum += value;
      }
    };
    const unsigned reads_between = plan.among ? hot / (scanned + kWarps) + 1 : ~0U;
    unsigned to_scan = warp;
    unsigned reads = 0;
    for (unsigned i = warp; i < hot; i += kWarps) {
      if (first_lane) {
        const bool far = is_far(plan.home, i);
        unsigned value;
        const unsigned start = clock_now();
        asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(value) : "l"(data + mine[i] * (kLine / 4)) : "memory");
        const unsigned cycles = clock_now(value) - start;
        if (cycles > (far ? kFarLimit : kNearLimit)) atomicAdd(&absent[0], 1);
        if (far && cycles > kNearLimit) atomicAdd(&absent[1], 1);
      }
      if (++reads % reads_between == 0 && to_scan < scanned) {
        scan(to_scan);
        to_scan += kWarps;
      }
    }
    __syncthreads();
    if (threadIdx.x < 2) atomicAdd(&missed[(pass * 2 + here) * 2 + threadIdx.x], absent[threadIdx.x]);
    for (; to_scan < scanned; to_scan += kWarps) scan(to_scan);
    if (region != 0) next = (next + scanned) % region;
  }
  if (sum == 0x12345678U) *sink = sum;
}

class Replacement {
 public:
  explicit Replacement(Report& report) : report_(report), sms_(sm_count()) {
    cudaDeviceProp properties{};
    check(cudaGetDeviceProperties(&properties, 0), "cudaGetDeviceProperties");
    fits_ = static_cast<unsigned>(properties.l2CacheSize) / kLine / 2;
    check(cudaFuncSetAttribute(time_references, cudaFuncAttributeMaxDynamicSharedMemorySize, kOneCtaPerSm), "time");
    check(cudaFuncSetAttribute(find_homes, cudaFuncAttributeMaxDynamicSharedMemorySize, kOneCtaPerSm), "homes");
    check(cudaFuncSetAttribute(read_again, cudaFuncAttributeMaxDynamicSharedMemorySize, kListBytes), "read");
    place_sms();
    place_lines();
  }

  void run(const std::string& name, const Plan& plan) {
    Recorder<unsigned> arrived(1), missed(kMost * 4), sink(1);
    flush_l2();
    read_again<<<sms_, kThreads, kListBytes>>>(data_.device(), lists_.device(), list_of_.device(), partition_.device(),
                                               rank_.device(), count_.device(), plan, arrived.device(), missed.device(),
                                               sink.device());
    finish("read_again");
    const std::vector<unsigned> result = missed.host();
    for (int p = 0; p < 2; ++p) {
      const std::string of_partition = name + ";partition=" + std::to_string(p);
      for (int near = 0; near < (plan.home == Home::own ? 1 : 2); ++near) {
        const auto lost = [&](int from, int to) {
          double sum = 0;
          for (int pass = from; pass < to; ++pass) sum += result[(pass * 2 + p) * 2 + near];
          return 100 * sum / (to - from) / plan.hot * (near != 0 && plan.home == Home::both ? 2 : 1);
        };
        report_.scalar("l2_replacement", of_partition, near != 0 ? "near_lost_2" : "lost_2", lost(1, 2), "%");
        report_.scalar("l2_replacement", of_partition, near != 0 ? "near_lost" : "lost", lost(5, plan.passes - 1), "%");
        report_.scalar("l2_replacement", of_partition, near != 0 ? "near_lost_last" : "lost_last",
                       lost(plan.passes - 2, plan.passes - 1), "%");
      }
    }
  }

  unsigned fits() const { return fits_; }

 private:
  template <class T>
  static void put(const Recorder<T>& to, const std::vector<T>& from) {
    check(cudaMemcpy(to.device(), from.data(), from.size() * sizeof(T), cudaMemcpyHostToDevice), "cudaMemcpy");
  }

  void place_sms() {
    Recorder<unsigned> least(sms_ * kReferences);
    time_references<<<sms_, 32, kOneCtaPerSm>>>(data_.device(), least.device());
    finish("time_references");
    const std::vector<unsigned> cycles = least.host();
    std::vector<int> partition(sms_);
    std::vector<unsigned> border(sms_);
    std::vector<int> rank(sms_), count(2, 0);
    std::vector<bool> near_of_first(kReferences);
    for (int sm = 0; sm < sms_; ++sm) {
      const unsigned* const row = &cycles[sm * kReferences];
      const auto [low, high] = std::minmax_element(row, row + kReferences);
      border[sm] = (*low + *high) / 2;
      int same = 0;
      for (int line = 0; line < kReferences; ++line) {
        if (sm == 0) near_of_first[line] = row[line] < border[sm];
        same += (row[line] < border[sm]) == near_of_first[line] ? 1 : 0;
      }
      partition[sm] = same > kReferences / 2 ? 0 : 1;
      rank[sm] = count[partition[sm]]++;
    }
    put(partition_, partition);
    put(rank_, rank);
    put(count_, count);
    put(border_, border);
  }

  void place_lines() {
    Recorder<unsigned char> home(kLines);
    find_homes<<<sms_, 128, kOneCtaPerSm>>>(data_.device(), partition_.device(), border_.device(), home.device());
    finish("find_homes");
    const std::vector<unsigned char> homes = home.host();
    std::vector<unsigned> lists;
    std::vector<unsigned> first(3);
    for (int p = 0; p < 2; ++p) {
      first[p] = static_cast<unsigned>(lists.size());
      for (unsigned line = 0; line < kLines; ++line)
        if (homes[line] == p) lists.push_back(line);
    }
    const auto of_second = static_cast<unsigned>(lists.size()) - first[1];
    first[2] = std::min(first[1], of_second);  // lines of either
    report_.scalar("l2_replacement", "", "home_first", first[1], "line");
    report_.scalar("l2_replacement", "", "home_second", of_second, "line");
    put(lists_, lists);
    put(list_of_, first);
  }

  Report& report_;
  int sms_;
  unsigned fits_;
  Recorder<unsigned> data_{kBytes / sizeof(unsigned)};
  Recorder<unsigned> lists_{kLines}, list_of_{3}, border_{256};
  Recorder<int> partition_{256}, rank_{256}, count_{2};
};

}  // namespace

void l2_replacement(Report& report) {
  Replacement bench(report);
  const auto part = [&](double share) { return static_cast<unsigned>(share * bench.fits()); };
  const auto text = [](double share) { return std::to_string(static_cast<int>(100 * share + 0.5)); };
  const auto hot_alone = [&](const char* name, Home home, double from, double to, double step) {
    for (const bool meet : {true, false}) {
      for (double share = from; share < to + step / 2; share += step) {
        bench.run(std::string("hot=") + name + ";share=" + text(share) + (meet ? "" : ";meet=never"),
                  {home, part(share), Scan::none, Home::own, 0, 3, meet, false, kMost});
      }
    }
  };
  hot_alone("own", Home::own, 0.76, 1.12, 0.02);
  hot_alone("other", Home::other, 0.40, 0.72, 0.04);
  hot_alone("both", Home::both, 0.52, 1.0, 0.04);
  struct Named {
    const char* name;
    Scan scan;
    Home home;
    int scanners;
    bool among;
  };
  constexpr Named kScans[] = {
      {"read_own", Scan::read, Home::own, 3, false},
      {"read_other", Scan::read, Home::other, 3, false},
      {"read_other;by=first", Scan::read, Home::other, 1, false},
      {"write_own", Scan::write, Home::own, 3, false},
      {"write_own;among", Scan::write, Home::own, 3, true},
      {"write_other", Scan::write, Home::other, 3, false},
      {"write_other;among", Scan::write, Home::other, 3, true},
      {"write_other;by=first", Scan::write, Home::other, 1, false},
  };
  for (const Named& scan : kScans) {
    for (const double hot : {0.3, 0.45, 0.6}) {
      for (const double scanned : {0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7}) {
        bench.run("hot=own;share=" + text(hot) + ";scan=" + scan.name + ";scanned=" + text(scanned),
                  {Home::own, part(hot), scan.scan, scan.home, part(scanned), scan.scanners, true, scan.among, kMost});
      }
    }
  }
}

}  // namespace tilescope::gpu
