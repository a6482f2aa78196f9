// How a Spec describes its parameters, once, for everybody who needs them: the YAML reader, `config show`,
// `--set path=value`, the schema page in docs/ and the hash that names a configuration.
//
//   struct L2Spec {
//     std::int64_t size_mib = 0;
//     void fields(SpecFields& f) { f.integer("size_mib", size_mib, {1, 4096}, "MiB", "capacity of all slices"); }
//   };
//
// Every key is required and an unknown key is an error. Units are part of the description, never of the value: a reader
// converts nothing; a pure number's is "1" or "". A value that could not be read (or a schema's, which has none) is a
// placeholder: 1 where the range has a 1 in it, else the range's low end. So the arithmetic of a rule over several
// fields is safe wherever it is safe in range.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace tilescope {

template <class T>
struct Range {  // both ends included
  T low;
  T high;
};

class SpecFields {
 public:
  virtual ~SpecFields() = default;
  virtual void integer(std::string_view key, std::int64_t& value, Range<std::int64_t> range, std::string_view unit,
                       std::string_view meaning) = 0;
  virtual void real(std::string_view key, double& value, Range<double> range, std::string_view unit,
                    std::string_view meaning) = 0;
  virtual void boolean(std::string_view key, bool& value, std::string_view meaning) = 0;
  virtual void text(std::string_view key, std::string& value, std::string_view meaning) = 0;
  // `value` becomes an index into `names`.
  virtual void choice(std::string_view key, std::int64_t& value, const std::vector<std::string>& names,
                      std::string_view meaning) = 0;
  virtual void integers(std::string_view key, std::vector<std::int64_t>& values, Range<std::int64_t> range,
                        std::string_view unit, std::string_view meaning) = 0;
  virtual void section(std::string_view key, std::string_view meaning,
                       const std::function<void(SpecFields&)>& body) = 0;
  // For rules that span fields ("sets must be a whole number"): reported at the position of `key`.
  virtual void require(bool holds, std::string_view key, const std::string& problem) = 0;
};

}  // namespace tilescope
