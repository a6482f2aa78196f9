#include "sim/studies/sweep/study_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <tuple>
#include <utility>

#include "models/support/spec_reader.h"
#include "models/support/suggest.h"
#include "models/support/yaml_section.h"
#include "models/support/yaml_text.h"
#include "sim/studies/sweep/axis_reader.h"
#include "sim/studies/sweep/parameter_check.h"
#include "sim/studies/sweep/study_kernel.h"

namespace tilescope::sweep {
namespace {

const std::vector<std::string> kStudyKeys = {"study", "learns",  "mode",       "sample",     "cache_control",
                                             "gpus",  "kernels", "parameters", "constraints"};
const std::vector<std::string> kKernelKeys = {"kernel", "parameters", "constraints"};

bool is_study_name(const std::string& text) {
  return !text.empty() && text.size() <= 60 &&
         text.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_-") == std::string::npos;
}

class Reader {
 public:
  Reader(const std::string& path, const GpuFinder& find_gpu) : find_gpu_(find_gpu), top_{path, 1, 1} {
    study_.path = path;
    folder_ = std::filesystem::path(path).parent_path();
  }

  tl::expected<Study, Diagnostics> read(const YAML::Node& root) {
    if (root.IsMap())
      read_root(root);
    else
      error(place_of(root, top_), fmt::format("got {}; must be a map of keys", seen(root)));
    if (errors_.empty()) return std::move(study_);
    std::stable_sort(errors_.begin(), errors_.end(), [&](const Diagnostic& a, const Diagnostic& b) {
      return std::tuple(a.file != top_.file, a.line, a.column) < std::tuple(b.file != top_.file, b.line, b.column);
    });
    return tl::unexpected(std::move(errors_));
  }

 private:
  void error(const Place& place, std::string message) { errors_.push_back(place.error(std::move(message))); }

  void refuse_unknown(const YamlSection& section, const std::string& prefix, const std::vector<std::string>& keys) {
    for (const auto& entry : section.entries())
      if (!entry.known)
        error(entry.key_place, fmt::format("{}{}: unknown key{}; must be {}", prefix, entry.key,
                                           did_you_mean(entry.key, keys), list_of(keys)));
  }

  void read_root(const YAML::Node& root) {
    YamlSection section(root, "", place_of(root, top_), errors_);
    if (const auto* name = section.take("study")) {
      study_.name = text_of(*name);
      if (!is_study_name(study_.name))
        error(
            place_of(name->value, name->key_place),
            fmt::format("study: got {}; must be a name of at most 60 letters a-z, digits, _ and -", seen(name->value)));
    } else {
      error(top_, "study: missing; must be the study's name");
    }
    if (const auto* learns = section.take("learns")) study_.learns = text_of(*learns);
    if (const auto* mode = section.take("mode"))
      study_.mode = choice(*mode, {"timing", "counts"}) == 1 ? Mode::counts : Mode::timing;
    if (const auto* sample = section.take("sample")) study_.sample = static_cast<Sample>(choice(*sample, kSampleNames));
    if (const auto* control = section.take("cache_control"))
      study_.cache_control = static_cast<CacheControl>(choice(*control, kCacheControlNames));
    read_gpus(section.take("gpus"));
    const auto* parameters = section.take("parameters");
    const auto* constraints = section.take("constraints");
    read_kernels(section.take("kernels"));
    if (parameters != nullptr) take_axes(*parameters, "parameters.", nullptr);
    if (constraints != nullptr) take_constraints(*constraints, "constraints", nullptr);
    for (std::size_t i = 0; i < own_.size(); ++i) {
      StudyKernel& kernel = study_.kernels[i];
      if (own_[i].parameters != nullptr) take_axes(*own_[i].parameters, "parameters.", &kernel);
      if (own_[i].constraints != nullptr) take_constraints(*own_[i].constraints, "constraints", &kernel);
    }
    refuse_unknown(section, "", kStudyKeys);
    for (const Own& own : own_)
      if (own.section) refuse_unknown(*own.section, "kernels: ", kKernelKeys);
  }

  std::string text_of(const YamlSection::Entry& entry) {
    if (entry.value.IsScalar()) return entry.value.Scalar();
    error(place_of(entry.value, entry.key_place),
          fmt::format("{}: got {}; must be text", entry.key, seen(entry.value)));
    return "-";
  }

  std::size_t choice(const YamlSection::Entry& entry, const std::vector<std::string>& words) {
    const std::string text = entry.value.IsScalar() ? entry.value.Scalar() : "";
    const auto found = std::find(words.begin(), words.end(), text);
    if (found != words.end()) return static_cast<std::size_t>(found - words.begin());
    error(place_of(entry.value, entry.key_place), fmt::format("{}: got {}; must be {}{}", entry.key, seen(entry.value),
                                                              list_of(words), did_you_mean(text, words)));
    return 0;
  }

  std::vector<YAML::Node> items_of(const YamlSection::Entry& entry, const char* wanted) {
    std::vector<YAML::Node> items;
    if (entry.value.IsSequence()) {
      for (const YAML::Node& one : entry.value) items.push_back(one);
    } else if (entry.value.IsDefined() && !entry.value.IsNull()) {
      items.push_back(entry.value);
    }
    if (items.size() > most_items) {
      error(entry.key_place, fmt::format("{}: got {} items; must be at most {}", entry.key, items.size(), most_items));
      items.clear();
    } else if (items.empty()) {
      error(entry.key_place, fmt::format("{}: got {}; must be {}", entry.key,
                                         entry.value.IsSequence() ? "an empty list" : seen(entry.value), wanted));
    }
    return items;
  }

  std::string beside(const std::string& file) const {
    return std::filesystem::path(file).is_absolute() ? file : (folder_ / file).string();
  }

  void read_gpus(const YamlSection::Entry* entry) {
    if (entry == nullptr) return add_gpu("h200", top_);
    for (const YAML::Node& node : items_of(*entry, "a list of GPUs")) {
      const Place place = place_of(node, entry->key_place);
      if (node.IsScalar())
        add_gpu(node.Scalar(), place);
      else
        error(place, fmt::format("gpus: got {}; must be the name of a GPU or a .yaml file", seen(node)));
    }
  }

  void add_gpu(const std::string& label, const Place& place) {
    const auto same = [&](const StudyGpu& other) { return other.label == label; };
    if (std::any_of(study_.gpus.begin(), study_.gpus.end(), same))
      return error(place, fmt::format("gpus: {} is given twice", tilescope::in_quotes(label)));
    StudyGpu gpu{label, "", ""};
    if (label.ends_with(".yaml") || label.ends_with(".yml") || label.find('/') != std::string::npos) {
      gpu.path = beside(label);
    } else {
      auto found = find_gpu_(label);
      if (!found) return error(place, "gpus: " + found.error());
      gpu.path = std::move(*found);
    }
    auto text = read_text_file(gpu.path);
    if (!text) return error(place, fmt::format("gpus: {}: {}", tilescope::in_quotes(gpu.path), text.error().message));
    gpu.text = std::move(*text);
    const auto spec = read_spec_text<GpuSpec>(gpu.text, gpu.path);
    if (spec) return study_.gpus.push_back(std::move(gpu));
    errors_.insert(errors_.end(), spec.error().begin(), spec.error().end());
  }

  // What stands in the map of a kernel; null where nothing does.
  struct Own {
    std::optional<YamlSection> section;
    const YamlSection::Entry* parameters = nullptr;
    const YamlSection::Entry* constraints = nullptr;
  };

  void read_kernels(const YamlSection::Entry* entry) {
    if (entry == nullptr) return error(top_, "kernels: missing; must be a list of kernels");
    const std::vector<YAML::Node> items = items_of(*entry, "a list of kernels");
    own_.reserve(items.size());  // entries point into sections
    for (const YAML::Node& node : items) read_kernel(node, place_of(node, entry->key_place));
  }

  void read_kernel(const YAML::Node& node, const Place& place) {
    Own own;
    YAML::Node name = node;
    if (node.IsMap()) {
      own.section.emplace(node, "kernels: ", place, errors_);
      const auto* kernel = own.section->take("kernel");
      all_kernels_known_ = all_kernels_known_ && kernel != nullptr;
      if (kernel == nullptr) return error(place, "kernels: kernel: missing; must be a kernel's name or file");
      name.reset(kernel->value);
    }
    if (!name.IsScalar())
      return error(place_of(name, place), fmt::format("kernels: got {}; must be a kernel's name or file", seen(name)));
    auto opened = open_study_kernel(name.Scalar(), beside(name.Scalar()));
    if (!opened) {
      all_kernels_known_ = false;
      for (Diagnostic problem : opened.error()) {  // those without a file are about the study's words
        const Place at = place_of(name, place);
        if (problem.file.empty()) problem = at.error("kernels: " + problem.message);
        errors_.push_back(std::move(problem));
      }
      return;
    }
    study_.kernels.push_back(std::move(*opened));
    own_.push_back(std::move(own));
    Own& kept = own_.back();
    if (!kept.section) return;
    kept.parameters = kept.section->take("parameters");
    kept.constraints = kept.section->take("constraints");
  }

  // `only`: the kernel in whose map the parameters stand; null: for every kernel that has them.
  void take_axes(const YamlSection::Entry& entry, const std::string& prefix, StudyKernel* only) {
    const Place place = place_of(entry.value, entry.key_place);
    if (!entry.value.IsMap())
      return error(
          place, fmt::format("{}: got {}; must be a map of parameters and their values", entry.key, seen(entry.value)));
    for (const PlacedAxis& axis : read_axes(entry.value, place, prefix, errors_))
      take_axis(axis, prefix, {study_, only, all_kernels_known_}, errors_);
  }

  void take_constraints(const YamlSection::Entry& entry, const std::string& what, StudyKernel* only) {
    for (const YAML::Node& node : items_of(entry, "a formula or a list of formulas")) {
      const Place place = place_of(node, entry.key_place);
      if (!node.IsScalar()) {
        error(place, fmt::format("{}: got {}; must be a formula such as bm*bk <= 48KiB", what, seen(node)));
        continue;
      }
      const int quote = node.Tag() == "!" ? 1 : 0;  // yaml-cpp's tag of a scalar in quotes
      take_constraint(node.Scalar(), {place.file, place.line, place.column + quote}, {study_, only, all_kernels_known_},
                      errors_);
    }
  }

  const GpuFinder& find_gpu_;
  Place top_;
  std::filesystem::path folder_;
  Study study_;
  std::vector<Own> own_;  // beside study_.kernels
  bool all_kernels_known_ = true;
  Diagnostics errors_;
};

}  // namespace

tl::expected<Study, Diagnostics> read_study(const std::string& path, const GpuFinder& find_gpu) {
  const auto text = read_text_file(path);
  if (!text) return tl::unexpected(Diagnostics{text.error()});
  return read_study_text(*text, path, find_gpu);
}

tl::expected<Study, Diagnostics> read_study_text(const std::string& text, const std::string& path,
                                                 const GpuFinder& find_gpu) {
  const auto root = parse_yaml(text, path);
  if (!root) return tl::unexpected(Diagnostics{root.error()});
  return Reader(path, find_gpu).read(*root);
}

}  // namespace tilescope::sweep
