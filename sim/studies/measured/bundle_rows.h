// Measured rows beside the launches of a bundle: no mapping is needed, the program launched both in the same order.
#pragma once

#include <functional>
#include <string>
#include <tl/expected.hpp>
#include <utility>
#include <vector>

#include "models/support/diagnostic.h"
#include "sim/studies/measured/matched_rows.h"
#include "traces/bundle/bundle.h"

namespace tilescope {

// The rows, in their order, are held against the program's launches in theirs: as many as possible, so that a row comes
// after a row as its launch does after that one's. A row fits a launch whose kernel has the same name (without
// namespaces and arguments, mangled or not) and, where the row says them, the same grid and block. The others, and
// those of launches that the recorder could not store, stay unmatched. Errors: of the launch files that cannot be read.
tl::expected<MatchedRows, Diagnostics> match_bundle(std::vector<Measurement> rows, const bundle::Bundle& bundle);

// Pairs (i, j) of two sequences of `m` and `n` places, both rising: as many as possible for which `fits`. Among equal
// answers one whose pairs come early. Takes time m n and memory n.
std::vector<std::pair<std::size_t, std::size_t>> longest_alignment(
    std::size_t m, std::size_t n, const std::function<bool(std::size_t, std::size_t)>& fits);

}  // namespace tilescope
