#include "sim/studies/tune/configuration.h"

#include <fmt/format.h>

#include <algorithm>

#include "models/support/suggest.h"

namespace tilescope::tune {

const std::vector<std::string>& dtypes() {
  static const std::vector<std::string> all{"f32", "f16", "bf16", "tf32"};
  return all;
}

const std::string* Configuration::parameter(const std::string& name) const {
  for (const auto& [known, value] : parameters)
    if (known == name) return &value;
  return nullptr;
}

void Misfits::add(std::int64_t m, std::int64_t n, std::int64_t k) {
  const auto note = [](std::vector<std::int64_t>& all, std::int64_t one) {
    const auto at = std::lower_bound(all.begin(), all.end(), one);
    if (at == all.end() || *at != one) all.insert(at, one);
  };
  note(m_, m);
  note(n_, n);
  note(k_, k);
}

std::string Misfits::sentence(const Problem& problem, const std::string& of) const {
  std::string parts;
  const auto judge = [&](const char* name, std::int64_t size, const std::vector<std::int64_t>& multiples) {
    if (std::any_of(multiples.begin(), multiples.end(), [&](std::int64_t one) { return size % one == 0; })) return;
    std::vector<std::string> accepted;
    accepted.reserve(multiples.size());
    for (const std::int64_t one : multiples) accepted.push_back(std::to_string(one));
    parts += fmt::format("{}{}: got {}; must be a multiple of {}", parts.empty() ? "" : ", and ", name, size,
                         list_of(accepted));
  };
  judge("M", problem.m, m_);
  judge("N", problem.n, n_);
  judge("K", problem.k, k_);
  if (parts.empty() && !m_.empty())
    parts = fmt::format("M, N and K: got {}, {} and {}; each is a multiple of some tile's side, but no tile fits all",
                        problem.m, problem.n, problem.k);
  if (parts.empty()) return fmt::format("{}: has no configuration for {}", of, problem.dtype);
  return fmt::format("{}: no configuration fits: {}", of, parts);
}

}  // namespace tilescope::tune
