// Any text as a file of a bundle that lists its launches: the first byte says which.
#include <cstddef>
#include <cstdint>
#include <string>

#include "traces/bundle/bundle_facts.h"
#include "traces/bundle/bundle_lines.h"

using namespace tilescope;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string text(reinterpret_cast<const char*>(data) + 1, size - 1);
  Diagnostics errors;
  std::vector<bundle::BundleLaunch> launches(2);
  launches[0].id = 1;
  launches[1].id = 2;
  std::vector<bundle::OrderedLaunch> order(4);
  switch (data[0] % 4) {
    case 0:
      bundle::read_index(text, "launches.yaml", errors);
      break;
    case 1:
      bundle::read_order(text, "order", launches, errors);
      break;
    case 2:
      bundle::read_refused(text, "refused", order, errors);
      break;
    default:
      bundle::read_facts(text, "bundle.yaml", errors);
  }
  return 0;
}
