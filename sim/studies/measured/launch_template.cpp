#include "sim/studies/measured/launch_template.h"

namespace tilescope {

LaunchTemplate::LaunchTemplate(const std::string& text) {
  std::size_t from = 0;
  for (std::size_t open = text.find("${"); open != std::string::npos; open = text.find("${", from)) {
    const std::size_t close = text.find('}', open);
    if (close == std::string::npos) throw ExpressionError(open + 1, "'${' without '}'");
    texts_.push_back(text.substr(from, open - from));
    try {
      formulas_.emplace_back(text.substr(open + 2, close - open - 2));
    } catch (const ExpressionError& error) {
      throw ExpressionError(open + 2 + error.column, error.sentence);
    }
    from = close + 1;
  }
  texts_.push_back(text.substr(from));
}

std::string LaunchTemplate::filled(const RowValues& row) const {
  std::string result = texts_.front();
  for (std::size_t i = 0; i < formulas_.size(); ++i) result += formulas_[i].value(row) + texts_[i + 1];
  return result;
}

}  // namespace tilescope
