#include "models/support/expression_parser.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <optional>
#include <utility>

#include "models/support/diagnostic.h"
#include "models/support/expression_number.h"

namespace tilescope {
namespace {

using Op = ExpressionOp;
using Node = std::unique_ptr<ExpressionNode>;

struct Operator {
  std::string_view token;
  Op op;
  int precedence;  // higher binds tighter; 0: unary
};
// A longer token stands before the shorter one it begins with.
constexpr std::array<Operator, 18> kBinary{{{"||", Op::logical_or, 1},
                                            {"&&", Op::logical_and, 2},
                                            {"==", Op::equal, 6},
                                            {"!=", Op::not_equal, 6},
                                            {"<<", Op::shift_left, 8},
                                            {">>", Op::shift_right, 8},
                                            {"<=", Op::less_equal, 7},
                                            {">=", Op::greater_equal, 7},
                                            {"<", Op::less, 7},
                                            {">", Op::greater, 7},
                                            {"|", Op::bit_or, 3},
                                            {"^", Op::bit_xor, 4},
                                            {"&", Op::bit_and, 5},
                                            {"+", Op::add, 9},
                                            {"-", Op::subtract, 9},
                                            {"*", Op::multiply, 10},
                                            {"/", Op::divide, 10},
                                            {"%", Op::remainder, 10}}};

bool is_space(char c) { return std::isspace(static_cast<unsigned char>(c)) != 0; }
bool is_digit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }
bool is_letter(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_'; }

class Parser {
 public:
  Parser(const std::string& text, const ExpressionSyntax& syntax) : text_(text), syntax_(syntax) {}

  Node whole() {
    Node node = conditional();
    peek();
    if (at_ < text_.size()) fail("unexpected " + in_quotes(text_.substr(at_, 1)) + "; must be an operator or the end");
    return node;
  }

 private:
  // Parentheses and ?: take two levels, a sign one.
  class Level {
   public:
    explicit Level(Parser& parser) : parser_(parser) {
      const int most = parser_.syntax_.most_levels;
      if (++parser_.levels_ > 2 * most) parser_.fail("nested deeper than " + std::to_string(most) + " levels");
    }
    ~Level() { --parser_.levels_; }
    Level(const Level&) = delete;
    Level& operator=(const Level&) = delete;

   private:
    Parser& parser_;
  };

  [[noreturn]] void fail(const std::string& sentence) const { throw ExpressionError(at_ + 1, sentence); }

  char peek() {
    while (at_ < text_.size() && is_space(text_[at_])) ++at_;
    return at_ < text_.size() ? text_[at_] : '\0';
  }

  bool take(char c) {
    if (at_ == text_.size() || peek() != c) return false;
    ++at_;
    return true;
  }

  static Node make(Op op, std::size_t column, Node first = nullptr, Node second = nullptr, Node third = nullptr) {
    auto node = std::make_unique<ExpressionNode>();
    node->op = op;
    node->column = column;
    node->first = std::move(first);
    node->second = std::move(second);
    node->third = std::move(third);
    return node;
  }

  Node conditional() {
    const Level level(*this);
    Node condition = binary(1);
    if (!take('?')) return condition;
    const std::size_t column = at_;
    Node yes = conditional();
    if (!take(':')) fail("expected ':' of the '?' in column " + std::to_string(column));
    Node no = conditional();
    return make(Op::conditional, column, std::move(condition), std::move(yes), std::move(no));
  }

  // Null: none, or one that is not allowed.
  const Operator* next_binary() {
    peek();
    for (const Operator& one : kBinary)
      if (std::string_view(text_).substr(at_).starts_with(one.token) &&
          std::find(syntax_.binary.begin(), syntax_.binary.end(), one.token) != syntax_.binary.end())
        return &one;
    return nullptr;
  }

  Node binary(int precedence) {
    Node left = unary();
    for (const Operator* op = next_binary(); op != nullptr && op->precedence >= precedence; op = next_binary()) {
      if (++operators_ > syntax_.most_operators)
        fail("more than " + std::to_string(syntax_.most_operators) + " operators");
      const std::size_t column = at_ + 1;
      at_ += op->token.size();
      Node right = binary(op->precedence + 1);
      left = make(op->op, column, std::move(left), std::move(right));
    }
    return left;
  }

  Node unary() {
    const Level level(*this);
    const char sign = peek();
    const std::size_t column = at_ + 1;
    if (sign == '\0' || syntax_.unary.find(sign) == std::string_view::npos) return primary();
    ++at_;
    if (sign == '+') return unary();
    const Op op = sign == '-' ? Op::negate : sign == '~' ? Op::complement : Op::logical_not;
    return make(op, column, unary());
  }

  std::string wanted() const { return syntax_.operands + " or '('"; }

  Node primary() {
    const char c = peek();
    if (at_ == text_.size()) fail("the " + syntax_.noun + " ends where " + wanted() + " is expected");
    if (take('(')) {
      const std::size_t column = at_;
      Node inside = conditional();
      if (!take(')')) fail("expected ')' for the '(' in column " + std::to_string(column));
      return inside;
    }
    if (c == '$' && syntax_.captures) return capture();
    if (c == '\'' && syntax_.words) return word();
    if (!is_digit(c) && !is_letter(c)) fail("unexpected " + in_quotes(std::string(1, c)) + "; must be " + wanted());
    Node node = make(is_digit(c) ? Op::number : Op::name, at_ + 1);
    node->text = run_of_letters();
    if (is_digit(c)) {
      read_expression_number(*node, syntax_.numbers);
    } else if (syntax_.on_name) {
      syntax_.on_name(*node);
    }
    at_ += node->text.size();
    return node;
  }

  std::string run_of_letters() const {
    const bool dots = syntax_.dotted_names || (syntax_.numbers == NumberSyntax::sized && is_digit(text_[at_]));
    std::size_t end = at_;
    while (end < text_.size() && (is_digit(text_[end]) || is_letter(text_[end]) || (dots && text_[end] == '.'))) ++end;
    return text_.substr(at_, end - at_);
  }

  Node capture() {
    Node node = make(Op::capture, ++at_);
    if (at_ >= text_.size() || text_[at_] < '1' || text_[at_] > '9') fail("a '$' must be followed by 1 to 9");
    node->number = text_[at_++] - '0';
    return node;
  }

  Node word() {
    Node node = make(Op::word, ++at_);
    const std::size_t end = text_.find('\'', at_);
    if (end == std::string::npos) fail("the word in quotes never ends");
    node->text = text_.substr(at_, end - at_);
    at_ = end + 1;
    return node;
  }

  const std::string& text_;
  const ExpressionSyntax& syntax_;
  std::size_t at_ = 0;
  int levels_ = 0;
  int operators_ = 0;
};

}  // namespace

ExpressionError::ExpressionError(std::size_t where, const std::string& what_is_wrong)
    : std::runtime_error("column " + std::to_string(where) + ": " + what_is_wrong),
      column(where),
      sentence(what_is_wrong) {}

Node parse_expression(const std::string& text, const ExpressionSyntax& syntax) { return Parser(text, syntax).whole(); }

}  // namespace tilescope
