#pragma once

namespace tilescope {

// "0.1.0": written into every result's provenance.
const char* version();

// Twelve hexadecimal digits that change with every source which decides what a stored result holds, the names and the
// writer of its values included (cmake/source_hash.cmake): what a result must have been made by to be used again.
const char* source_hash();

}  // namespace tilescope
