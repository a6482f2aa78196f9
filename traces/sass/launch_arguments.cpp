#include "traces/sass/launch_arguments.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>
#include <optional>

#include "models/support/bit_mixer.h"
#include "models/support/suggest.h"
#include "models/support/text_file.h"
#include "models/support/yaml_text.h"
#include "traces/kernels/device_buffers.h"

namespace tilescope::sass {
namespace {

constexpr int kMostNesting = 16;  // structs in structs

template <class T>
std::vector<std::uint8_t> bytes_of(T value) {
  std::vector<std::uint8_t> bytes(sizeof value);
  std::memcpy(bytes.data(), &value, sizeof value);
  return bytes;
}

std::optional<std::int64_t> whole(const std::string& text) {
  std::int64_t value = 0;
  const char* first = text.data();
  const char* end = first + text.size();
  const bool negative = text.starts_with('-');
  const bool is_hex = text.starts_with("0x");
  if (is_hex) {
    std::uint64_t bits = 0;
    const auto [stop, error] = std::from_chars(first + 2, end, bits, 16);
    if (error != std::errc() || stop != end) return std::nullopt;
    return static_cast<std::int64_t>(bits);
  }
  if (!negative && text.size() > 18) {  // the upper half of u64
    std::uint64_t bits = 0;
    const auto [stop, error] = std::from_chars(first, end, bits);
    if (error != std::errc() || stop != end) return std::nullopt;
    return static_cast<std::int64_t>(bits);
  }
  const auto [stop, error] = std::from_chars(first, end, value);
  if (text.empty() || error != std::errc() || stop != end) return std::nullopt;
  return value;
}

std::optional<double> real(const std::string& text) {
  if (text == ".inf") return std::numeric_limits<double>::infinity();
  if (text == "-.inf") return -std::numeric_limits<double>::infinity();
  double value = 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || error != std::errc() || stop != text.data() + text.size()) return std::nullopt;
  return value;
}

// 4096, 4KiB, 4MiB, 1GiB
std::optional<std::uint64_t> size_in_bytes(const std::string& text) {
  std::uint64_t value = 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || value == 0) return std::nullopt;
  std::string unit(stop, text.data() + text.size());
  while (unit.starts_with(' ')) unit.erase(0, 1);
  const unsigned shift = unit == "KiB" ? 10U : unit == "MiB" ? 20U : unit == "GiB" ? 30U : 0U;
  if (shift == 0 && !unit.empty() && unit != "B") return std::nullopt;
  if (value > kMostBufferAddresses >> shift) return std::nullopt;
  return value << shift;
}

class ArgumentReader {
 public:
  ArgumentReader(const std::string& folder, const Limits& limits, DeviceMemory& memory, Diagnostics& errors)
      : folder_(folder), limits_(limits), memory_(memory), errors_(errors) {}

  // Nothing more is read: the arguments are too many or too deep.
  bool gave_up() const { return gave_up_; }

  Argument read(const YAML::Node& node, const Place& place) {
    place_ = place_of(node, place);
    Argument argument{.bytes = {}, .place = place_};
    // An anchor can stand for any number of members, itself among them.
    if (!gave_up_ && ++read_ > kMostArgumentBytes)
      give_up(fmt::format("more than {} numbers; a kernel's parameters have at most as many byte", kMostArgumentBytes));
    if (!gave_up_ && nesting_ > kMostNesting)
      give_up(fmt::format("struct: structs lie in each other; must be at most {} deep", kMostNesting));
    if (gave_up_) return argument;
    if (node.IsScalar())
      argument.bytes = number(node.Scalar(), "i32", place_);
    else if (node.IsMap())
      argument.bytes = typed(node);
    else
      error(place_, fmt::format("got {}; must be a number, {{buffer: SIZE}} or {{TYPE: VALUE}}", seen(node)));
    return argument;
  }

 private:
  void give_up(std::string message) {
    error(place_, std::move(message));
    gave_up_ = true;
  }
  void error(const Place& place, std::string message) { errors_.push_back(place.error("args: " + std::move(message))); }

  std::vector<std::uint8_t> number(const std::string& text, const std::string& type, const Place& place) {
    if (type == "f32" || type == "f64") {
      const auto value = real(text);
      if (!value) error(place, fmt::format("{}: got {}; must be a number", type, quoted(text)));
      return type == "f32" ? bytes_of(static_cast<float>(value.value_or(0))) : bytes_of(value.value_or(0));
    }
    const auto value = whole(text);
    const int bits = std::stoi(type.substr(1));
    const bool is_signed = type[0] == 'i';
    const std::int64_t v = value.value_or(0);
    // A 32-bit argument takes what fits either way: 4294967295 is -1.
    const bool fits = bits == 64 || (v >= -(std::int64_t{1} << (bits - 1)) && v < std::int64_t{1} << bits);
    if (!value || !fits)
      error(place, fmt::format("{}: got {}; must be a whole number of {} bits{}", type, quoted(text), bits,
                               bits == 32 && is_signed ? "; {i64: n} is a 64-bit one, {f32: x} a real one" : ""));
    std::vector<std::uint8_t> bytes = bytes_of(v);
    bytes.resize(static_cast<std::size_t>(bits / 8));
    return bytes;
  }

  std::vector<std::uint8_t> typed(const YAML::Node& node) {
    YamlSection section(node, "args.", place_, errors_);
    static const std::vector<std::string> types = {"i8", "u8", "i16", "u16", "i32", "u32", "i64", "u64", "f32", "f64"};
    if (const auto* size = section.take("buffer")) return buffer(*size, section);
    if (const auto* members = section.take("struct"); members != nullptr && section.entries().size() == 1)
      return structure(*members);
    if (section.entries().size() == 1) {
      const auto& entry = section.entries().front();
      for (const std::string& type : types) {
        if (entry.key != type) continue;
        if (entry.value.IsScalar()) return number(entry.value.Scalar(), type, place_of(entry.value, entry.key_place));
        error(entry.key_place, fmt::format("{}: got {}; must be a number", type, seen(entry.value)));
        return {};
      }
    }
    std::vector<std::string> known = types;
    known.emplace_back("buffer");
    known.emplace_back("struct");
    const std::string got = section.entries().empty() ? "" : section.entries().front().key;
    error(place_, fmt::format("got {}; must be {{{}: ...}}{}", quoted(got), list_of(known), did_you_mean(got, known)));
    return {};
  }

  // Members lie as C lays them out: each at a multiple of its size, the whole a multiple of the largest.
  std::vector<std::uint8_t> structure(const YamlSection::Entry& members) {
    std::vector<std::uint8_t> bytes;
    if (!members.value.IsSequence() || members.value.size() == 0) {
      error(members.key_place, fmt::format("struct: got {}; must be a list of its members", seen(members.value)));
      return bytes;
    }
    std::size_t largest = 1;
    const auto pad_to = [&bytes](std::size_t size) { bytes.resize((bytes.size() + size - 1) / size * size); };
    ++nesting_;
    for (const YAML::Node& node : members.value) {
      const std::vector<std::uint8_t> member = read(node, members.key_place).bytes;
      if (gave_up_) return {};
      if (member.empty()) continue;
      largest = std::max(largest, member.size());
      pad_to(member.size());
      bytes.insert(bytes.end(), member.begin(), member.end());
    }
    --nesting_;
    pad_to(largest);
    return bytes;
  }

  std::vector<std::uint8_t> buffer(const YamlSection::Entry& size, YamlSection& section) {
    const Place at = place_of(size.value, size.key_place);
    const auto bytes = size.value.IsScalar() ? size_in_bytes(size.value.Scalar()) : std::nullopt;
    if (!bytes) error(at, fmt::format("buffer: got {}; must be a size such as 4096, 64KiB or 4MiB", seen(size.value)));
    DeviceBuffer made;
    made.size = bytes.value_or(1);
    made.base = addresses_.allocate(static_cast<std::int64_t>(made.size));
    addressed_ += made.size;
    if (addressed_ > kMostBufferAddresses) {
      place_ = at;
      give_up(fmt::format("buffer: the buffers of a launch hold more than {} byte", kMostBufferAddresses));
      return {};
    }
    const auto* init = section.take("init");
    const auto* file = section.take("file");
    const auto* below = section.take("below");
    const auto* stride = section.take("stride");
    if (init != nullptr && file != nullptr) error(init->key_place, "a buffer has either init or file");
    if (file != nullptr) load(*file, made);
    const std::string what = init != nullptr && init->value.IsScalar() ? init->value.Scalar() : "";
    if (what == "chain")
      chain(stride, place_of(init->value, init->key_place), made);
    else if (init != nullptr)
      fill(*init, below, made);
    if (stride != nullptr && what != "chain") error(stride->key_place, "stride: goes with init: chain");
    if (below != nullptr && what != "random") error(below->key_place, "below: goes with init: random");
    for (const auto& entry : section.entries())
      if (!entry.known)
        error(entry.key_place, fmt::format("{}: unknown key{}", entry.key,
                                           did_you_mean(entry.key, {"init", "file", "below", "stride"})));
    memory_.buffers.push_back(std::move(made));
    return bytes_of(memory_.buffers.back().base);
  }

  void load(const YamlSection::Entry& file, DeviceBuffer& buffer) {
    const Place at = place_of(file.value, file.key_place);
    if (!file.value.IsScalar()) return error(at, fmt::format("file: got {}; must be a path", seen(file.value)));
    const std::string name = file.value.Scalar();
    const std::string path = name.starts_with('/') ? name : folder_ + name;
    const std::uint64_t left = limits_.buffer_bytes - std::min(filled_, limits_.buffer_bytes);
    const auto text = read_text_file(path, std::min(buffer.size, left));
    if (!text) return error(at, fmt::format("file: {}: {}", quoted(path), text.error().message));
    filled_ += text->size();
    buffer.bytes.assign(text->begin(), text->end());
  }

  // Memory for a buffer's contents. False and an error when there is no more.
  bool set_aside(std::uint64_t bytes, const Place& place) {
    if (bytes <= limits_.buffer_bytes - std::min(filled_, limits_.buffer_bytes)) {
      filled_ += bytes;
      return true;
    }
    error(place, "buffer: the filled buffers of this launch hold too much; " +
                     limit_met("buffer_bytes", limits_.buffer_bytes));
    return false;
  }

  // Every `stride` bytes a pointer to the next such place, the last one's to the first.
  void chain(const YamlSection::Entry* stride, const Place& place, DeviceBuffer& buffer) {
    constexpr std::uint64_t kPointer = 8;
    const auto step = stride != nullptr && stride->value.IsScalar() ? size_in_bytes(stride->value.Scalar())
                                                                    : std::optional<std::uint64_t>(kPointer);
    if (!step || *step % kPointer != 0 || *step > buffer.size)
      return error(place, "init: chain needs a stride that is a multiple of 8 and no larger than the buffer");
    if (!set_aside(buffer.size, place)) return;
    buffer.bytes.resize(buffer.size);
    const std::uint64_t places = buffer.size / *step;
    for (std::uint64_t i = 0; i < places; ++i) {
      const std::uint64_t next = buffer.base + (i + 1) % places * *step;
      std::memcpy(buffer.bytes.data() + i * *step, &next, kPointer);
    }
  }

  void fill(const YamlSection::Entry& init, const YamlSection::Entry* below, DeviceBuffer& buffer) {
    const Place at = place_of(init.value, init.key_place);
    const std::string what = init.value.IsScalar() ? init.value.Scalar() : "";
    if (what == "zero") return;
    if (what != "iota" && what != "random")
      return error(at, fmt::format("init: got {}; must be zero, iota, random or chain", seen(init.value)));
    std::uint64_t limit = 0;
    if (below != nullptr) {
      const auto value = below->value.IsScalar() ? whole(below->value.Scalar()) : std::nullopt;
      if (!value || *value < 1 || *value > std::int64_t{1} << 32U)
        return error(place_of(below->value, below->key_place), "below: must be a whole number from 1 to 4294967296");
      limit = static_cast<std::uint64_t>(*value);
    }
    if (!set_aside(buffer.size, at)) return;
    buffer.bytes.resize(buffer.size);
    const std::uint64_t seed = memory_.buffers.size() << 40U;
    for (std::uint64_t word = 0; word * 4 < buffer.size; ++word) {
      const std::uint64_t mixed = mix_bits(seed + word + 1) >> 32U;
      const auto value = static_cast<std::uint32_t>(what == "iota" ? word : limit != 0 ? mixed % limit : mixed);
      std::memcpy(buffer.bytes.data() + word * 4, &value, std::min<std::size_t>(4, buffer.size - word * 4));
    }
  }

  const std::string& folder_;
  const Limits& limits_;
  DeviceMemory& memory_;
  Diagnostics& errors_;
  DeviceBuffers addresses_;
  Place place_;
  std::uint64_t read_ = 0;       // numbers, structs and buffers
  std::uint64_t filled_ = 0;     // byte of buffers with contents
  std::uint64_t addressed_ = 0;  // byte of all buffers
  int nesting_ = 0;
  bool gave_up_ = false;
};

}  // namespace

std::vector<Argument> read_arguments(const YAML::Node& list, const Place& place, const std::string& folder,
                                     const Limits& limits, DeviceMemory& memory, Diagnostics& errors) {
  std::vector<Argument> arguments;
  if (!list.IsSequence()) {
    errors.push_back(place.error(fmt::format("args: got {}; must be a list", seen(list))));
    return arguments;
  }
  ArgumentReader reader(folder, limits, memory, errors);
  for (const YAML::Node& node : list) {
    arguments.push_back(reader.read(node, place));
    if (reader.gave_up()) break;
  }
  return arguments;
}

}  // namespace tilescope::sass
