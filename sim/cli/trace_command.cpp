#include "sim/cli/trace_command.h"

#include <fmt/core.h>

#include <algorithm>

#include "sim/cli/kernel_argument.h"
#include "sim/cli/output.h"
#include "sim/cli/parse.h"
#include "sim/cli/trace_info_view.h"
#include "sim/cli/usage_error.h"
#include "traces/file/trace_reader.h"
#include "traces/file/trace_writer.h"

namespace tilescope::cli {
namespace {

namespace po = boost::program_options;

// The lines of `tilescope trace record`: to standard output, unless the trace itself goes there.
int record(const Values& values, std::ostream& out) {
  const std::string path = values.count("output") != 0 ? values["output"].as<std::string>() : "";
  if (path.empty()) throw UsageError("trace record needs -o FILE", "see: tilescope trace --help");
  const std::unique_ptr<Kernel> kernel = kernel_of_argument(values, values["KERNEL|FILE"].as<std::string>());
  RecordTotals totals;
  with_output(values, out, [&](std::ostream& stream) {
    try {
      if (std::any_of(kernel->code().begin(), kernel->code().end(), [](const Instruction& one) {
            return takes_async_operands(one.op) || one.op == OpClass::cluster_barrier;
          }))
        throw UsageError(
            "a trace can not hold mbarriers, bulk copies, clusters or barriers named by a register; run the launch "
            "file itself",
            "");
      totals = record_trace(*kernel, stream);
    } catch (const std::ios_base::failure&) {
      if (path == "-") throw;  // else with_output knows the reason
    }
  });
  if (path != "-")
    out << fmt::format("{}: {} warp instructions of {} warps in {} B, {:.3g} B each\n", path, totals.instructions,
                       totals.warps, totals.file_bytes,
                       static_cast<double>(totals.file_bytes) / static_cast<double>(totals.instructions));
  return ok;
}

int info(const Values& values, std::ostream& out) {
  const std::string format = chosen(values, "format", {"table", "json"});
  const TraceInfo info = read_trace_info(values["KERNEL|FILE"].as<std::string>());
  with_output(values, out, [&](std::ostream& stream) {
    if (format == "json")
      stream << trace_info_json(info).dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) << "\n";
    else
      stream << trace_info_table(info);
  });
  return ok;
}

int validate(const Values& values, std::ostream& out) {
  const auto& path = values["KERNEL|FILE"].as<std::string>();
  validate_trace(path);
  with_output(values, out, [&](std::ostream& stream) { stream << path << ": ok\n"; });
  return ok;
}

int run_trace(const Values& values, std::ostream& out) {
  const std::string action = chosen(values, "ACTION", {"record", "info", "validate"});
  if (action == "record") return record(values, out);
  if (values.count("param") != 0) throw UsageError("-p is for trace record", "see: tilescope trace --help");
  return action == "info" ? info(values, out) : validate(values, out);
}

}  // namespace

Command trace_command() {
  Command command;
  command.name = "trace";
  command.summary = "Record, describe or check a trace file";
  command.usage = "trace record KERNEL -o FILE [-p KEY=VALUE]... | trace info FILE | trace validate FILE";
  command.details =
      "record    writes every warp instruction of a kernel, with its addresses, to a .tst file\n"
      "info      prints launch, instructions by class and sizes\n"
      "validate  checks every byte and decodes every instruction";
  command.examples =
      "tilescope trace record gemm_tiled -p M=256 -p N=256 -p K=256 -o gemm.tst\n"
      "tilescope trace info gemm.tst --format json\n"
      "tilescope trace validate gemm.tst\n"
      "tilescope run gemm.tst";
  command.declare = [](CommandLine& line) {
    line.words = {"ACTION", "KERNEL|FILE"};
    line.options.add_options()("format", po::value<std::string>()->default_value("table")->value_name("table|json"),
                               "of trace info");
    add_parameter_option(line.options);
    add_output_option(line.options);
  };
  command.run = run_trace;
  return command;
}

}  // namespace tilescope::cli
