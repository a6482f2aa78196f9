// A bundle: the launches of a program, as tilescope-capture recorded them. Format: docs/bundles.md.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <tl/expected.hpp>
#include <vector>

#include "models/isa/kernel.h"
#include "models/support/diagnostic.h"

namespace tilescope::bundle {

// bundle.yaml
struct BundleFacts {
  std::vector<std::string> program;       // its words
  std::string gpu, architecture, memory;  // "NVIDIA H200", "sm_90", "inputs"; "": not said
  std::optional<std::int64_t> driver;     // as cuDriverGetVersion() says it
  std::string exit;                       // "0", "signal 6"; "": the recorder was interrupted
};

// A line of launches.yaml: launches of the program that are equal in everything.
struct BundleLaunch {
  std::uint64_t id = 0;
  std::string file;    // from the bundle's folder
  std::string kernel;  // its symbol
  Dim3 grid, block;
  int line = 0;             // of launches.yaml
  std::uint64_t calls = 0;  // how often the program launched it
};

// A line of `order`.
struct OrderedLaunch {
  std::optional<std::size_t> launch;  // index in Bundle::launches; none: the recorder could not store it
  std::int64_t stream = 0;
  bool graph = false;   // launched by a CUDA graph
  std::string kernel;   // of one that is not stored
  std::string refused;  // why it is not
};

struct Bundle {
  std::string folder;  // without a slash at its end
  BundleFacts facts;
  std::vector<BundleLaunch> launches;
  std::vector<OrderedLaunch> order;   // of the program's launches
  std::vector<std::string> children;  // bundles within this one: of processes that the program has started

  std::string path_of(const BundleLaunch& launch) const { return folder + "/" + launch.file; }
  std::string index_path() const { return folder + "/launches.yaml"; }
};

// The index of a bundle, its launches unread; or everything that is wrong with it. What a recorder that was interrupted
// leaves is read: a last line that is not complete is passed over, and without `order` every launch counts once.
tl::expected<Bundle, Diagnostics> read_bundle(const std::string& folder);

// "DIR", "DIR#7", "DIR#gemm.*": a folder, and which of its launches.
struct BundleName {
  std::string folder;
  std::optional<std::string> selection;
};
// nullopt: the word names no folder.
std::optional<BundleName> bundle_name(const std::string& word);

// The launches that a selection means, by index: one by its id, or those in whose symbol or readable name a regular
// expression (RE2) occurs; all without one. One sentence where there is none.
tl::expected<std::vector<std::size_t>, std::string> select_launches(const Bundle& bundle,
                                                                    const std::optional<std::string>& selection);

// The launch file of the one launch that `name` means, or why there is not exactly one.
tl::expected<std::string, Diagnostics> single_launch_file(const BundleName& name);

}  // namespace tilescope::bundle
