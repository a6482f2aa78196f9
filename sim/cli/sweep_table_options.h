// Which points and columns of a store `sweep export` and `sweep show` write.
#pragma once

#include <boost/program_options.hpp>
#include <string>
#include <vector>

#include "sim/cli/command.h"
#include "sim/studies/sweep/sweep_table.h"

namespace tilescope::cli {

// Declares --study and --where; the second --columns too.
void add_where_options(boost::program_options::options_description& options);
void add_selection_options(boost::program_options::options_description& options);

// The table of the word STORE, or of another store, with the rows of --study and --where. UsageError for a formula that
// is none.
sweep::SweepTable selected_table(const Values& values, bool wall);
sweep::SweepTable selected_table(const Values& values, const std::string& store, bool wall);

// The names of --columns; empty: not given.
std::vector<std::string> columns_from(const Values& values);

// "a,b" -> a, b.
std::vector<std::string> comma_list(const std::string& text);

}  // namespace tilescope::cli
