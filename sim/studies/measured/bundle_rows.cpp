#include "sim/studies/measured/bundle_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>

#include "models/support/text_file.h"
#include "traces/sass/kernel_name.h"

namespace tilescope {
namespace {

using Fits = std::function<bool(std::size_t, std::size_t)>;
using Pairs = std::vector<std::pair<std::size_t, std::size_t>>;

// Hirschberg's way: the middle of the first sequence is paired with the place of the second that loses nothing.
class Alignment {
 public:
  Alignment(const Fits& fits, Pairs& pairs) : fits_(fits), pairs_(pairs) {}

  void align(std::size_t i, std::size_t m, std::size_t j, std::size_t n) {
    while (i < m && j < n && fits_(i, j)) pairs_.emplace_back(i++, j++);
    if (i == m || j == n) return;
    if (m - i == 1) {
      for (std::size_t at = j; at < n; ++at)
        if (fits_(i, at)) return pairs_.emplace_back(i, at), void();
      return;
    }
    const std::size_t middle = i + (m - i) / 2;
    const std::vector<std::uint32_t> before = forward(i, middle, j, n), after = backward(middle, m, j, n);
    std::size_t best = 0;
    for (std::size_t k = 0; k <= n - j; ++k)
      if (before[k] + after[k] > before[best] + after[best]) best = k;
    align(i, middle, j, j + best);
    align(middle, m, j + best, n);
  }

 private:
  // By k: the most pairs of [i, m) with [j, j + k).
  std::vector<std::uint32_t> forward(std::size_t i, std::size_t m, std::size_t j, std::size_t n) const {
    std::vector<std::uint32_t> most(n - j + 1);
    for (; i < m; ++i) {
      std::uint32_t diagonal = 0;
      for (std::size_t k = 1; k <= n - j; ++k) {
        const std::uint32_t above = most[k];
        most[k] = fits_(i, j + k - 1) ? diagonal + 1 : std::max(above, most[k - 1]);
        diagonal = above;
      }
    }
    return most;
  }

  // By k: the most pairs of [i, m) with [j + k, n).
  std::vector<std::uint32_t> backward(std::size_t i, std::size_t m, std::size_t j, std::size_t n) const {
    std::vector<std::uint32_t> most(n - j + 1);
    while (m-- > i) {
      std::uint32_t diagonal = 0;
      for (std::size_t k = n - j; k-- > 0;) {
        const std::uint32_t above = most[k];
        most[k] = fits_(m, j + k) ? diagonal + 1 : std::max(above, most[k + 1]);
        diagonal = above;
      }
    }
    return most;
  }

  const Fits& fits_;
  Pairs& pairs_;
};

// Numbers for names, so that they are compared quickly.
class Names {
 public:
  int number(const std::string& kernel) {
    const auto known = by_text_.find(kernel);
    if (known != by_text_.end()) return known->second;
    const int number = by_base_.emplace(sass::base_name(kernel), static_cast<int>(by_base_.size())).first->second;
    by_text_.emplace(kernel, number);
    return number;
  }

 private:
  std::map<std::string, int> by_text_, by_base_;
};

std::string program_name(const bundle::Bundle& bundle) {
  return std::filesystem::path(bundle.folder).lexically_normal().filename().string();
}

struct LaunchTexts {
  const bundle::Bundle& bundle;
  Diagnostics errors;
  std::map<std::size_t, std::string> known = {};

  const std::string& of(std::size_t launch) {
    const auto [place, is_new] = known.try_emplace(launch);
    if (!is_new) return place->second;
    auto text = read_text_file(bundle.path_of(bundle.launches[launch]));
    if (text)
      place->second = *std::move(text);
    else
      errors.push_back(text.error());
    return place->second;
  }
};

}  // namespace

Pairs longest_alignment(std::size_t m, std::size_t n, const Fits& fits) {
  Pairs pairs;
  Alignment(fits, pairs).align(0, m, 0, n);
  return pairs;
}

tl::expected<MatchedRows, Diagnostics> match_bundle(std::vector<Measurement> rows, const bundle::Bundle& bundle) {
  Names names;
  std::vector<int> row_names, launch_names;
  for (const Measurement& row : rows) row_names.push_back(names.number(row.kernel));
  for (const bundle::OrderedLaunch& one : bundle.order)
    launch_names.push_back(names.number(one.launch ? bundle.launches[*one.launch].kernel : one.kernel));
  const Fits fits = [&](std::size_t i, std::size_t j) {
    if (row_names[i] != launch_names[j]) return false;
    if (!bundle.order[j].launch) return true;
    const bundle::BundleLaunch& launch = bundle.launches[*bundle.order[j].launch];
    return (!rows[i].grid || *rows[i].grid == launch.grid) && (!rows[i].block || *rows[i].block == launch.block);
  };
  const Pairs pairs = longest_alignment(rows.size(), bundle.order.size(), fits);
  const std::set<int> known(launch_names.begin(), launch_names.end());

  MatchedRows result;
  const std::string program = program_name(bundle);
  LaunchTexts texts{bundle, {}};
  std::size_t next = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (next == pairs.size() || pairs[next].first != i) {
      result.unmatched.push_back(
          {std::move(rows[i]), known.count(row_names[i]) == 0
                                   ? "the bundle has no kernel of that name"
                                   : "no launch of that kernel, grid and block is left at this place of the bundle"});
      continue;
    }
    const bundle::OrderedLaunch& ordered = bundle.order[pairs[next++].second];
    if (!ordered.launch) {
      result.unmatched.push_back({std::move(rows[i]), "the recorder could not store the launch: " + ordered.refused});
      continue;
    }
    const bundle::BundleLaunch& launch = bundle.launches[*ordered.launch];
    MatchedRow matched{std::move(rows[i]), {}, program, {}};
    matched.mapped.kernel = sass::base_name(launch.kernel);
    matched.mapped.launch = texts.of(*ordered.launch);
    matched.mapped.launch_beside = bundle.path_of(launch);
    matched.mapped.launch_within = bundle.folder;
    matched.label = fmt::format("{}#{} {}", program, launch.id, matched.mapped.kernel);
    result.matched.push_back(std::move(matched));
  }
  if (!texts.errors.empty()) return tl::unexpected(std::move(texts.errors));
  return result;
}

}  // namespace tilescope
