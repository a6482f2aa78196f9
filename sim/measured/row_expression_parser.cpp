#include <array>
#include <cctype>
#include <string_view>
#include <utility>

#include "models/config/diagnostic.h"
#include "sim/measured/row_expression_node.h"

namespace tilescope {
namespace {

using Node = std::unique_ptr<RowExpression::Node>;

constexpr int kMostLevels = 32;      // of parentheses, signs or ?:
constexpr int kMostOperators = 200;  // a chain of operators is a deep tree

struct Binary {
  std::string_view token;
  RowOp op;
  int precedence;  // higher binds tighter
};
// A longer token stands before the shorter one it begins with.
constexpr std::array<Binary, 13> kBinary{{{"||", RowOp::logical_or, 1},
                                          {"&&", RowOp::logical_and, 2},
                                          {"==", RowOp::equal, 3},
                                          {"!=", RowOp::not_equal, 3},
                                          {"<=", RowOp::less_equal, 4},
                                          {">=", RowOp::greater_equal, 4},
                                          {"<", RowOp::less, 4},
                                          {">", RowOp::greater, 4},
                                          {"+", RowOp::add, 5},
                                          {"-", RowOp::subtract, 5},
                                          {"*", RowOp::multiply, 6},
                                          {"/", RowOp::divide, 6},
                                          {"%", RowOp::remainder, 6}}};

bool is_digit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }
bool is_name(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.'; }

class Parser {
 public:
  explicit Parser(const std::string& text) : text_(text) {}

  Node whole() {
    Node node = conditional();
    if (peek() != 0) fail("unexpected " + quoted(std::string(1, peek())) + "; must be an operator or the end");
    return node;
  }

 private:
  [[noreturn]] void fail(const std::string& sentence) const { throw RowExpressionError(at_ + 1, sentence); }

  char peek() {
    while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_])) != 0) ++at_;
    return at_ < text_.size() ? text_[at_] : '\0';
  }
  bool take(char c) {
    if (peek() != c) return false;
    ++at_;
    return true;
  }

  Node make(RowOp op, std::size_t column) const {
    auto node = std::make_unique<RowExpression::Node>();
    node->op = op;
    node->column = column;
    return node;
  }

  Node conditional() {
    if (++levels_ > kMostLevels) fail("nested deeper than " + std::to_string(kMostLevels) + " levels");
    Node condition = binary(1);
    if (take('?')) {
      Node node = make(RowOp::conditional, at_);
      node->first = std::move(condition);
      node->second = conditional();
      if (!take(':')) fail("expected ':' of the '?' in column " + std::to_string(node->column));
      node->third = conditional();
      condition = std::move(node);
    }
    --levels_;
    return condition;
  }

  const Binary* next_binary() {
    peek();
    for (const Binary& one : kBinary)
      if (std::string_view(text_).substr(at_).starts_with(one.token)) return &one;
    return nullptr;
  }

  Node binary(int precedence) {
    Node left = unary();
    for (const Binary* op = next_binary(); op != nullptr && op->precedence >= precedence; op = next_binary()) {
      if (++operators_ > kMostOperators) fail("more than " + std::to_string(kMostOperators) + " operators");
      Node node = make(op->op, at_ + 1);
      at_ += op->token.size();
      node->first = std::move(left);
      node->second = binary(op->precedence + 1);
      left = std::move(node);
    }
    return left;
  }

  Node unary() {
    if (!take('-')) return primary();
    if (++operators_ > kMostOperators) fail("more than " + std::to_string(kMostOperators) + " operators");
    Node node = make(RowOp::negate, at_);
    node->first = unary();
    return node;
  }

  Node primary() {
    const char c = peek();
    if (c == 0) fail("the formula ends where a number, a name or '(' is expected");
    if (take('(')) {
      const std::size_t column = at_;
      Node inside = conditional();
      if (!take(')')) fail("expected ')' for the '(' in column " + std::to_string(column));
      return inside;
    }
    if (c == '$') return capture();
    if (c == '\'') return word();
    if (!is_name(c) || c == '.') fail("unexpected " + quoted(std::string(1, c)) + "; must be a number, a name or '('");
    Node node = make(is_digit(c) ? RowOp::text : RowOp::name, at_ + 1);
    while (at_ < text_.size() && is_name(text_[at_])) node->text += text_[at_++];
    if (is_digit(c) && node->text.find_first_not_of("0123456789") != std::string::npos) {
      at_ = node->column - 1;
      fail("unreadable number " + quoted(node->text));
    }
    return node;
  }

  Node capture() {
    Node node = make(RowOp::capture, ++at_);
    if (at_ >= text_.size() || text_[at_] < '1' || text_[at_] > '9') fail("a '$' must be followed by 1 to 9");
    node->capture = static_cast<std::size_t>(text_[at_++] - '0');
    return node;
  }

  Node word() {
    Node node = make(RowOp::text, ++at_);
    const std::size_t end = text_.find('\'', at_);
    if (end == std::string::npos) fail("the word in quotes never ends");
    node->text = text_.substr(at_, end - at_);
    at_ = end + 1;
    return node;
  }

  const std::string& text_;
  std::size_t at_ = 0;
  int levels_ = 0, operators_ = 0;
};

}  // namespace

Node parse_row_expression(const std::string& text) { return Parser(text).whole(); }

}  // namespace tilescope
