#include "traces/bundle/bundle_lines.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <filesystem>
#include <map>
#include <string_view>

#include "models/support/suggest.h"
#include "models/support/yaml_section.h"
#include "models/support/yaml_text.h"
#include "traces/sass/limits.h"

namespace tilescope::bundle {
namespace {

constexpr std::size_t kMostErrors = sass::kMostErrors;

struct Line {
  std::string_view text;
  int number = 0;      // from 1
  bool whole = false;  // a newline ends it
};

// Calls `take` with each line that holds something.
template <class Take>
void for_each_line(std::string_view text, Take take) {
  int number = 0;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    std::string_view line = text.substr(0, end);
    if (line.ends_with('\r')) line.remove_suffix(1);
    ++number;
    if (line.find_first_not_of(' ') != std::string_view::npos && !line.starts_with('#'))
      take(Line{line, number, end != std::string_view::npos});
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
}

std::optional<std::int64_t> whole_number(std::string_view text) {
  std::int64_t value = 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || error != std::errc() || stop != text.data() + text.size()) return std::nullopt;
  return value;
}

bool lies_inside(const std::string& file) {
  const auto path = std::filesystem::path(file).lexically_normal();
  return !file.empty() && !path.is_absolute() && *path.begin() != ".." && path != "." &&
         file.find('\0') == std::string::npos;
}

class IndexLine {
 public:
  IndexLine(const Line& line, const std::string& path, Diagnostics& errors)
      : line_(line), place_{path, line.number, 1}, errors_(errors) {}

  std::optional<BundleLaunch> read() {
    const auto root = parse_yaml(std::string(line_.text), place_.file);
    if (!root) {
      // The recorder was interrupted while it wrote.
      if (line_.whole) error(root.error().column, root.error().message);
      return std::nullopt;
    }
    const bool one = root->IsSequence() && root->size() == 1 && (*root)[0].IsMap();
    if (!one && !line_.whole) return std::nullopt;
    if (!one) {
      error(1, fmt::format("got {}; must be '- {{id: N, file: FILE, kernel: NAME, grid: [..], block: [..]}}'",
                           seen(*root)));
      return std::nullopt;
    }
    Diagnostics own;
    YamlSection section((*root)[0], "", place_, own);
    BundleLaunch launch;
    launch.line = line_.number;
    launch.id = static_cast<std::uint64_t>(number(text(section, "id"), section, "id", std::int64_t{1} << 40U));
    launch.file = text(section, "file");
    if (section.find("file") != nullptr && !lies_inside(launch.file))
      error(section.find("file")->key_place.column,
            fmt::format("file: got {}; must be a file inside the bundle", tilescope::in_quotes(launch.file)));
    launch.kernel = text(section, "kernel");
    launch.grid = sizes(section, "grid", {sass::kMostGridX, sass::kMostGridYZ, sass::kMostGridYZ});
    launch.block = sizes(section, "block", {sass::kMostBlock, sass::kMostBlock, sass::kMostBlock});
    for (const auto& entry : section.entries())
      if (!entry.known)
        error(entry.key_place.column,
              entry.key + ": unknown key" + did_you_mean(entry.key, {"id", "file", "kernel", "grid", "block"}));
    for (const Diagnostic& one_of : own) error(one_of.column, one_of.message);
    if (failed_) return std::nullopt;
    return launch;
  }

 private:
  void error(int column, const std::string& message) {
    failed_ = true;
    if (errors_.size() < kMostErrors) errors_.push_back({place_.file, line_.number, column, message});
  }

  std::string text(YamlSection& section, const char* name) {
    const auto* entry = section.take(name);
    if (entry != nullptr && entry->value.IsScalar() && !entry->value.Scalar().empty()) return entry->value.Scalar();
    if (entry == nullptr)
      error(1, std::string(name) + ": is missing");
    else
      error(entry->key_place.column, fmt::format("{}: got {}; must be a text", name, seen(entry->value)));
    return {};
  }

  std::int64_t number(const std::string& value, const YamlSection& section, const char* name, std::int64_t most) {
    const auto read = whole_number(value);
    if (read && *read >= 1 && *read <= most) return *read;
    if (!value.empty())
      error(section.find(name)->key_place.column,
            fmt::format("{}: got {}; must be a whole number from 1 to {}", name, tilescope::in_quotes(value), most));
    return 1;
  }

  Dim3 sizes(YamlSection& section, const char* name, const std::array<std::int64_t, 3>& most) {
    std::array<std::int64_t, 3> values = {1, 1, 1};
    const auto* entry = section.take(name);
    if (entry == nullptr) {
      error(1, std::string(name) + ": is missing");
      return {};
    }
    const bool listed = entry->value.IsSequence() && entry->value.size() >= 1 && entry->value.size() <= 3;
    for (std::size_t i = 0; listed && i < entry->value.size(); ++i) {
      const auto value = entry->value[i].IsScalar() ? whole_number(entry->value[i].Scalar()) : std::nullopt;
      if (!value || *value < 1 || *value > most[i])
        error(entry->key_place.column,
              fmt::format("{}: got {}; must be a whole number from 1 to {}", name, seen(entry->value[i]), most[i]));
      values[i] = value.value_or(1);
    }
    if (!listed)
      error(entry->key_place.column,
            fmt::format("{}: got {}; must be a list of one to three sizes", name, seen(entry->value)));
    return {values[0], values[1], values[2]};
  }

  const Line& line_;
  Place place_;
  Diagnostics& errors_;
  bool failed_ = false;
};

}  // namespace

std::vector<BundleLaunch> read_index(const std::string& text, const std::string& path, Diagnostics& errors) {
  std::vector<BundleLaunch> launches;
  std::map<std::uint64_t, int> lines;  // by id
  for_each_line(text, [&](const Line& line) {
    auto launch = IndexLine(line, path, errors).read();
    if (!launch) return;
    const auto [first, is_new] = lines.emplace(launch->id, launch->line);
    if (is_new)
      launches.push_back(*std::move(launch));
    else if (errors.size() < kMostErrors)
      errors.push_back({path, line.number, 1,
                        fmt::format("id: got {}, which line {} has; every launch must have an id of its own",
                                    launch->id, first->second)});
  });
  return launches;
}

std::vector<OrderedLaunch> read_order(const std::string& text, const std::string& path,
                                      std::vector<BundleLaunch>& launches, Diagnostics& errors) {
  std::map<std::uint64_t, std::size_t> index;
  for (std::size_t i = 0; i < launches.size(); ++i) index.emplace(launches[i].id, i);
  std::vector<OrderedLaunch> order;
  for_each_line(text, [&](const Line& line) {
    if (!line.whole) return;  // may be half of a number
    std::array<std::string_view, 3> words;
    std::size_t count = 0;
    for (std::string_view rest = line.text; !rest.empty() && count <= words.size();) {
      const std::size_t end = std::min(rest.find(' '), rest.size());
      if (end > 0 && count++ < words.size()) words[count - 1] = rest.substr(0, end);
      rest.remove_prefix(std::min(end + 1, rest.size()));
    }
    const auto id = whole_number(words[0]), stream = whole_number(words[1]);
    const auto refuse = [&](const std::string& why) {
      if (errors.size() < kMostErrors) errors.push_back({path, line.number, 1, why});
    };
    if (count < 2 || count > 3 || !id || *id < 0 || !stream || *stream < 0 || (count == 3 && words[2] != "graph"))
      return refuse(fmt::format("got {}; must be 'ID STREAM' or 'ID STREAM graph'",
                                tilescope::in_quotes(std::string(line.text))));
    OrderedLaunch one;
    one.stream = *stream;
    one.graph = count == 3;
    if (*id != 0) {
      const auto found = index.find(static_cast<std::uint64_t>(*id));
      if (found == index.end()) return refuse(fmt::format("got the launch {}; launches.yaml has none of that id", *id));
      one.launch = found->second;
      ++launches[found->second].calls;
    }
    order.push_back(std::move(one));
  });
  return order;
}

void read_refused(const std::string& text, const std::string& path, std::vector<OrderedLaunch>& order,
                  Diagnostics& errors) {
  for_each_line(text, [&](const Line& line) {
    const std::size_t space = line.text.find(' ');
    const auto at = whole_number(line.text.substr(0, space));
    const std::string_view rest = space == std::string_view::npos ? "" : line.text.substr(space + 1);
    const std::size_t colon = rest.find(": ");
    if (!at || *at < 1 || colon == std::string_view::npos || colon == 0) {
      if (line.whole && errors.size() < kMostErrors)
        errors.push_back({path, line.number, 1,
                          fmt::format("got {}; must be 'LINE KERNEL: reason', LINE being one of the file order",
                                      tilescope::in_quotes(std::string(line.text)))});
      return;
    }
    if (static_cast<std::uint64_t>(*at) > order.size()) return;  // order was cut off
    OrderedLaunch& launch = order[static_cast<std::size_t>(*at - 1)];
    if (launch.launch) return;
    launch.kernel = std::string(rest.substr(0, colon));
    launch.refused = std::string(rest.substr(colon + 2));
  });
}

}  // namespace tilescope::bundle
