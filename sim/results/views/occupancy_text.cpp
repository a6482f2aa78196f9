#include <fmt/format.h>

#include <algorithm>

#include "sim/results/views/aligned_columns.h"
#include "sim/results/views/bar_text.h"
#include "sim/results/views/occupancy_view.h"

namespace tilescope {
namespace {

constexpr int kOccupancyBar = 32;

std::string cta_count(std::int64_t ctas) { return fmt::format("{} CTA{}", ctas, ctas == 1 ? "" : "s"); }

std::string held(const Occupancy& one, std::int64_t max_warps) {
  return fmt::format("{}, {} of {} warps, {:.0f} %", cta_count(one.ctas_per_sm), one.ctas_per_sm * one.warps_per_cta,
                     max_warps, one.percent);
}

std::string change(const Occupancy& one, const Occupancy& now, std::int64_t max_warps) {
  return one.ctas_per_sm == now.ctas_per_sm ? "nothing" : held(one, max_warps);
}

std::string limit_lines(const OccupancyReport& report) {
  std::vector<std::vector<std::string>> lines;
  for (const OccupancyLimit& limit : report.limits)
    lines.push_back({"  " + limit.name, cta_count(limit.ctas),
                     bar_text(static_cast<double>(limit.percent) / 100, kOccupancyBar),
                     fmt::format("{} %", limit.percent), limit.binds ? "<- binds" : ""});
  return "what each limit alone allows, of the SM's warps\n" + aligned_columns(lines);
}

std::string advice(const OccupancyReport& report, std::int64_t max_warps) {
  const CtaResources& cta = report.cta;
  std::vector<std::vector<std::string>> lines;
  lines.push_back({"  1 register per thread less", change(report.one_register_less, report.now, max_warps)});
  lines.push_back({"  1 KiB of shared memory less",
                   cta.shared_bytes == 0 ? "it has none" : change(report.one_kib_less, report.now, max_warps)});
  if (report.registers_for_more)
    lines.push_back({fmt::format("  {} registers less: {}", cta.registers_per_thread - *report.registers_for_more,
                                 *report.registers_for_more),
                     held(report.with_those_registers, max_warps)});
  else
    lines.push_back({"  any fewer registers alone", "nothing"});
  if (report.shared_for_more)
    lines.push_back(
        {fmt::format("  {:.4g} KiB less: {} bytes",
                     static_cast<double>(cta.shared_bytes - *report.shared_for_more) / 1024, *report.shared_for_more),
         held(report.with_that_shared, max_warps)});
  else
    lines.push_back({"  any less shared memory alone", "nothing"});
  std::string text = "what less of something brings\n" + aligned_columns(lines, 2);
  return text + fmt::format("for nothing: up to {} registers per thread, or {} bytes of shared memory per CTA\n",
                            report.registers_for_same, report.shared_for_same);
}

std::string case_lines(const std::string& title, const std::vector<OccupancyCase>& cases, bool resources) {
  if (cases.empty()) return "";
  std::vector<std::vector<std::string>> lines;
  for (const OccupancyCase& one : cases) {
    std::vector<std::string> line{"  " + one.label};
    if (resources)
      line.push_back(fmt::format("{} threads, {} registers, {} B", one.cta.threads, one.cta.registers_per_thread,
                                 one.cta.shared_bytes));
    line.push_back(one.launchable ? cta_count(one.occupancy.ctas_per_sm) : "-");
    line.push_back(bar_text(one.launchable ? one.occupancy.percent / 100 : 0, kOccupancyBar));
    line.push_back(one.launchable ? fmt::format("{:.0f} %", one.occupancy.percent) : "-");
    line.push_back(one.launchable ? one.occupancy.limiter : "can not be launched");
    lines.push_back(std::move(line));
  }
  return title + "\n" + aligned_columns(lines);
}

}  // namespace

std::string occupancy_text(const OccupancyView& view) {
  std::string text;
  for (const auto& [label, report] : view.kernels) {
    const Occupancy& now = report.now;
    text += fmt::format(
        "{}occupancy of {} on {}\n{} threads ({} warp{}), {} registers per thread, {} bytes of shared memory per CTA\n"
        "an SM holds {}; {} KiB are shared memory, {} KiB L1\n\n",
        text.empty() ? "" : "\n", label, view.gpu, report.cta.threads, now.warps_per_cta,
        now.warps_per_cta == 1 ? "" : "s", report.cta.registers_per_thread, report.cta.shared_bytes,
        held(now, view.max_warps), now.carveout_kib, now.l1_kib);
    text += limit_lines(report) + "\n" + advice(report, view.max_warps);
    const std::string tiles = case_lines("with other tiles", report.by_tile, true);
    text += (tiles.empty() ? "" : "\n" + tiles) + "\n" +
            case_lines("with other numbers of threads per CTA, all else as it is", report.by_block, false) + "\n" +
            case_lines("with other numbers of registers per thread, all else as it is", report.by_registers, false);
  }
  return text;
}

nlohmann::ordered_json occupancy_json(const OccupancyView& view) {
  using Json = nlohmann::ordered_json;
  const auto held_json = [](const Occupancy& one) {
    return Json{{"ctas_per_sm", one.ctas_per_sm},
                {"warps_per_sm", one.ctas_per_sm * one.warps_per_cta},
                {"occupancy_pct", one.percent},
                {"limiter", one.limiter}};
  };
  const auto cases_json = [&](const std::vector<OccupancyCase>& cases) {
    Json list = Json::array();
    for (const OccupancyCase& one : cases) {
      Json entry = {{"label", one.label},
                    {"threads", one.cta.threads},
                    {"registers_per_thread", one.cta.registers_per_thread},
                    {"shared_bytes", one.cta.shared_bytes},
                    {"launchable", one.launchable}};
      if (one.launchable) entry.update(held_json(one.occupancy));
      list.push_back(entry);
    }
    return list;
  };
  Json json = {{"schema", "tilescope.occupancy/1"}, {"gpu", view.gpu}, {"max_warps_per_sm", view.max_warps}};
  json["kernels"] = Json::array();
  for (const auto& [label, report] : view.kernels) {
    Json one = {{"kernel", label},
                {"threads", report.cta.threads},
                {"registers_per_thread", report.cta.registers_per_thread},
                {"shared_bytes", report.cta.shared_bytes}};
    one.update(held_json(report.now));
    one["shared_kib"] = report.now.carveout_kib;
    one["l1_kib"] = report.now.l1_kib;
    for (const OccupancyLimit& limit : report.limits)
      one["limits"].push_back({{"limit", limit.name}, {"ctas_per_sm", limit.ctas}, {"binds", limit.binds}});
    one["one_register_less"] = held_json(report.one_register_less);
    one["one_kib_less"] = held_json(report.one_kib_less);
    one["registers_for_more"] = report.registers_for_more ? Json(*report.registers_for_more) : Json(nullptr);
    one["shared_bytes_for_more"] = report.shared_for_more ? Json(*report.shared_for_more) : Json(nullptr);
    one["registers_for_same"] = report.registers_for_same;
    one["shared_bytes_for_same"] = report.shared_for_same;
    one["by_tile"] = cases_json(report.by_tile);
    one["by_threads"] = cases_json(report.by_block);
    one["by_registers"] = cases_json(report.by_registers);
    json["kernels"].push_back(one);
  }
  return json;
}

}  // namespace tilescope
