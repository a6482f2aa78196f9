#include "sim/banks/expression_parser.h"

#include <array>
#include <cctype>
#include <charconv>
#include <string_view>
#include <utility>

#include "models/config/diagnostic.h"
#include "sim/banks/lane_expression.h"

namespace tilescope {
namespace {

using Op = ExpressionOp;
using Node = std::unique_ptr<ExpressionNode>;

constexpr int kMostLevels = 64;  // of parentheses, signs or ?:

struct Binary {
  std::string_view token;
  Op op;
  int precedence;  // higher binds tighter
};
// A longer token stands before the shorter one it begins with.
constexpr std::array<Binary, 18> kBinary{{{"||", Op::logical_or, 1},
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

class Parser {
 public:
  explicit Parser(const std::string& text) : text_(text) {}

  Node whole() {
    Node node = conditional();
    skip_spaces();
    if (at_ < text_.size()) fail("unexpected " + quoted(text_.substr(at_, 1)) + "; must be an operator or the end");
    return node;
  }

 private:
  class Level {
   public:
    explicit Level(Parser& parser) : parser_(parser) {
      if (++parser_.levels_ > 2 * kMostLevels)
        parser_.fail("nested deeper than " + std::to_string(kMostLevels) + " levels");
    }
    ~Level() { --parser_.levels_; }
    Level(const Level&) = delete;
    Level& operator=(const Level&) = delete;

   private:
    Parser& parser_;
  };

  [[noreturn]] void fail(const std::string& sentence) const { throw ExpressionError(at_ + 1, sentence); }

  void skip_spaces() {
    while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_])) != 0) ++at_;
  }

  bool take(char c) {
    skip_spaces();
    if (at_ >= text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }

  static Node make(Op op, std::size_t column, Node first, Node second = nullptr, Node third = nullptr) {
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
    return make(Op::conditional, column, std::move(condition), std::move(yes), conditional());
  }

  const Binary* next_binary() {
    skip_spaces();
    for (const Binary& one : kBinary)
      if (std::string_view(text_).substr(at_).starts_with(one.token)) return &one;
    return nullptr;
  }

  // A loop, so that a long chain of operators costs no depth; the tree of a chain is deep all the same, hence the
  // limit.
  Node binary(int precedence) {
    Node left = unary();
    for (const Binary* op = next_binary(); op != nullptr && op->precedence >= precedence; op = next_binary()) {
      if (++operators_ > kMostOperators) fail("more than " + std::to_string(kMostOperators) + " operators");
      const std::size_t column = at_ + 1;
      at_ += op->token.size();
      left = make(op->op, column, std::move(left), binary(op->precedence + 1));
    }
    return left;
  }

  Node unary() {
    const Level level(*this);
    skip_spaces();
    const std::size_t column = at_ + 1;
    if (take('+')) return unary();
    if (take('-')) return make(Op::negate, column, unary());
    if (take('~')) return make(Op::complement, column, unary());
    if (take('!')) return make(Op::logical_not, column, unary());
    return primary();
  }

  Node primary() {
    skip_spaces();
    if (at_ >= text_.size()) fail("the expression ends where a number, lane or '(' is expected");
    const char c = text_[at_];
    if (take('(')) {
      const std::size_t column = at_;
      Node inside = conditional();
      if (!take(')')) fail("expected ')' for the '(' in column " + std::to_string(column));
      return inside;
    }
    if (std::isdigit(static_cast<unsigned char>(c)) != 0) return number();
    if (std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_') return word();
    fail("unexpected " + quoted(std::string(1, c)) + "; must be a number, lane or '('");
  }

  std::string word_here() const {
    std::size_t end = at_;
    while (end < text_.size() && (std::isalnum(static_cast<unsigned char>(text_[end])) != 0 || text_[end] == '_'))
      ++end;
    return text_.substr(at_, end - at_);
  }

  Node word() {
    const std::string name = word_here();
    if (name != "lane") fail("unknown name " + quoted(name) + "; the only one is lane");
    Node node = make(Op::lane, at_ + 1, nullptr);
    at_ += name.size();
    return node;
  }

  Node number() {
    const std::string digits = word_here();
    const bool hex = digits.starts_with("0x") || digits.starts_with("0X");
    const std::string_view body = std::string_view(digits).substr(hex ? 2 : 0);
    Node node = make(Op::constant, at_ + 1, nullptr);
    const auto [end, error] = std::from_chars(body.data(), body.data() + body.size(), node->constant, hex ? 16 : 10);
    if (error == std::errc::result_out_of_range) fail("number " + quoted(digits) + " does not fit into 64 bits");
    if (error != std::errc{} || end != body.data() + body.size()) fail("unreadable number " + quoted(digits));
    at_ += digits.size();
    return node;
  }

  static constexpr int kMostOperators = 1000;
  const std::string& text_;
  std::size_t at_ = 0;
  int levels_ = 0;
  int operators_ = 0;
};

}  // namespace

Node parse_expression(const std::string& text) { return Parser(text).whole(); }

}  // namespace tilescope
