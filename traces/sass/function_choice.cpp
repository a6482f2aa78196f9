#include "traces/sass/function_choice.h"

#include <cxxabi.h>
#include <fmt/format.h>

#include <cstdlib>
#include <memory>
#include <vector>

#include "models/support/suggest.h"

namespace tilescope::sass {
namespace {

constexpr std::size_t kMostListed = 12;

std::string list_names(const std::vector<const ListedFunction*>& functions) {
  std::string text;
  for (std::size_t i = 0; i < functions.size() && i < kMostListed; ++i) {
    text += i == 0 ? "" : ", ";
    text += functions[i]->name;
    if (functions[i]->architecture != 0) text += fmt::format(" (sm_{})", functions[i]->architecture);
  }
  if (functions.size() > kMostListed) text += fmt::format(" and {} more", functions.size() - kMostListed);
  return text;
}

}  // namespace

std::string readable_name(const std::string& symbol) {
  if (!symbol.starts_with("_Z")) return symbol;  // "f" is float to the demangler
  int status = 0;
  const std::unique_ptr<char, void (*)(void*)> text(abi::__cxa_demangle(symbol.c_str(), nullptr, nullptr, &status),
                                                    std::free);
  return status == 0 && text ? text.get() : symbol;
}

tl::expected<const ListedFunction*, std::string> choose_function(const Listing& listing, const std::string& name,
                                                                 int architecture) {
  std::vector<const ListedFunction*> all, exact, part;
  for (const ListedFunction& function : listing.functions) {
    // A listing that does not say its architecture may be of any.
    if (architecture != 0 && function.architecture != 0 && function.architecture != architecture) continue;
    all.push_back(&function);
    const std::string readable = readable_name(function.name);
    if (function.name == name || readable == name) exact.push_back(&function);
    if (function.name.find(name) != std::string::npos || readable.find(name) != std::string::npos)
      part.push_back(&function);
  }
  if (all.empty()) {
    all.reserve(listing.functions.size());
    for (const ListedFunction& function : listing.functions) all.push_back(&function);
    return tl::unexpected(fmt::format("no function for sm_{}; the listing holds {}", architecture, list_names(all)));
  }
  const std::vector<const ListedFunction*>& found = name.empty() ? all : exact.empty() ? part : exact;
  if (found.size() == 1) return found.front();
  if (found.empty()) {
    std::vector<std::string> names;
    names.reserve(all.size());
    for (const ListedFunction* function : all) names.push_back(function->name);
    return tl::unexpected(
        fmt::format("got '{}'; must be one of {}{}", name, list_names(all), did_you_mean(name, names)));
  }
  const bool same = found.front()->name == found.back()->name;
  return tl::unexpected(fmt::format(
      "{} several functions: {}; {}", name.empty() ? "is missing; the listing holds" : "'" + name + "' can mean",
      list_names(found), same ? "say which with kernel: {arch: sm_90}" : "give more of the name"));
}

}  // namespace tilescope::sass
