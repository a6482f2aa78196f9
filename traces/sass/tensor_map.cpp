#include "traces/sass/tensor_map.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "models/support/suggest.h"
#include "models/support/yaml_text.h"
#include "traces/sass/launch_numbers.h"

namespace tilescope::sass {
namespace {

constexpr std::size_t kMostRank = 5;
constexpr std::uint64_t kMostDim = std::uint64_t{1} << 32U, kMostStride = (std::uint64_t{1} << 40U) - 1;
constexpr std::uint64_t kMostBox = 256, kMostElementStride = 8, kStrideUnit = 16;

constexpr std::int64_t kMostEnumerator = 1000;  // of a value that has no word here

constexpr std::pair<const char*, unsigned> kTypes[] = {
    {"u8", 1},  {"u16", 2}, {"u32", 4},  {"i32", 4},     {"u64", 8},  {"i64", 8},     {"f16", 2},
    {"f32", 4}, {"f64", 8}, {"bf16", 2}, {"f32_ftz", 4}, {"tf32", 4}, {"tf32_ftz", 4}};

class TensorMapReader {
 public:
  TensorMapReader(YamlSection& section, Diagnostics& errors) : section_(section), errors_(errors) {}

  TensorMap read() {
    TensorMap map;
    std::vector<std::string> types;
    for (const auto& [name, bytes] : kTypes) types.emplace_back(name);
    map.type = word("type", types, "");
    map.dims = numbers("dims", 1, kMostDim);
    map.strides = numbers("strides", kStrideUnit, kMostStride);
    map.box = numbers("box", 1, kMostBox);
    map.element_strides = numbers("element_strides", 1, kMostElementStride);
    map.swizzle = word("swizzle", {"none", "32", "64", "128"}, "none");
    map.interleave = word("interleave", {"none", "16", "32"}, "none");
    map.l2_promotion = word("l2_promotion", {"none", "64", "128", "256"}, "none");
    map.oob_fill = word("oob_fill", {"none", "nan"}, "none");
    refuse_ranks(map);
    return map;
  }

 private:
  void error(const Place& place, const std::string& message) {
    errors_.push_back(place.error("tensor_map: " + message));
  }

  std::string word(const char* name, const std::vector<std::string>& accepted, const std::string& standard) {
    const auto* entry = section_.take(name);
    if (entry == nullptr && !standard.empty()) return standard;
    std::string text = entry != nullptr && entry->value.IsScalar() ? entry->value.Scalar() : "";
    if (std::find(accepted.begin(), accepted.end(), text) != accepted.end()) return text;
    if (const auto number = whole_in(text); number && *number >= 0 && *number <= kMostEnumerator) return text;
    if (entry == nullptr)
      error(section_.place(), fmt::format("{}: is missing", name));
    else
      error(place_of(entry->value, entry->key_place),
            fmt::format("{}: got {}; must be {}, or the number that CUDA gives it", name, seen(entry->value),
                        list_of(accepted)));
    return accepted.front();
  }

  std::vector<std::uint64_t> numbers(const char* name, std::uint64_t least, std::uint64_t most) {
    std::vector<std::uint64_t> values;
    const auto* entry = section_.take(name);
    if (entry == nullptr) return values;
    const Place place = place_of(entry->value, entry->key_place);
    if (!entry->value.IsSequence() || entry->value.size() > kMostRank) {
      error(place,
            fmt::format("{}: got {}; must be a list of at most {} numbers", name, seen(entry->value), kMostRank));
      return values;
    }
    for (const YAML::Node& node : entry->value) {
      const auto value = node.IsScalar() ? whole_in(node.Scalar()) : std::nullopt;
      const auto number = static_cast<std::uint64_t>(value.value_or(0));
      if (!value || *value < 0 || number < least || number > most)
        error(place_of(node, place),
              fmt::format("{}: got {}; must be a whole number from {} to {}", name, seen(node), least, most));
      values.push_back(number);
    }
    return values;
  }

  void refuse_ranks(const TensorMap& map) {
    const std::size_t rank = map.dims.size();
    if (rank == 0) return error(section_.place(), "dims: must have one to five sizes, the innermost first");
    const auto expect = [&](const char* name, const std::vector<std::uint64_t>& values, std::size_t count) {
      if (values.size() != count)
        error(section_.place(),
              fmt::format("{}: got {} numbers; must be {}, for {} dimensions", name, values.size(), count, rank));
    };
    expect("strides", map.strides, rank - 1);
    expect("box", map.box, rank);
    if (!map.element_strides.empty()) expect("element_strides", map.element_strides, rank);
    for (const std::uint64_t stride : map.strides)
      if (stride % kStrideUnit != 0)
        error(section_.place(), fmt::format("strides: got {}; must be a multiple of {}", stride, kStrideUnit));
    const bool plain_swizzle = map.swizzle == "32" || map.swizzle == "64" || map.swizzle == "128";
    if (map.box.empty() || !plain_swizzle || map.interleave != "none") return;
    const auto* type =
        std::find_if(std::begin(kTypes), std::end(kTypes), [&map](const auto& one) { return map.type == one.first; });
    if (type == std::end(kTypes)) return;
    const std::uint64_t inner = map.box.front() * type->second;
    if (inner > std::stoul(map.swizzle))
      error(section_.place(), fmt::format("box: its innermost dimension has {} byte; must be at most {}, the swizzle's",
                                          inner, map.swizzle));
  }

  YamlSection& section_;
  Diagnostics& errors_;
};

}  // namespace

TensorMap read_tensor_map(YamlSection& section, Diagnostics& errors) { return TensorMapReader(section, errors).read(); }

}  // namespace tilescope::sass
