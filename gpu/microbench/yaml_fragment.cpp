#include "yaml_fragment.h"

#include <cmath>
#include <map>
#include <set>

#include "../common/device.h"

namespace tilescope::gpu {
namespace {

constexpr int kSubPartitions = 4;

// Lanes of one sub-partition from cycles per instruction of the SM. Lanes come in powers of two; what is not within 10
// % of one is not a count of lanes.
std::optional<double> lanes(double cycles) {
  const double seen = 32.0 / (kSubPartitions * cycles);
  const double whole = std::exp2(std::round(std::log2(seen)));
  return std::abs(seen / whole - 1) < 0.1 ? std::optional(whole) : std::nullopt;
}
std::optional<double> same(double value) { return value; }
std::optional<double> per_32(double value) { return value / 32; }
std::optional<double> per_sector_of_line(double value) { return value / 4; }
std::optional<double> hmma_16816_per_sub_partition(double cycles) { return 16.0 * 8 * 16 / (kSubPartitions * cycles); }

struct Key {
  const char* section;
  const char* key;
  const char* benchmark;
  const char* the_case;
  const char* metric;
  std::optional<double> (*value_from)(double);
};

constexpr const char* kCpi = "cycles_per_instruction";

// Keys that one row determines.
const Key kKeys[] = {
    {"clock", "sm_mhz", "sm_clock", "after=ffma", "frequency", same},
    {"pipes", "fma_lanes", "arithmetic", "op=ffma;chains=8;warps=32", kCpi, lanes},
    {"pipes", "imad_lanes", "arithmetic", "op=imad;chains=8;warps=32", kCpi, lanes},
    {"pipes", "alu_lanes", "arithmetic", "op=lop3;chains=8;warps=32", kCpi, lanes},
    {"pipes", "half_lanes", "arithmetic", "op=hfma2;chains=8;warps=32", kCpi, lanes},
    {"pipes", "fp64_lanes", "arithmetic", "op=dfma;chains=8;warps=32", kCpi, lanes},
    {"pipes", "xu_lanes", "arithmetic", "op=mufu.ex2;chains=8;warps=32", kCpi, lanes},
    {"pipes", "tensor_fma_per_cycle", "arithmetic", "op=hmma.16816.f32;chains=8;warps=32", kCpi,
     hmma_16816_per_sub_partition},
    {"pipes", "tensor_latency_cycles", "arithmetic", "op=hmma.16816.f32;chains=1;warps=1", kCpi, same},
    {"pipes", "xu_latency_cycles", "arithmetic", "op=mufu.ex2;chains=1;warps=1", kCpi, same},
    {"pipes", "fp64_latency_cycles", "arithmetic", "op=dfma;chains=1;warps=1", kCpi, same},
    {"pipes", "shuffle_latency_cycles", "arithmetic", "op=shfl;chains=1;warps=1", kCpi, same},
    {"lsu", "issue_cycles", "throughput_shared", "op=ld;bits=32;ways=1;warps=1", kCpi, same},
    {"lsu", "wavefront_cycles", "throughput_shared", "op=ld;bits=32;ways=32;warps=1", kCpi, per_32},
    {"shared", "latency_cycles", "latency_l1", "space=shared;bits=32;lanes=32;ways=1", "latency", same},
    {"l1", "latency_cycles", "latency_l1", "space=global;bits=64;lanes=1;pitch_bytes=8", "latency", same},
    {"crossbar", "write_sector_cycles", "throughput_global", "access=store;bits=32;banks=spread;lines=1;warps=8",
     "cycles_per_request", per_sector_of_line},
    {"launch", "cta_launch_cycles", "cta_launch", "ctas=1056;threads=1024;spin=20000", "successor_gap", same},
};

const char* const kSections[] = {"clock", "pipes", "lsu", "shared", "l1", "crossbar", "l2", "hbm", "launch"};

class Fragment {
 public:
  explicit Fragment(const Report& report) : report_(report) {}

  void add(const Key& key) {
    const auto measured = report_.find(key.benchmark, key.the_case, key.metric);
    const auto value = measured ? key.value_from(*measured) : std::nullopt;
    if (value) {
      add(key.section, key.key, *value, source(key.benchmark, key.the_case, *measured));
    }
  }

  // The first barrier and each further arrival, from CTAs of 1 and of 32 warps.
  void add_barrier() {
    const auto one = report_.find("barrier", "warps=1", "back_to_back");
    const auto all = report_.find("barrier", "warps=32", "back_to_back");
    if (one && all) {
      const double each = (*all - *one) / 31;
      add("pipes", "barrier_cycles", *one - each, "barrier, warps=1 less one arrival: " + text(*one - each));
      add("pipes", "barrier_arrival_cycles", each, "barrier, (warps=32 - warps=1) / 31: " + text(each));
    }
  }

  // Bytes per cycle from a rate and the clock of the same run.
  // `share`: of the value that the model gets.
  void add_rate(const char* key, const char* the_case, double share = 1) {
    const auto rate = report_.find("bandwidth", the_case, "rate");
    const auto mhz = report_.find("sm_clock", "after=ffma", "frequency");
    if (rate && mhz) {
      add("crossbar", key, *rate * 1e3 / *mhz / share, source("bandwidth", the_case, *rate) + " GB/s at clock.sm_mhz");
    }
  }

  // 32 partly written sectors in 32 lines, less their time as sectors.
  void add_partial_writes() {
    const char* const kWhole = "access=store;bits=32;banks=spread;lines=1;warps=8";
    const char* const kPartial = "access=store;bits=32;banks=spread;lines=32;warps=8";
    const auto whole = report_.find("throughput_global", kWhole, "cycles_per_request");
    const auto partial = report_.find("throughput_global", kPartial, "cycles_per_request");
    if (whole && partial) {
      add("crossbar", "write_partial_cycles", *partial / 32 - *whole / 4,
          source("throughput_global", kPartial, *partial) + " / 32, less write_sector_cycles");
    }
  }

  void add_l2_size() {
    int bytes = 0;
    check(cudaDeviceGetAttribute(&bytes, cudaDevAttrL2CacheSize, 0), "cudaDeviceGetAttribute");
    add("l2", "size_mib", bytes / 1048576.0, "cudaDevAttrL2CacheSize: " + std::to_string(bytes) + " B");
  }

  // A measurement that several keys share.
  void note(const char* section, const char* what, const char* benchmark, const char* the_case, const char* metric,
            const char* unit) {
    const auto measured = report_.find(benchmark, the_case, metric);
    if (measured) {
      lines_[section] += "  # M: " + source(benchmark, the_case, *measured) + " " + unit + " = " + what + "\n";
    }
  }

  // What each of `count` instructions adds to a loop: one case less another without them.
  void note_added(const char* section, const char* what, const char* benchmark, const char* with, const char* without,
                  const char* metric, int count) {
    const auto more = report_.find(benchmark, with, metric);
    const auto less = report_.find(benchmark, without, metric);
    if (more && less) {
      lines_[section] += "  # M: " + source(benchmark, with, *more) + ", less " + text(*less) + " of " + without +
                         ", / " + std::to_string(count) + ": " + text((*more - *less) / count) + " cycles = " + what +
                         "\n";
    }
  }

  std::string text() const {
    std::string all;
    for (const char* const section : kSections) {
      const auto found = lines_.find(section);
      if (found != lines_.end()) {
        all += std::string(with_keys_.count(section) != 0 ? "\n" : "\n# ") + section + ":\n" + found->second;
      }
    }
    return all;
  }

 private:
  static std::string text(double value) {
    char buffer[32];
    std::snprintf(buffer, sizeof buffer, "%.5g", value);
    return buffer;
  }
  static std::string source(const std::string& benchmark, const std::string& the_case, double value) {
    return benchmark + (the_case.empty() ? "" : ", " + the_case) + ": " + text(value);
  }
  void add(const char* section, const std::string& key, double value, const std::string& source) {
    with_keys_.insert(section);
    const std::string setting = "  " + key + ": " + std::to_string(std::lround(value));
    lines_[section] +=
        setting + std::string(setting.size() < 29 ? 29 - setting.size() : 1, ' ') + "# M: " + source + "\n";
  }

  const Report& report_;
  std::map<std::string, std::string> lines_;
  std::set<std::string> with_keys_;  // a section of comments alone would be an empty one
};

// Keys of which a model of the dispatch port makes these figures.
void note_dispatch_port(Fragment& fragment) {
  const char* const kFfmas = "access=none;operands=same;ffma=16;warps=32";
  fragment.note_added("pipes", "an IMAD.WIDE: wide_issue_cycles, where no other instruction fills them",
                      "dispatch_port", "loads=0;wide=16;ffma=64;warps=32", "loads=16;wide=0;ffma=64;warps=32",
                      "per_iteration", 15);  // the loop without them has one, for its pointer
  fragment.note_added("lsu", "an STS.32: its own, and the register banks for 1 register", "dispatch_port",
                      "access=sts32;operands=same;ffma=16;warps=32", kFfmas, "per_iteration", 8);
  fragment.note_added("lsu", "an STS.128: its own, and the register banks for 4 registers", "dispatch_port",
                      "access=sts128;operands=same;ffma=16;warps=32", kFfmas, "per_iteration", 8);
}

// Likewise of DRAM. Half of the lines are near: p25 is the middle of these.
void note_hbm(Fragment& fragment) {
  const char* const kL2 = "level=l2;sms=1;shape=random;lines=1";
  const char* const kHbm = "level=hbm;sms=1;shape=random;lines=1";
  fragment.note("hbm", "p25, a near hit in all", "hbm_latency", kL2, "p25", "cycles");
  fragment.note("hbm", "p25, a near miss in all: latency_ns and the burst beyond the hit", "hbm_latency", kHbm, "p25",
                "cycles");
  fragment.note("hbm", "p75, a far miss in all", "hbm_latency", kHbm, "p75", "cycles");
  fragment.note("hbm", "p90: refresh_ns / refresh_interval_ns of the reads wait for a refresh to end", "hbm_latency",
                kHbm, "p90", "cycles");
  fragment.note("hbm", "p99: who waits longest, for refresh_ns beyond the rest", "hbm_latency", kHbm, "p99", "cycles");
  fragment.note("hbm", "scattered reads of 64 B at their most: 64 B * channels / activate_ns", "loaded_latency",
                "level=hbm;shape=rows;warps=64", "rate", "B/cycle");
}

// SMs of a GPC wait for the fullest of its ports and get so much of what all carry (models/gpc_ports.h).
constexpr double kGpcShare = 0.96;

}  // namespace

void write_yaml_fragment(const Report& report, const std::string& path) {
  cudaDeviceProp properties{};
  check(cudaGetDeviceProperties(&properties, 0), "cudaGetDeviceProperties");
  Fragment fragment(report);
  for (const Key& key : kKeys) {
    fragment.add(key);
  }
  fragment.add_barrier();
  fragment.add_rate("sm_read_bytes_per_cycle", "op=read;readers=one;mib=16;sms=1;every=1");
  fragment.add_rate("gpc_read_bytes_per_cycle", "op=read;readers=one;mib=16;sms=18;of=one_gpc", kGpcShare);
  fragment.add_partial_writes();
  fragment.add_l2_size();
  fragment.note("l1", "the tag stage, a load of 32 lines", "throughput_global",
                "access=l1_hit;bits=32;banks=spread;lines=32;warps=8", "cycles_per_request", "cycles");
  fragment.note("l2", "a near hit in all: crossbar.request_cycles, the slice, crossbar.response_cycles and L1's part",
                "latency_global", "cache=l2;bytes=1048576", "latency", "cycles");
  fragment.note("l2", "a far hit beyond a near one: twice fabric.latency_cycles and a second look-up",
                "latency_l2_by_sm", "", "far_minus_near", "cycles");
  fragment.note("hbm", "a load from HBM in all, half of them across the fabric", "latency_global",
                "cache=l2;bytes=268435456", "latency", "cycles");
  fragment.note("hbm", "reading, against bandwidth_gbs", "bandwidth", "op=read;readers=one;mib=1024", "rate", "GB/s");
  fragment.note("hbm", "copying, bytes read and bytes written", "bandwidth", "op=copy;mib=1024", "rate", "GB/s");
  note_dispatch_port(fragment);
  note_hbm(fragment);

  std::FILE* const file = std::fopen(path.c_str(), "w");
  if (file == nullptr) {
    throw std::runtime_error(path + ": cannot be written");
  }
  std::fprintf(
      file,
      "# %s (sm_%d%d): what tilescope-microbench measured, as far as it determines keys of configs/gpus/*.yaml\n%s",
      properties.name, properties.major, properties.minor, fragment.text().c_str());
  std::fclose(file);
}

}  // namespace tilescope::gpu
