#include "sim/studies/report/memory_history.h"

namespace tilescope::report {

nlohmann::ordered_json memory_history(const LaunchHistory& history, double sm_mhz) {
  using HistoryJson = nlohmann::ordered_json;
  if (history.windows() == 0) return nullptr;
  HistoryJson json = {{"sm_mhz", sm_mhz}, {"window_cycles", history.window()}};
  for (std::size_t i = 0; i < history.windows(); ++i) {
    const MemoryCounters& memory = history.chip()[i].memory;
    json["until"].push_back(history.end_of(i));
    json["l2_read_sectors"].push_back(memory.l2.read_sectors);
    json["l2_read_hit_sectors"].push_back(memory.l2.read_hit_sectors);
    json["hbm_read_bytes"].push_back(memory.hbm.read_bytes);
    json["hbm_write_bytes"].push_back(memory.hbm.write_bytes);
  }
  return json;
}

}  // namespace tilescope::report
