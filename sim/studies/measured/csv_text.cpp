#include "sim/studies/measured/csv_text.h"

#include <algorithm>

namespace tilescope {
namespace {

class Parser {
 public:
  Parser(std::string_view text, const std::string& file, int first_line, Diagnostics& errors)
      : text_(text), file_(file), errors_(errors), line_(first_line) {
    if (text_.starts_with("\xef\xbb\xbf")) text_.remove_prefix(3);
  }

  std::vector<CsvRecord> all(bool (*skip_line)(std::string_view)) {
    std::vector<CsvRecord> records;
    while (at_ < text_.size()) {
      const std::string_view line = line_here();
      if (line.find_first_not_of(" \t\r") == std::string_view::npos || skip_line(line)) {
        at_ += std::min(line.size() + 1, text_.size() - at_);
        ++line_;
      } else {
        records.push_back(record());
      }
    }
    return records;
  }

 private:
  std::string_view line_here() const {
    const std::string_view rest = text_.substr(at_);
    return rest.substr(0, rest.find('\n'));
  }
  int column_here() const { return static_cast<int>(at_ - line_start_) + 1; }
  bool at_end_of_line() const {
    return at_ >= text_.size() || text_[at_] == '\n' || text_.substr(at_).starts_with("\r\n");
  }

  CsvRecord record() {
    line_start_ = at_;
    CsvRecord fields;
    while (true) {
      fields.push_back({"", line_, column_here()});
      if (at_ < text_.size() && text_[at_] == '"')
        quoted_field(fields.back());
      else
        while (!at_end_of_line() && text_[at_] != ',') fields.back().text += text_[at_++];
      if (at_end_of_line()) break;
      ++at_;  // the comma
    }
    if (at_ < text_.size() && text_[at_] == '\r') ++at_;
    if (at_ < text_.size()) ++at_;
    ++line_;
    return fields;
  }

  void quoted_field(CsvField& field) {
    for (++at_; at_ < text_.size(); ++at_) {
      if (text_[at_] == '"') {
        if (!text_.substr(at_ + 1).starts_with('"')) break;
        ++at_;
      } else if (text_[at_] == '\n') {
        ++line_;
        line_start_ = at_ + 1;
      }
      field.text += text_[at_];
    }
    if (at_ >= text_.size())
      return errors_.push_back({file_, field.line, field.column, "a quote is opened here and never closed"});
    ++at_;
    if (at_end_of_line() || text_[at_] == ',') return;
    errors_.push_back({file_, line_, column_here(),
                       "got " + in_quotes(std::string(1, text_[at_])) + " after a closing quote; must be ','"});
    while (!at_end_of_line() && text_[at_] != ',') ++at_;
  }

  std::string_view text_;
  const std::string& file_;
  Diagnostics& errors_;
  std::size_t at_ = 0, line_start_ = 0;
  int line_;
};

}  // namespace

std::vector<CsvRecord> parse_csv(std::string_view text, const std::string& file, int first_line,
                                 bool (*skip_line)(std::string_view line), Diagnostics& errors) {
  return Parser(text, file, first_line, errors).all(skip_line);
}

}  // namespace tilescope
