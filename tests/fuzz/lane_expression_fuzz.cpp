// The input is a formula over `lane`, or 32 indices; what has a value in every lane is explained and mended.
#include <cstddef>
#include <cstdint>
#include <string>

#include "sim/results/banks/bank_report.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace tilescope;
  const std::string text(reinterpret_cast<const char*>(data), size);
  if (const auto map = lane_map_of(text)) (void)bank_report(*map, 4, SharedOp::load);
  try {
    const LaneExpression expression(text);
    const auto map = lane_map_of(expression);
    if (!map) return 0;
    (void)bank_report(*map, 8, SharedOp::store);
    for (const BankFix& fix : bank_fixes(expression, 4, SharedOp::load)) (void)fix.sentence();
  } catch (const ExpressionError&) {
  }
  return 0;
}
