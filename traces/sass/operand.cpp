#include "traces/sass/operand.h"

#include <charconv>

#include "traces/sass/symbol_text.h"

namespace tilescope::sass {
namespace {

constexpr std::int64_t kMostBank = 31, kMostOffset = std::int64_t{1} << 32U;

std::optional<int> decimal(std::string_view digits) {
  int value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (digits.empty() || error != std::errc() || end != digits.data() + digits.size()) return std::nullopt;
  return value;
}

// 0x10, -0x10, 12
std::optional<std::int64_t> whole_number(std::string_view text) {
  const bool negative = text.starts_with('-');
  if (negative) text.remove_prefix(1);
  const bool is_hex = text.starts_with("0x");
  if (is_hex) text.remove_prefix(2);
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, is_hex ? 16 : 10);
  if (text.empty() || error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return static_cast<std::int64_t>(negative ? 0 - value : value);
}

// "reuse.H0_H0" -> "H0_H0"; was it there?
bool drop_reuse(std::string& suffix) {
  const std::size_t at = suffix.find("reuse");
  if (at == std::string::npos) return false;
  const bool behind = at > 0;
  suffix.erase(behind ? at - 1 : 0, behind || suffix.size() > 5 ? 6 : 5);
  return true;
}

// "R4.64+UR6+-0x10" into terms and an offset.
bool parse_sum(std::string_view text, Operand& operand) {
  while (!text.empty()) {
    const std::size_t plus = text.find('+');
    std::string_view term = text.substr(0, plus);
    text = plus == std::string_view::npos ? std::string_view() : text.substr(plus + 1);
    if (const auto number = whole_number(term)) {
      operand.value =
          static_cast<std::int64_t>(static_cast<std::uint64_t>(operand.value) + static_cast<std::uint64_t>(*number));
      continue;
    }
    const std::size_t dot = term.find('.');
    const auto reg = register_id(term.substr(0, dot));
    if (!reg || is_predicate(*reg)) return false;
    std::string suffix(dot == std::string_view::npos ? "" : term.substr(dot + 1));
    drop_reuse(suffix);
    operand.terms.push_back({*reg, std::move(suffix)});
  }
  return true;
}

// The text between the bracket at `from` and its partner.
std::optional<std::string_view> bracketed(std::string_view text, std::size_t from) {
  if (from >= text.size() || text[from] != '[') return std::nullopt;
  const std::size_t close = text.find(']', from);
  if (close == std::string_view::npos) return std::nullopt;
  return text.substr(from + 1, close - from - 1);
}

bool parse_constant(std::string_view text, Operand& operand) {
  const auto bank = bracketed(text, text.find('['));
  if (!bank) return false;
  const auto number = whole_number(*bank);
  const auto index = bracketed(text, text.find('[') + bank->size() + 2);
  if (!number || *number < 0 || *number > kMostBank || !index) return false;
  operand.kind = Operand::Kind::constant;
  operand.bank = static_cast<int>(*number);
  const std::string_view rest = text.substr(text.rfind(']') + 1);
  if (rest.starts_with('.')) operand.suffix = rest.substr(1);
  // No bank is as large; a place outside reads zeros.
  return parse_sum(*index, operand) && operand.value >= -kMostOffset && operand.value <= kMostOffset;
}

bool parse_address(std::string_view text, Operand& operand) {
  operand.kind = Operand::Kind::address;
  std::size_t open = 0;
  if (text.starts_with("desc[")) open = text.find(']') == std::string_view::npos ? 0 : text.find(']') + 1;
  const auto inside = bracketed(text, open);
  return inside && parse_sum(*inside, operand);
}

}  // namespace

std::optional<RegisterId> register_id(std::string_view text) {
  if (text == "RZ") return kRZ;
  if (text == "URZ") return kURZ;
  if (text == "PT") return kPT;
  if (text == "UPT") return kUPT;
  const auto numbered = [&](std::string_view prefix, RegisterId first, int count) -> std::optional<RegisterId> {
    if (!text.starts_with(prefix)) return std::nullopt;
    const auto number = decimal(text.substr(prefix.size()));
    if (!number || *number < 0 || *number >= count) return std::nullopt;
    return static_cast<RegisterId>(first + *number);
  };
  if (const auto id = numbered("UR", kUR0, 255)) return id;
  if (const auto id = numbered("UP", kUP0, 7)) return id;
  if (const auto id = numbered("R", 0, 255)) return id;
  return numbered("P", kP0, 7);
}

std::optional<Operand> parse_operand(std::string_view text) {
  Operand operand;
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  if (text.empty()) return std::nullopt;
  operand.text = text;
  if (text.starts_with("`(") && text.ends_with(")")) {
    operand.kind = Operand::Kind::label;
    operand.text = text.substr(2, text.size() - 3);
    return operand;
  }
  if (const auto number = whole_number(text)) {
    operand.kind = Operand::Kind::immediate;
    operand.value = *number;
    operand.whole = true;
    return operand;
  }
  if (text.starts_with("32@")) {
    if (!parse_symbol_half(text)) return std::nullopt;
    operand.kind = Operand::Kind::immediate;
    operand.whole = operand.named = true;
    return operand;
  }
  const char first = text.size() > 1 && (text[0] == '-' || text[0] == '+') ? text[1] : text[0];
  if ((first >= '0' && first <= '9') || text.ends_with("INF") || text.ends_with("NAN")) {
    operand.kind = Operand::Kind::immediate;
    return operand;
  }
  if (text.starts_with('-')) operand.negative = true, text.remove_prefix(1);
  if (text.starts_with('~') || text.starts_with('!')) operand.inverted = true, text.remove_prefix(1);
  if (text.starts_with('|')) {
    const std::size_t close = text.find('|', 1);
    if (close == std::string_view::npos) return std::nullopt;
    operand.absolute = true;
    operand.suffix = text.substr(close + 1);
    if (operand.suffix.starts_with('.')) operand.suffix.erase(0, 1);
    text = text.substr(1, close - 1);
  }
  if (text.starts_with("c[")) return parse_constant(text, operand) ? std::optional(operand) : std::nullopt;
  if (text.starts_with("gdesc[")) {
    const auto inside = bracketed(text, 5);
    const auto reg = inside ? register_id(*inside) : std::nullopt;
    if (!reg || is_predicate(*reg)) return std::nullopt;
    operand.kind = Operand::Kind::descriptor;
    operand.reg = *reg;
    operand.suffix = text.substr(text.find(']') + 1);
    if (operand.suffix.starts_with('.')) operand.suffix.erase(0, 1);
    return operand;
  }
  if (text.starts_with("desc[") && text.find('[', 5) == std::string_view::npos && text.ends_with(']')) {
    const auto reg = register_id(text.substr(5, text.size() - 6));  // alone: how L2 shall keep what a copy fetches
    if (!reg) return std::nullopt;
    operand.kind = Operand::Kind::descriptor;
    operand.reg = *reg;
    return operand;
  }
  if (text.starts_with('[') || text.starts_with("desc["))
    return parse_address(text, operand) ? std::optional(operand) : std::nullopt;
  const std::size_t dot = text.find('.');
  const std::string_view head = text.substr(0, dot);
  if (const auto reg = register_id(head)) {
    operand.kind = is_predicate(*reg) ? Operand::Kind::predicate : Operand::Kind::reg;
    operand.reg = *reg;
    if (dot != std::string_view::npos)
      operand.suffix = std::string(text.substr(dot + 1)) + (operand.suffix.empty() ? "" : "." + operand.suffix);
    operand.reuse = drop_reuse(operand.suffix);
    return operand;
  }
  if (head.size() >= 2 && head[0] == 'B') {
    if (const auto number = decimal(head.substr(1))) {
      operand.kind = Operand::Kind::barrier;
      operand.value = *number;
      return operand;
    }
  }
  operand.kind = Operand::Kind::word;
  operand.text = text;
  return operand;
}

}  // namespace tilescope::sass
