#include "sim/cli/sweep_table_options.h"

#include "sim/cli/usage_error.h"
#include "sim/studies/sweep/selection.h"

namespace tilescope::cli {

namespace po = boost::program_options;

void add_where_options(po::options_description& options) {
  options.add_options()("study", po::value<std::string>()->value_name("NAME"), "only this study's points");
  options.add_options()("where", po::value<std::string>()->value_name("FORMULA"),
                        "only points for which it holds, such as \"bm >= 64 && status == 'ok'\"");
}

void add_selection_options(po::options_description& options) {
  add_where_options(options);
  options.add_options()("columns", po::value<std::string>()->value_name("A,B,..."), "these columns, in this order");
}

sweep::SweepTable selected_table(const Values& values, bool wall) {
  return selected_table(values, values["STORE"].as<std::string>(), wall);
}

sweep::SweepTable selected_table(const Values& values, const std::string& path, bool wall) {
  const sweep::Store store(path, sweep::Store::Access::existing);
  const std::string study = values.count("study") != 0 ? values["study"].as<std::string>() : "";
  sweep::SweepTable table = sweep_table(store, {study, wall});
  if (values.count("where") == 0) return table;
  try {
    return rows_where(std::move(table), values["where"].as<std::string>());
  } catch (const ExpressionError& error) {
    throw UsageError(std::string("--where: ") + error.what());
  }
}

std::vector<std::string> comma_list(const std::string& text) {
  std::vector<std::string> words;
  std::size_t from = 0;
  while (true) {
    const std::size_t comma = text.find(',', from);
    words.push_back(text.substr(from, comma == std::string::npos ? comma : comma - from));
    if (comma == std::string::npos) return words;
    from = comma + 1;
  }
}

std::vector<std::string> columns_from(const Values& values) {
  if (values.count("columns") == 0) return {};
  return comma_list(values["columns"].as<std::string>());
}

}  // namespace tilescope::cli
