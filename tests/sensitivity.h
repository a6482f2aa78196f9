// Does every latency of a configuration matter to every kernel that uses it? Doubled, one at a time, cycles must
// change; where they do not, docs/sensitivity.md says why.
//
//   | parameter | kernels that it does not change | why |          a row of its table of exceptions; kernels: none, or
//   names, separated by commas
//
// A latency is an integer or real key of the schema in cycles or nanoseconds: intervals too. Which kernels use it is
// told by what they execute and count (kUses).
#pragma once

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <numeric>
#include <set>
#include <string>
#include <vector>

#include "engine_runs.h"
#include "models/isa/constant_line.h"
#include "sass_runs.h"

namespace tilescope::test {

struct Latency {
  std::string path;  // "l2.latency_cycles"
  double value = 0;
  bool whole = true;  // a whole number
};

// Finds them among all keys.
class LatencyFields : public SpecFields {
 public:
  void integer(std::string_view key, std::int64_t& value, Range<std::int64_t>, std::string_view unit,
               std::string_view) override {
    add(key, static_cast<double>(value), unit, true);
  }
  void real(std::string_view key, double& value, Range<double>, std::string_view unit, std::string_view) override {
    add(key, value, unit, false);
  }
  void boolean(std::string_view, bool&, std::string_view) override {}
  void text(std::string_view, std::string&, std::string_view) override {}
  void choice(std::string_view, std::int64_t&, const std::vector<std::string>&, std::string_view) override {}
  void integers(std::string_view, std::vector<std::int64_t>&, Range<std::int64_t>, std::string_view,
                std::string_view) override {}
  void section(std::string_view key, std::string_view, const std::function<void(SpecFields&)>& body) override {
    section_ = std::string(key) + ".";
    body(*this);
    section_.clear();
  }
  void require(bool, std::string_view, const std::string&) override {}

  std::vector<Latency> found;

 private:
  void add(std::string_view key, double value, std::string_view unit, bool whole) {
    if (unit == "cycle" || unit == "ns") found.push_back({section_ + std::string(key), value, whole});
  }
  std::string section_;
};

inline GpuSpec shipped(const std::string& name, const std::vector<Override>& changes = {}) {
  auto read = read_spec<GpuSpec>(TILESCOPE_SOURCE_DIR "/configs/gpus/" + name + ".yaml", changes);
  if (!read) FAIL(to_string(read.error()));
  return *read;
}

inline std::vector<Latency> latencies(GpuSpec gpu) {
  LatencyFields fields;
  gpu.fields(fields);
  return fields.found;
}

inline Override doubled(const Latency& latency) {
  return {latency.path, latency.whole ? fmt::format("{}", static_cast<std::int64_t>(2 * latency.value))
                                      : fmt::format("{}", 2 * latency.value)};
}

// One kernel and what it did on the unchanged GPU.
struct KernelRun {
  const Kernel& kernel;
  RunOutcome outcome;
  const GpuSpec& gpu;

  bool executes(const std::function<bool(const Instruction&)>& which) const {
    const auto code = kernel.code();
    for (std::size_t i = 0; i < code.size(); ++i)
      if (which(code[i]) && outcome.instructions[i].executed != 0) return true;
    return false;
  }
  template <class... Ops>
  bool executes_op(Ops... ops) const {
    return executes([&](const Instruction& one) { return ((one.op == ops) || ...); });
  }
  std::uint64_t of(AccessKind kind) const { return outcome.sm.of(kind).requests; }
  std::uint64_t wavefronts(AccessKind kind) const { return outcome.sm.of(kind).wavefronts; }
  const L2Counters& l2() const { return outcome.memory.l2; }
  const HbmCounters& hbm() const { return outcome.memory.hbm; }
  // Has it copied boxes of several rows, or of one, by bulk copies?
  bool copies(bool rows) const {
    const BoxTable& boxes = kernel.patterns().boxes;
    for (std::uint32_t i = 1; i < boxes.size(); ++i)
      if ((boxes.box(i).rows.size() > 1) == rows) return true;
    return false;
  }
  std::int64_t ctas() const { return kernel.launch().grid.count(); }
};

struct Use {
  const char* path;
  bool (*by)(const KernelRun&);
};

inline bool always(const KernelRun&) { return true; }
inline bool reads_l2(const KernelRun& ran) { return ran.l2().read_sectors != 0; }
inline bool atomics(const KernelRun& ran) { return ran.l2().atomic_sectors + ran.l2().reduction_sectors != 0; }
inline bool reads_hbm(const KernelRun& ran) { return ran.hbm().read_bytes != 0; }
inline bool turns(const KernelRun& ran, Turn turn) {
  return ran.executes([turn](const Instruction& one) { return is_turn(one.op) && one.turn() == turn; });
}
inline bool of_scope(const KernelRun& ran, Scope scope) {
  return ran.executes([scope](const Instruction& one) { return one.op == OpClass::membar && one.scope() == scope; });
}
inline bool atomic_of(const KernelRun& ran, bool shared, AtomicKind kind) {
  return ran.executes([&](const Instruction& one) {
    const bool is = shared ? one.op == OpClass::shared_atomic
                           : one.op == OpClass::global_atomic || one.op == OpClass::global_reduction;
    return is && one.atomic() == kind;
  });
}

inline bool reads_operand(const KernelRun& ran) {
  return ran.executes(
      [](const Instruction& one) { return one.op != OpClass::constant_load && one.constant != ConstantLine::kNone; });
}
// Something waits for an access to have read its registers.
inline bool overwrites_operands(const KernelRun& ran) {
  return ran.executes([](const Instruction& one) { return one.read_scoreboard < kScoreboards; });
}
inline bool overwrites_data(const KernelRun& ran) {
  return ran.executes([](const Instruction& one) {
    return one.read_scoreboard < kScoreboards && memory_operands(one.op) == 1 && !is_load(access_of(one.op, 0));
  });
}
inline bool multiplies(const KernelRun& ran) {
  return ran.executes([](const Instruction& one) { return traits(one.op).pipe == Pipe::tensor; });
}

inline const std::vector<Use>& uses() {
  static const std::vector<Use> all = {
      {"clock.tensor_hold_ns", multiplies},
      {"clock.tensor_gap_ns", multiplies},
      {"clock.tensor_step_ns", multiplies},
      {"pipes.wide_issue_cycles", [](const KernelRun& ran) { return ran.executes_op(OpClass::imad_wide); }},
      {"pipes.wide_imad_cycles", [](const KernelRun& ran) { return ran.executes_op(OpClass::imad_wide); }},
      {"pipes.uniform_issue_cycles", [](const KernelRun& ran) { return ran.executes_op(OpClass::uniform); }},
      {"pipes.uniform_operand_cycles",
       [](const KernelRun& ran) { return ran.executes([](const Instruction& one) { return one.uniform_rows != 0; }); }},
      {"pipes.tensor_issue_cycles",
       [](const KernelRun& ran) {  // longer than the products' own time when doubled
         const GpuSpec& gpu = ran.gpu;
         return ran.executes([&](const Instruction& one) {
           return one.op == OpClass::tensor && !one.multiplies_doubles() &&
                  one.work * 256 < 2 * gpu.pipes.tensor_issue_cycles * gpu.pipes.tensor_fma_per_cycle;
         });
       }},
      {"pipes.tensor_operand_cycles",
       [](const KernelRun& ran) {  // no longer than the core's work
         const GpuSpec& gpu = ran.gpu;
         return ran.executes([&](const Instruction& one) {
           return one.op == OpClass::tensor &&
                  one.work * 256 > gpu.pipes.tensor_operand_cycles * gpu.pipes.tensor_fma_per_cycle;
         });
       }},
      {"pipes.tensor_double_cycles",
       [](const KernelRun& ran) {
         return ran.executes([](const Instruction& one) { return one.multiplies_doubles(); });
       }},
      {"pipes.tensor_latency_cycles", [](const KernelRun& ran) { return ran.executes_op(OpClass::tensor); }},
      {"pipes.group_tensor_register_cycles",
       [](const KernelRun& ran) {
         const GpuSpec& gpu = ran.gpu;
         return ran.executes([&](const Instruction& one) {
           return one.op == OpClass::group_tensor && one.a_in_registers() &&
                  one.work * 256 < 2 * gpu.pipes.group_tensor_register_cycles * gpu.pipes.group_tensor_fma_per_cycle;
         });
       }},
      {"pipes.group_tensor_latency_cycles",
       [](const KernelRun& ran) { return ran.executes_op(OpClass::group_tensor); }},
      {"pipes.xu_latency_cycles", [](const KernelRun& ran) { return ran.executes_op(OpClass::xu); }},
      {"pipes.fp64_latency_cycles", [](const KernelRun& ran) { return ran.executes_op(OpClass::fp64); }},
      {"pipes.special_latency_cycles", [](const KernelRun& ran) { return ran.executes_op(OpClass::special); }},
      {"pipes.constant_latency_cycles", [](const KernelRun& ran) { return ran.executes_op(OpClass::constant_load); }},
      {"pipes.shuffle_latency_cycles", [](const KernelRun& ran) { return ran.executes_op(OpClass::shuffle); }},
      {"pipes.cluster_rank_cycles",
       [](const KernelRun& ran) {
         return ran.executes([](const Instruction& one) { return one.reads_cluster_rank(); });
       }},
      {"pipes.branch_cycles", [](const KernelRun& ran) { return turns(ran, Turn::jump); }},
      {"pipes.meeting_cycles", [](const KernelRun& ran) { return turns(ran, Turn::meets); }},
      {"pipes.barrier_cycles", [](const KernelRun& ran) { return ran.executes_op(OpClass::barrier); }},
      {"pipes.barrier_arrival_cycles",
       [](const KernelRun& ran) {
         return ran.executes_op(OpClass::barrier) && ran.kernel.launch().warps_per_cta() > 1;
       }},
      {"instruction_cache.miss_cycles", always},
      {"instruction_cache.line_cycles", always},
      {"instruction_cache.first_cycles", always},
      {"instruction_cache.launch_line_cycles", always},
      {"instruction_cache.gpc_line_cycles", always},
      {"instruction_cache.buffer_cycles", [](const KernelRun& ran) { return ran.executes_op(OpClass::branch); }},
      {"instruction_cache.jump_cycles", [](const KernelRun& ran) { return ran.executes_op(OpClass::branch); }},
      {"instruction_cache.memory_cycles",
       [](const KernelRun& ran) {
         const auto brought = static_cast<std::size_t>(ran.gpu.instruction_cache.launch_kib) * 64;  // instructions
         std::size_t reached = 0;
         for (std::size_t i = 0; i < ran.kernel.code().size(); ++i)
           if (ran.outcome.instructions[i].executed != 0) reached = i;
         return reached >= brought;
       }},
      {"constant_cache.miss_cycles", reads_operand},
      {"constant_cache.load_miss_cycles",
       [](const KernelRun& ran) {
         return ran.executes([](const Instruction& one) {
           return one.op == OpClass::constant_load && one.constant != ConstantLine::kNone;
         });
       }},
      {"constant_cache.load_cycles", [](const KernelRun& ran) { return ran.executes_op(OpClass::constant_load); }},
      {"constant_cache.load_issue_cycles",
       [](const KernelRun& ran) { return ran.executes_op(OpClass::constant_load); }},
      {"constant_cache.line_cycles",
       [](const KernelRun& ran) {
         return reads_operand(ran) && ran.kernel.launch().grid.count() * kSmsPerTpc > ran.gpu.sm.count();
       }},
      {"constant_cache.line_alone_cycles",
       [](const KernelRun& ran) {
         return reads_operand(ran) && !ran.kernel.launch().clustered() &&
                ran.kernel.launch().grid.count() * kSmsPerTpc <= ran.gpu.sm.count();
       }},
      {"constant_cache.memory_cycles",
       [](const KernelRun& ran) {
         return ran.executes([](const Instruction& one) { return ConstantLine::is_other(one.constant); });
       }},
      {"lsu.issue_cycles",
       [](const KernelRun& ran) { return ran.outcome.sm.data_wavefronts + ran.outcome.sm.tag_cycles != 0; }},
      {"lsu.wavefront_cycles", [](const KernelRun& ran) { return ran.outcome.sm.data_wavefronts != 0; }},
      {"lsu.wide_issue_cycles",
       [](const KernelRun& ran) { return ran.of(AccessKind::global_load) + ran.of(AccessKind::global_store) != 0; }},
      {"lsu.operand_cycles", overwrites_operands},
      {"lsu.operand_register_cycles", overwrites_operands},
      {"lsu.operand_store_cycles", overwrites_data},
      {"lsu.barrier_turn_cycles", [](const KernelRun& ran) { return ran.executes_op(OpClass::barrier); }},
      {"lsu.answer_turn_cycles",
       [](const KernelRun& ran) {
         return ran.of(AccessKind::global_load) != 0 &&
                ran.of(AccessKind::shared_load) + ran.of(AccessKind::shared_store) != 0;
       }},
      {"lsu.answer_hit_turn_cycles",
       [](const KernelRun& ran) { return ran.outcome.sm.of(AccessKind::global_load).hit_sectors != 0; }},
      {"lsu.miss_join_cycles", reads_l2},
      {"lsu.store_buffer_cycles", [](const KernelRun& ran) { return ran.of(AccessKind::global_store) != 0; }},
      {"lsu.store_line_cycles", [](const KernelRun& ran) { return ran.of(AccessKind::global_store) != 0; }},
      {"lsu.store_join_cycles", [](const KernelRun& ran) { return ran.of(AccessKind::global_store) != 0; }},
      {"lsu.pipeline_cycles",
       [](const KernelRun& ran) { return ran.outcome.sm.data_wavefronts + ran.outcome.sm.tag_cycles != 0; }},
      {"lsu.generic_cycles",
       [](const KernelRun& ran) {
         return ran.executes_op(OpClass::generic_load, OpClass::generic_atomic) &&
                ran.wavefronts(AccessKind::shared_load) + ran.wavefronts(AccessKind::shared_atomic) != 0;
       }},
      {"fences.cta_cycles", [](const KernelRun& ran) { return of_scope(ran, Scope::cta); }},
      {"fences.gpu_cycles", [](const KernelRun& ran) { return of_scope(ran, Scope::gpu); }},
      {"fences.system_cycles", [](const KernelRun& ran) { return of_scope(ran, Scope::system); }},
      {"fences.cluster_errors_cycles", [](const KernelRun& ran) { return of_scope(ran, Scope::cluster_errors); }},
      {"fences.async_cycles", [](const KernelRun& ran) { return ran.executes_op(OpClass::fence); }},
      {"fences.interval_cycles",
       [](const KernelRun& ran) { return of_scope(ran, Scope::gpu) || of_scope(ran, Scope::system); }},
      {"fences.invalidation_cycles", [](const KernelRun& ran) { return ran.executes_op(OpClass::cache_control); }},
      {"shared.latency_cycles",
       [](const KernelRun& ran) {
         return ran.executes_op(OpClass::shared_load, OpClass::matrix_load, OpClass::shared_atomic);
       }},
      {"shared.compare_cycles", [](const KernelRun& ran) { return atomic_of(ran, true, AtomicKind::compare); }},
      {"l1.latency_cycles",
       [](const KernelRun& ran) {
         return ran.outcome.sm.of(AccessKind::global_load).hit_sectors +
                    ran.outcome.sm.of(AccessKind::local_load).hit_sectors !=
                0;
       }},
      {"crossbar.request_cycles", reads_l2},
      {"crossbar.response_cycles", reads_l2},
      {"crossbar.tpc_step_cycles", reads_l2},
      {"crossbar.gpc_clock_cycles", [](const KernelRun& ran) { return reads_l2(ran) && multiplies(ran); }},
      {"crossbar.read_request_cycles", reads_l2},
      {"crossbar.write_sector_cycles", [](const KernelRun& ran) { return ran.l2().write_sectors != 0; }},
      {"crossbar.write_partial_cycles",
       [](const KernelRun& ran) { return ran.of(AccessKind::global_store) != 0 && ran.l2().write_sectors != 0; }},
      {"request_coalescer.window_cycles", [](const KernelRun& ran) { return reads_l2(ran) && ran.ctas() > 1; }},
      {"request_coalescer.spread_cycles", [](const KernelRun& ran) { return reads_l2(ran) && ran.ctas() > 1; }},
      {"request_coalescer.queue_cycles", [](const KernelRun& ran) { return reads_l2(ran) && ran.ctas() > 1; }},
      {"request_coalescer.shared_cycles", [](const KernelRun& ran) { return reads_l2(ran) && ran.ctas() > 1; }},
      {"l2.latency_cycles", reads_l2},
      {"l2.atomic_sector_cycles", atomics},
      {"l2.atomic_partial_cycles", atomics},
      {"l2.atomic_compare_cycles", [](const KernelRun& ran) { return atomic_of(ran, false, AtomicKind::compare); }},
      {"l2.atomic_repeat_cycles", [](const KernelRun& ran) { return atomic_of(ran, false, AtomicKind::floating); }},
      {"l2.atomic_latency_cycles", [](const KernelRun& ran) { return ran.executes_op(OpClass::global_atomic); }},
      {"fabric.latency_cycles", [](const KernelRun& ran) { return ran.l2().fabric_sectors != 0; }},
      {"hbm.latency_ns", reads_hbm},
      {"hbm.row_cycle_ns", reads_hbm},
      {"hbm.activate_ns", reads_hbm},
      {"hbm.burst_gap_ns", reads_hbm},
      {"hbm.refresh_interval_ns", reads_hbm},
      {"hbm.refresh_ns", reads_hbm},
      {"hbm.turnaround_ns", [](const KernelRun& ran) { return reads_hbm(ran) && ran.hbm().write_bytes != 0; }},
      {"hbm.write_to_read_ns", [](const KernelRun& ran) { return reads_hbm(ran) && ran.hbm().write_bytes != 0; }},
      {"asynchronous.mbarrier_arrival_cycles",
       [](const KernelRun& ran) { return ran.executes_op(OpClass::mbarrier_arrival, OpClass::copy_arrival); }},
      {"asynchronous.mbarrier_wait_cycles",
       [](const KernelRun& ran) { return ran.executes_op(OpClass::mbarrier_wait); }},
      {"asynchronous.mbarrier_limit_cycles",
       [](const KernelRun& ran) { return ran.executes_op(OpClass::mbarrier_wait); }},
      {"asynchronous.operand_cycles", [](const KernelRun& ran) { return ran.copies(false) || ran.copies(true); }},
      {"asynchronous.bulk_cycles", [](const KernelRun& ran) { return ran.copies(false); }},
      {"asynchronous.tensor_cycles", [](const KernelRun& ran) { return ran.copies(true); }},
      {"asynchronous.box_row_cycles",
       [](const KernelRun& ran) { return ran.executes_op(OpClass::bulk_load, OpClass::bulk_prefetch); }},
      {"asynchronous.cluster_cycles", [](const KernelRun& ran) { return ran.kernel.launch().clustered(); }},
      {"asynchronous.cluster_barrier_cycles",
       [](const KernelRun& ran) {
         return ran.executes_op(OpClass::cluster_barrier) && ran.kernel.launch().clustered();
       }},
      {"launch.overhead_cycles", always},
      {"launch.gpc_end_cycles", [](const KernelRun& ran) { return ran.ctas() > ran.gpu.launch.first_sms; }},
      {"launch.cta_launch_cycles",
       [](const KernelRun& ran) {
         const auto& sms = ran.gpu.sm.gpcs;
         return ran.ctas() >
                ran.outcome.occupancy.ctas_per_sm * std::accumulate(sms.begin(), sms.end(), std::int64_t{0});
       }},
      {"launch.warp_interval_cycles", [](const KernelRun& ran) { return ran.outcome.occupancy.warps_per_cta > 1; }},
      {"launch.cta_interval_cycles", [](const KernelRun& ran) { return ran.ctas() > 1; }},
      {"launch.cpc_interval_cycles", [](const KernelRun& ran) { return ran.ctas() > 1; }},
      {"launch.tpc_interval_cycles", [](const KernelRun& ran) { return ran.ctas() > 1; }},
  };
  return all;
}

struct Subject {
  std::string family, name;
  std::function<std::unique_ptr<Kernel>()> open;
};

// A generator, by name and "key=value" parameters.
inline Subject generated(const std::string& kernel, const std::vector<std::string>& parameters,
                         const std::string& name = "") {
  return {"generators", name.empty() ? kernel : name, [=] {
            ParameterTexts texts;
            for (const std::string& one : parameters)
              texts[one.substr(0, one.find('='))] = one.substr(one.find('=') + 1);
            auto made = make_kernel(kernel, texts);
            if (!made) FAIL(kernel << ": " << made.error().front());
            return std::move(*made);
          }};
}

// A launch file below the source tree.
inline Subject launched(const std::string& family, const std::string& name, const std::string& file) {
  return {family, name, [file] { return sass_kernel(TILESCOPE_SOURCE_DIR "/" + file); }};
}
inline Subject sample(const std::string& name) {
  return launched("samples", "sass/" + name, "traces/samples/sass/" + name + ".yaml");
}
// Launch `number` of gpu/measured/h100/BUNDLE.
inline Subject recorded(const std::string& bundle, int number) {
  return launched(bundle.substr(0, bundle.find('/')), fmt::format("{}#{}", bundle, number),
                  fmt::format("gpu/measured/h100/{}/launches/{:04}.yaml", bundle, number));
}

struct Change {
  std::string parameter, kernel, family;
  Cycle before = 0, after = 0;
  double percent() const { return 100.0 * static_cast<double>(after - before) / static_cast<double>(before); }
};

// Refreshes of memory are off except where one of their own two latencies is doubled: they end at fixed times, so that
// a short launch whose last lines wait for one ends with it, whatever else is slower.
inline std::vector<Change> changes_of(const Subject& subject, const std::string& gpu_name, int threads) {
  const auto kernel = subject.open();
  RunOptions options;
  options.sample = Sample::off;
  options.threads = threads;
  const std::vector<Override> quiet{{"hbm.refresh_ns", "0"}};
  const GpuSpec gpu = shipped(gpu_name, quiet);
  options.by_instruction = true;
  const KernelRun ran{*kernel, simulate(gpu, *kernel, options), gpu};
  options.by_instruction = false;
  Cycle refreshed = -1;  // on the GPU as it is
  std::vector<Change> changes;
  for (const Latency& latency : latencies(shipped(gpu_name)))
    for (const Use& use : uses()) {
      if (use.path != latency.path || latency.value == 0 || !use.by(ran)) continue;
      const bool refreshes = latency.path.starts_with("hbm.refresh");
      if (refreshes && refreshed < 0) refreshed = simulate(shipped(gpu_name), *kernel, options).cycles;
      std::vector<Override> changed = refreshes ? std::vector<Override>{} : quiet;
      changed.push_back(doubled(latency));
      const RunOutcome slower = simulate(shipped(gpu_name, changed), *kernel, options);
      changes.push_back(
          {latency.path, subject.name, subject.family, refreshes ? refreshed : ran.outcome.cycles, slower.cycles});
    }
  return changes;
}

// Rows of docs/sensitivity.md: parameter -> kernels that it does not change.
inline std::map<std::string, std::set<std::string>> exceptions(const std::string& page) {
  std::map<std::string, std::set<std::string>> all;
  std::istringstream lines(page);
  bool inside = false;
  for (std::string line; std::getline(lines, line);) {
    if (line.find("<!-- exceptions: begin -->") == 0) inside = true;
    if (line.find("<!-- exceptions: end -->") == 0) inside = false;
    if (!inside || line.rfind("| `", 0) != 0) continue;
    const std::size_t end = line.find('`', 3), begin = line.find("| ", end);
    const std::string path = line.substr(3, end - 3);
    std::string kernels = line.substr(begin + 2, line.find(" |", begin + 2) - begin - 2);
    std::set<std::string>& of = all[path];
    std::replace(kernels.begin(), kernels.end(), ',', ' ');
    std::istringstream words(kernels);
    for (std::string word; words >> word;) of.insert(word);
  }
  return all;
}

// Small kernels that together use what there is: seconds.
inline std::vector<Subject> small_subjects() {
  return {
      generated("gemm_naive", {"M=64", "N=64", "K=64"}),
      generated("gemm_tiled", {"M=128", "N=128", "K=64"}),
      generated("gemm_register", {"M=256", "N=128", "K=64"}),
      generated("pointer_chase", {"bytes=65536", "steps=256"}),
      generated("reread", {"bytes=262144", "ctas=8", "passes=2"}),
      generated("copy", {"bytes=524288"}),
      generated("strided", {"elements=32768", "stride=3"}),
      generated("transpose", {"M=256", "N=128"}),
      sample("gemm_tensor"),
      sample("through_shared"),
      sample("triton_vadd"),
      recorded("pipelined/train", 1),
      recorded("pipelined/train", 12),
  };
}

// Every change that is none must be listed, every one that is listed must be none. `whole`: these are all kernels, so
// that what is listed must have been seen.
inline void check_changes(const std::vector<std::vector<Change>>& changes, bool whole) {
  const auto page = read_text_file(TILESCOPE_SOURCE_DIR "/docs/sensitivity.md");
  REQUIRE(page);
  auto listed = exceptions(*page);
  std::set<std::string> used;
  for (const auto& of_one : changes)
    for (const Change& change : of_one) {
      CAPTURE(change.parameter);
      CAPTURE(change.kernel);
      used.insert(change.parameter);
      const bool excepted = listed[change.parameter].erase(change.kernel) != 0;
      if (change.before == change.after)
        CHECK_MESSAGE(excepted, "takes " << change.before
                                         << " cycles with twice the latency, too: docs/sensitivity.md must say why");
      else
        CHECK_MESSAGE(!excepted, "takes " << change.after << " instead of " << change.before
                                          << " cycles: docs/sensitivity.md says it takes as many");
    }
  if (!whole) return;
  for (const auto& [parameter, kernels] : listed)
    for (const std::string& kernel : kernels) {
      CAPTURE(parameter);
      CAPTURE(kernel);
      CHECK_MESSAGE((kernel == "none" && !used.contains(parameter)), "is listed but not used");
    }
  for (const Latency& latency : latencies(shipped("h100"))) {
    CAPTURE(latency.path);
    CHECK_MESSAGE((used.contains(latency.path) || listed[latency.path].contains("none")),
                  "no kernel uses it, and docs/sensitivity.md does not say so");
  }
}

}  // namespace tilescope::test
