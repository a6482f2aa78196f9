#include "traces/sass/kernel_name.h"

#include <algorithm>
#include <string_view>

#include "traces/sass/function_choice.h"

namespace tilescope::sass {
namespace {

bool opens(char c) { return c == '<' || c == '(' || c == '[' || c == '{'; }
bool closes(char c) { return c == '>' || c == ')' || c == ']' || c == '}'; }

// Where the word that ends before `end` may not be cut: "operator<", "operator()", "operator>>", ...
std::size_t operator_end(std::string_view name, std::size_t at) {
  constexpr std::string_view word = "operator";
  if (name.substr(at, word.size()) != word) return at;
  std::size_t end = at + word.size();
  if (name.substr(end, 2) == "()") return end + 2;
  while (end < name.size() && std::string_view("<>=!-+*/%&|^~").find(name[end]) != std::string_view::npos) ++end;
  return end;
}

// Calls `visit` with each place outside all brackets.
template <class Visit>
void outside_brackets(std::string_view name, Visit visit) {
  int depth = 0;
  for (std::size_t i = 0; i < name.size(); ++i) {
    const std::size_t end = operator_end(name, i);
    if (end > i) {
      i = end - 1;
      continue;
    }
    if (depth == 0 && !visit(i)) return;
    if (opens(name[i])) ++depth;
    if (closes(name[i]) && depth > 0) --depth;
  }
}

constexpr std::string_view kUnnamed = "(anonymous namespace)";

}  // namespace

std::string name_without_parameters(const std::string& name) {
  const std::string readable = readable_name(name);
  std::size_t begin = 0, end = readable.size();
  outside_brackets(readable, [&](std::size_t i) {
    if (readable[i] == ' ') begin = i + 1;
    const bool parameters = readable[i] == '(' && std::string_view(readable).substr(i, kUnnamed.size()) != kUnnamed;
    if (parameters) end = i;
    return !parameters;
  });
  return readable.substr(begin, end - begin);
}

std::string base_name(const std::string& name) {
  const std::string whole = name_without_parameters(name);
  std::size_t begin = 0, end = whole.size();
  outside_brackets(whole, [&](std::size_t i) {
    if (whole[i] == ':') {
      begin = i + 1;
      end = whole.size();
    }
    if (whole[i] == '<' && end == whole.size() && i > begin) end = i;
    return true;
  });
  return whole.substr(begin, end - begin);
}

std::string shortened_name(const std::string& name, std::size_t most) {
  std::string text = name_without_parameters(name);
  if (text.size() > most) text = text.substr(0, most - std::min<std::size_t>(most, 3)) + "...";
  return text;
}

}  // namespace tilescope::sass
