// Comma-separated text as records with positions: RFC 4180, quoted fields with "" for a quote and line breaks inside,
// lines ended by LF or CRLF, a byte order mark at the beginning ignored. Empty lines are left out.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "models/support/diagnostic.h"

namespace tilescope {

struct CsvField {
  std::string text;
  int line = 0;
  int column = 0;  // of its first character, a quote included; both 1-based
};

using CsvRecord = std::vector<CsvField>;  // at least one field

// `skip_line(line)` decides from a line that begins a record whether it is a comment. `text` begins with line
// `first_line` of the file. A quote that is never closed, or closed in the middle of a field, goes to `errors`.
std::vector<CsvRecord> parse_csv(std::string_view text, const std::string& file, int first_line,
                                 bool (*skip_line)(std::string_view line), Diagnostics& errors);

}  // namespace tilescope
