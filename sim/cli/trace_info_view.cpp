#include "sim/cli/trace_info_view.h"

#include <fmt/core.h>

#include "sim/results/views/number_text.h"

namespace tilescope::cli {
namespace {

std::string grouped(std::uint64_t number) { return tilescope::grouped(static_cast<double>(number)); }

std::string size_text(const Dim3& size) { return fmt::format("{}x{}x{}", size.x, size.y, size.z); }

nlohmann::ordered_json size_json(const Dim3& size) { return {size.x, size.y, size.z}; }

}  // namespace

std::string trace_info_table(const TraceInfo& info) {
  const Launch& launch = info.launch;
  std::string text;
  const auto row = [&text](const char* name, const std::string& value) {
    text += fmt::format("{:<22}{}\n", name, value);
  };
  row("kernel", launch.kernel);
  for (const auto& [name, value] : launch.parameters) row(("  " + name).c_str(), value);
  row("grid", size_text(launch.grid) + " CTA");
  row("block", size_text(launch.block) + " threads");
  row("registers", fmt::format("{} per thread", launch.registers_per_thread));
  row("shared memory", fmt::format("{} B static, {} B dynamic", launch.static_smem_bytes, launch.dynamic_smem_bytes));
  row("warps", grouped(info.warps));
  row("warp instructions", grouped(info.instructions));
  row("memory operands", grouped(info.operands));
  row("segments", grouped(info.segments));
  row("static instructions", grouped(info.static_instructions));
  row("lane patterns", grouped(info.lane_patterns));
  row("file",
      fmt::format("{} B in {} blocks, format {}", grouped(info.file_bytes), grouped(info.blocks), info.version));
  row("per warp instruction", fmt::format("{:.3g} B", info.bytes_per_instruction()));
  row("compression", fmt::format("{:.0f} to 1 against plain addresses, {:.1f} to 1 by zstd alone", info.compression(),
                                 static_cast<double>(info.encoded_bytes) / static_cast<double>(info.file_bytes)));
  text += "\n";
  for (std::size_t i = 0; i < info.instructions_by_class.size(); ++i) {
    const std::uint64_t count = info.instructions_by_class[i];
    if (count == 0) continue;
    text += fmt::format("{:<16}{:>20}{:>7.1f} %\n", name(static_cast<OpClass>(i)), grouped(count),
                        100.0 * static_cast<double>(count) / static_cast<double>(info.instructions));
  }
  return text;
}

nlohmann::ordered_json trace_info_json(const TraceInfo& info) {
  const Launch& launch = info.launch;
  nlohmann::ordered_json json;
  json["schema"] = "tilescope.trace/1";
  json["kernel"] = launch.kernel;
  json["parameters"] = nlohmann::ordered_json::object();
  for (const auto& [name, value] : launch.parameters) json["parameters"][name] = value;
  json["launch"] = {{"grid", size_json(launch.grid)},
                    {"block", size_json(launch.block)},
                    {"registers_per_thread", launch.registers_per_thread},
                    {"static_smem_bytes", launch.static_smem_bytes},
                    {"dynamic_smem_bytes", launch.dynamic_smem_bytes},
                    {"flop", launch.flop}};
  json["trace"] = {{"version", info.version},
                   {"file_bytes", info.file_bytes},
                   {"encoded_bytes", info.encoded_bytes},
                   {"blocks", info.blocks},
                   {"warps", info.warps},
                   {"segments", info.segments},
                   {"warp_instructions", info.instructions},
                   {"memory_operands", info.operands},
                   {"static_instructions", info.static_instructions},
                   {"lane_patterns", info.lane_patterns},
                   {"bytes_per_warp_instruction", info.bytes_per_instruction()},
                   {"compression", info.compression()}};
  json["instructions_by_class"] = nlohmann::ordered_json::object();
  for (std::size_t i = 0; i < info.instructions_by_class.size(); ++i)
    if (info.instructions_by_class[i] != 0)
      json["instructions_by_class"][std::string(name(static_cast<OpClass>(i)))] = info.instructions_by_class[i];
  return json;
}

}  // namespace tilescope::cli
