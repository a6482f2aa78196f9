// The values a field takes: reading them strictly from text, and saying in words what is accepted.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "models/support/spec_fields.h"

namespace tilescope {

// Decimal, the whole text, an optional sign; nothing for anything else, overflow included.
std::optional<std::int64_t> parse_integer(std::string_view text);

// Decimal or scientific, the whole text; nothing for anything else, "inf" and "nan" included.
std::optional<double> parse_real(std::string_view text);

// "a whole number from 1 to 4096 MiB". An end of the type's own range is left out: "a whole number, at least 1".
std::string accepted(Range<std::int64_t> range, std::string_view unit);
std::string accepted(Range<double> range, std::string_view unit);

// The range alone, for tables: "1 to 4096", "at least 1", "any".
std::string range_text(Range<std::int64_t> range);
std::string range_text(Range<double> range);

// What a field holds when it has no value; see spec_fields.h.
std::int64_t placeholder(Range<std::int64_t> range);
double placeholder(Range<double> range);

}  // namespace tilescope
