#include "traces/file/trace_info.h"

#include <vector>

#include "traces/file/trace_file.h"
#include "traces/file/trace_format.h"

namespace tilescope {

TraceInfo read_trace_info(const std::string& path) {
  const trace::TraceFile file(path);
  const trace::Tables& tables = file.tables();
  TraceInfo info;
  info.launch = tables.launch;
  info.version = trace::kVersion;
  info.warps = tables.warps();
  info.static_instructions = tables.code.size();
  info.lane_patterns = tables.patterns.size() - 1;
  info.blocks = file.blocks().size();
  info.encoded_bytes = file.encoded_bytes();
  info.file_bytes = file.size();

  std::vector<std::uint64_t> change(tables.code.size() + 1, 0);  // of executions, from one instruction to the next
  for (const trace::Shape& shape : tables.shapes) {
    info.segments += shape.visits;
    info.operands += shape.visits * shape.operands;
    change[shape.offset] += shape.visits;
    change[shape.offset + shape.length] -= shape.visits;
  }
  std::uint64_t executions = 0;
  for (std::size_t i = 0; i < tables.code.size(); ++i) {
    executions += change[i];
    info.instructions += executions;
    info.instructions_by_class[static_cast<std::size_t>(tables.code[i].op)] += executions;
  }
  return info;
}

}  // namespace tilescope
