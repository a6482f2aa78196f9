#include "sim/results/views/perfetto_trace.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <map>
#include <set>

#include "sim/results/metrics.h"

namespace tilescope {
namespace {

constexpr std::size_t kMostCtas = 100'000, kMostSpans = 80'000;
constexpr int kCtaProcess = 100'000, kChipProcess = 100'001;  // beyond any SM
constexpr std::array<const char*, kPipes> kPipeNames = {"none", "fma",    "imad",    "alu", "half", "fp64",
                                                        "xu",   "tensor", "uniform", "mio", "lg"};

std::string words(std::string_view name) {
  std::string text(name);
  std::replace(text.begin(), text.end(), '_', ' ');
  return text;
}

class Events {
 public:
  explicit Events(double sm_mhz) : sm_mhz_(sm_mhz) {}

  void process(int pid, const std::string& name, int place) {
    begin();
    put(R"({{"name":"process_name","ph":"M","pid":{},"args":{{"name":"{}"}}}})", pid, name);
    begin();
    put(R"({{"name":"process_sort_index","ph":"M","pid":{},"args":{{"sort_index":{}}}}})", pid, place);
  }
  void thread(int pid, std::int64_t tid, const std::string& name) {
    begin();
    put(R"({{"name":"thread_name","ph":"M","pid":{},"tid":{},"args":{{"name":"{}"}}}})", pid, tid, name);
    begin();
    put(R"({{"name":"thread_sort_index","ph":"M","pid":{},"tid":{},"args":{{"sort_index":{}}}}})", pid, tid, tid);
  }
  void slice(int pid, std::int64_t tid, const std::string& name, Cycle from, Cycle until,
             const std::string& args = "") {
    if (us(until) <= us(from)) return;
    begin();
    put(R"({{"name":"{}","ph":"X","pid":{},"tid":{},"ts":{:.3f},"dur":{:.3f})", name, pid, tid, us(from),
        us(until) - us(from));
    text_ += args.empty() ? "}" : ",\"args\":{" + args + "}}";
  }
  // One series of a process's counter from `when` on; nothing where it does not change.
  void counter(int pid, const std::string& name, const std::string& series, Cycle when, double value) {
    const std::string shown = fmt::format("{:.4g}", value);
    std::string& last = last_[{pid, name + '\0' + series}];
    if (last == shown) return;
    last = shown;
    begin();
    put(R"({{"name":"{}","ph":"C","pid":{},"ts":{:.3f},"args":{{"{}":{}}}}})", name, pid, us(when), series, shown);
  }
  const std::string& text() const { return text_; }

 private:
  void begin() { text_ += text_.empty() ? "\n" : ",\n"; }
  template <class... Args>
  void put(fmt::format_string<Args...> format, Args&&... args) {
    fmt::format_to(std::back_inserter(text_), format, std::forward<Args>(args)...);
  }
  // To the nanosecond, in which Perfetto counts: slices that meet still meet.
  double us(Cycle cycles) const { return std::round(1000 * static_cast<double>(cycles) / sm_mhz_) / 1000; }

  double sm_mhz_;
  std::string text_;
  std::map<std::pair<int, std::string>, std::string> last_;
};

// Places of an SM: a CTA takes the first that is free.
void add_ctas(Events& events, const std::vector<FinishedCta>& timeline) {
  std::map<int, std::vector<Cycle>> free_from;
  for (std::size_t i = 0; i < std::min(timeline.size(), kMostCtas); ++i) {
    const FinishedCta& cta = timeline[i];
    std::vector<Cycle>& places = free_from[cta.sm];
    auto place = std::find_if(places.begin(), places.end(), [&](Cycle free) { return free <= cta.start; });
    if (place == places.end()) {
      place = places.insert(places.end(), 0);
      events.thread(cta.sm, place - places.begin(), fmt::format("CTA place {}", place - places.begin()));
    }
    *place = cta.end;
    events.slice(cta.sm, place - places.begin(), fmt::format("CTA {}", cta.cta), cta.start, cta.end);
  }
}

void add_sm(Events& events, int sm, const std::vector<SmWindow>& windows, const LaunchHistory& history) {
  const auto add = [&](const SmWindow& window, Cycle when, double cycles) {
    for (int i = 0; i < kStalls; ++i)
      events.counter(sm, "warps", words(name(static_cast<Stall>(i))), when,
                     static_cast<double>(window.stall_cycles[static_cast<std::size_t>(i)]) / cycles);
    for (std::size_t i = 1; i < kPipeNames.size(); ++i)
      events.counter(sm, "instructions per cycle", kPipeNames[i], when,
                     static_cast<double>(window.instructions[i]) / cycles);
    const auto counter = [&](const char* name, const char* unit, double value) {
      events.counter(sm, name, unit, when, value);
    };
    counter("data stage", "wavefronts per cycle", static_cast<double>(window.data_wavefronts) / cycles);
    counter("tag stage", "busy %", 100 * static_cast<double>(window.tag_cycles) / cycles);
    counter("tensor cores, products", "busy %", 25 * static_cast<double>(window.tensor_cycles) / cycles);
    counter("cp.async", "instructions per cycle", static_cast<double>(window.async_copies) / cycles);
    counter("bulk copies", "bytes per cycle", static_cast<double>(window.bulk_bytes) / cycles);
  };
  for (std::size_t i = 0; i < windows.size(); ++i) {
    const Cycle from = static_cast<Cycle>(i) * history.window();
    add(windows[i], from, static_cast<double>(history.end_of(i) - from));
  }
  add({}, history.until(), 1);
}

void add_chip(Events& events, const LaunchHistory& history, double sm_mhz) {
  const auto add = [&](const ChipWindow& window, Cycle when, double cycles) {
    const L2Counters& l2 = window.memory.l2;
    const HbmCounters& hbm = window.memory.hbm;
    const auto counter = [&](const std::string& name, const std::string& series, double value) {
      events.counter(kChipProcess, name, series, when, value);
    };
    const auto gb_per_second = [&](std::uint64_t bytes) { return static_cast<double>(bytes) / cycles * sm_mhz / 1000; };
    if (l2.read_sectors != 0)  // else it has none
      counter("L2 read hit rate", "%",
              100 * static_cast<double>(l2.read_hit_sectors) / static_cast<double>(l2.read_sectors));
    counter("L2 GB/s", "read by SMs", gb_per_second(kSectorBytes * l2.read_sectors));
    counter("L2 GB/s", "written by SMs", gb_per_second(kSectorBytes * l2.write_sectors));
    counter("L2 GB/s", "fabric", gb_per_second(kSectorBytes * l2.fabric_sectors));
    counter("HBM GB/s", "read", gb_per_second(hbm.read_bytes));
    counter("HBM GB/s", "written", gb_per_second(hbm.write_bytes));
    for (std::size_t i = 0; i < window.slice_sectors.size(); ++i)
      counter("L2 slices, sectors per cycle", fmt::format("slice {}", i),
              static_cast<double>(window.slice_sectors[i]) / cycles);
    for (std::size_t i = 0; i < window.channel_bytes.size(); ++i)
      counter("HBM channels, bytes per cycle", fmt::format("channel {}", i),
              static_cast<double>(window.channel_bytes[i]) / cycles);
  };
  for (std::size_t i = 0; i < history.windows(); ++i) {
    const Cycle from = static_cast<Cycle>(i) * history.window();
    add(history.chip()[i], from, static_cast<double>(history.end_of(i) - from));
  }
  if (history.windows() == 0) return;
  ChipWindow nothing;
  nothing.slice_sectors.resize(history.chip().front().slice_sectors.size());
  nothing.channel_bytes.resize(history.chip().front().channel_bytes.size());
  add(nothing, history.until(), 1);
}

// Returns how many spans its warps have.
std::size_t add_activity(Events& events, const CtaActivity& activity) {
  std::int64_t tid = 0;
  std::size_t spans = 0;
  for (std::size_t w = 0; w < activity.warps().size(); ++w, ++tid) {
    events.thread(kCtaProcess, tid, fmt::format("warp {}", w));
    const auto& waits = activity.warps()[w];
    const std::size_t most = kMostSpans / activity.warps().size();
    for (std::size_t i = 0; i < std::min(waits.size(), most); ++i)
      events.slice(kCtaProcess, tid, waits[i].at_mbarrier ? "mbarrier" : words(name(waits[i].reason)), waits[i].from,
                   waits[i].until);
    spans += waits.size();
  }
  for (const auto& [sub, products] : activity.tensor_cores()) {
    events.thread(kCtaProcess, tid, fmt::format("tensor core {}", sub));
    for (const auto& span : products) events.slice(kCtaProcess, tid, "products", span.from, span.until);
    ++tid;
  }
  for (const auto& [barrier, copies] : activity.copies()) {
    events.thread(kCtaProcess, tid, fmt::format("bulk copies to mbarrier 0x{:x}", barrier));
    for (const auto& copy : copies)
      events.slice(kCtaProcess, tid, "copy", copy.from, copy.until, fmt::format("\"bytes\":{}", copy.bytes));
    ++tid;
  }
  return spans;
}

}  // namespace

std::string perfetto_trace(LaunchTrace trace) {
  std::sort(trace.timeline.begin(), trace.timeline.end(), [](const FinishedCta& a, const FinishedCta& b) {
    return a.start != b.start ? a.start < b.start : a.cta < b.cta;
  });
  Events events(trace.sm_mhz);
  events.process(kChipProcess, "L2 and HBM", 0);
  add_chip(events, trace.history, trace.sm_mhz);
  std::size_t spans = 0;
  if (!trace.activity.warps().empty()) {
    events.process(kCtaProcess, fmt::format("CTA {}", trace.activity.cta()), 1);
    spans = add_activity(events, trace.activity);
  }
  std::set<int> used;
  for (const FinishedCta& cta : trace.timeline) used.insert(cta.sm);
  for (std::size_t s = 0; s < trace.history.sms().size(); ++s) {
    const auto& windows = trace.history.sms()[s];
    const bool worked = std::any_of(windows.begin(), windows.end(), [](const SmWindow& window) {
      return window.stall_cycles[static_cast<std::size_t>(Stall::selected)] != 0;
    });
    if (worked) used.insert(static_cast<int>(s));
  }
  for (const int sm : used) {
    events.process(sm, fmt::format("SM {}", sm), 2 + sm);
    if (static_cast<std::size_t>(sm) < trace.history.sms().size())
      add_sm(events, sm, trace.history.sms()[static_cast<std::size_t>(sm)], trace.history);
  }
  add_ctas(events, trace.timeline);
  return fmt::format(
      "{{\"displayTimeUnit\":\"ns\",\"otherData\":{{\"sm_mhz\":{},\"window_cycles\":{},\"timed_fraction\":{},"
      "\"ctas\":{},\"ctas_written\":{},\"warp_spans\":{},\"warp_spans_most\":{}}},\"traceEvents\":[{}\n]}}\n",
      trace.sm_mhz, trace.history.window(), trace.timed_fraction, trace.timeline.size(),
      std::min(trace.timeline.size(), kMostCtas), spans, kMostSpans, events.text());
}

}  // namespace tilescope
