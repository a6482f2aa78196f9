// Reads a YAML file into a Spec: any object with `void fields(SpecFields&)`.
//
//   configs/broken.yaml:4:15: error: l2.size_mib: got '0'; must be a whole number from 1 to 4096 MiB
//   configs/broken.yaml:3:3: error: l2.slics: unknown key (did you mean l2.slices?)
//   --set l2.sise_mib=50: error: l2.sise_mib: unknown key (did you mean l2.size_mib?)
//
// Every error of a file comes in one run, sorted by position. A Spec is all right or it is not returned.
#pragma once

#include <functional>
#include <string>
#include <tl/expected.hpp>
#include <vector>

#include "models/support/diagnostic.h"
#include "models/support/override.h"
#include "models/support/spec_fields.h"
#include "models/support/text_file.h"

namespace tilescope {

// The core of it: calls `body` once; what `body` was given is meaningful only when the result is empty.
// `name` stands in the messages in place of a file's.
Diagnostics read_fields(const std::string& text, const std::string& name, const std::vector<Override>& overrides,
                        const std::function<void(SpecFields&)>& body);

template <class Spec>
tl::expected<Spec, Diagnostics> read_spec_text(const std::string& text, const std::string& name,
                                               const std::vector<Override>& overrides = {}) {
  Spec spec;
  Diagnostics errors = read_fields(text, name, overrides, [&spec](SpecFields& fields) { spec.fields(fields); });
  if (!errors.empty()) return tl::unexpected(std::move(errors));
  return spec;
}

template <class Spec>
tl::expected<Spec, Diagnostics> read_spec(const std::string& path, const std::vector<Override>& overrides = {}) {
  const auto text = read_text_file(path);
  if (!text) return tl::unexpected(Diagnostics{text.error()});
  return read_spec_text<Spec>(*text, path, overrides);
}

}  // namespace tilescope
