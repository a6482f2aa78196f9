// Numbers as a launch file writes them; nullopt: none.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace tilescope::sass {

// "-3", "0x7f00", up to the upper half of 64 unsigned bits.
std::optional<std::int64_t> whole_in(const std::string& text);

// "0.5", ".inf"
std::optional<double> real_in(const std::string& text);

// Bytes of "4096", "4KiB", "4MiB", "1GiB": from 1 to what all buffers of a launch may have together.
std::optional<std::uint64_t> size_in(const std::string& text);

// The same, 0 and hexadecimal numbers too.
std::optional<std::uint64_t> offset_in(const std::string& text);

}  // namespace tilescope::sass
