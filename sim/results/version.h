#pragma once

namespace tilescope {

// "0.1.0": written into every result's provenance.
const char* version();

// Twelve hexadecimal digits that change with the sources of the models, the engine and the instruction streams: what a
// stored result must have been made by to be used again.
const char* source_hash();

}  // namespace tilescope
