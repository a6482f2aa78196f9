#include "traces/sass/launch_arguments.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <cstring>
#include <fstream>
#include <iterator>
#include <limits>
#include <optional>

#include "models/support/bit_mixer.h"
#include "models/support/suggest.h"
#include "models/support/yaml_text.h"
#include "traces/kernels/device_buffers.h"

namespace tilescope::sass {
namespace {

constexpr std::uint64_t kMostBufferBytes = std::uint64_t{1} << 40U;
constexpr std::uint64_t kMostInitialisedBytes = std::uint64_t{1} << 32U;

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
  if (value > kMostBufferBytes >> shift) return std::nullopt;
  return value << shift;
}

class ArgumentReader {
 public:
  ArgumentReader(const std::string& folder, DeviceMemory& memory, Diagnostics& errors)
      : folder_(folder), memory_(memory), errors_(errors) {}

  Argument read(const YAML::Node& node, const Place& place) {
    place_ = place_of(node, place);
    Argument argument{.bytes = {}, .place = place_};
    if (node.IsScalar())
      argument.bytes = number(node.Scalar(), "i32", place_);
    else if (node.IsMap())
      argument.bytes = typed(node);
    else
      error(place_, fmt::format("got {}; must be a number, {{buffer: SIZE}} or {{TYPE: VALUE}}", seen(node)));
    return argument;
  }

 private:
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
    for (const YAML::Node& node : members.value) {
      const std::vector<std::uint8_t> member = read(node, members.key_place).bytes;
      if (member.empty()) continue;
      largest = std::max(largest, member.size());
      pad_to(member.size());
      bytes.insert(bytes.end(), member.begin(), member.end());
    }
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
    std::ifstream stream(path, std::ios::binary);
    buffer.bytes.assign(std::istreambuf_iterator<char>(stream), {});
    if (!stream.good() && !stream.eof()) return error(at, fmt::format("file: {} can not be read", quoted(path)));
    if (buffer.bytes.size() > buffer.size)
      error(at, fmt::format("file: {} holds {} byte, more than the buffer's {}", quoted(path), buffer.bytes.size(),
                            buffer.size));
  }

  // Every `stride` bytes a pointer to the next such place, the last one's to the first.
  void chain(const YamlSection::Entry* stride, const Place& place, DeviceBuffer& buffer) {
    constexpr std::uint64_t kPointer = 8;
    const auto step = stride != nullptr && stride->value.IsScalar() ? size_in_bytes(stride->value.Scalar())
                                                                    : std::optional<std::uint64_t>(kPointer);
    if (!step || *step % kPointer != 0 || *step > buffer.size || buffer.size > kMostInitialisedBytes)
      return error(
          place,
          "init: chain needs a stride that is a multiple of 8 and no larger than the buffer, itself at most 4 GiB");
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
    if (buffer.size > kMostInitialisedBytes) return error(at, "init: a buffer of more than 4 GiB can only be zero");
    std::uint64_t limit = 0;
    if (below != nullptr) {
      const auto value = below->value.IsScalar() ? whole(below->value.Scalar()) : std::nullopt;
      if (!value || *value < 1 || *value > std::int64_t{1} << 32U)
        return error(place_of(below->value, below->key_place), "below: must be a whole number from 1 to 4294967296");
      limit = static_cast<std::uint64_t>(*value);
    }
    buffer.bytes.resize(buffer.size);
    const std::uint64_t seed = memory_.buffers.size() << 40U;
    for (std::uint64_t word = 0; word * 4 < buffer.size; ++word) {
      const std::uint64_t mixed = mix_bits(seed + word + 1) >> 32U;
      const auto value = static_cast<std::uint32_t>(what == "iota" ? word : limit != 0 ? mixed % limit : mixed);
      std::memcpy(buffer.bytes.data() + word * 4, &value, std::min<std::size_t>(4, buffer.size - word * 4));
    }
  }

  const std::string& folder_;
  DeviceMemory& memory_;
  Diagnostics& errors_;
  DeviceBuffers addresses_;
  Place place_;
};

}  // namespace

std::vector<Argument> read_arguments(const YAML::Node& list, const Place& place, const std::string& folder,
                                     DeviceMemory& memory, Diagnostics& errors) {
  std::vector<Argument> arguments;
  if (!list.IsSequence()) {
    errors.push_back(place.error(fmt::format("args: got {}; must be a list", seen(list))));
    return arguments;
  }
  ArgumentReader reader(folder, memory, errors);
  for (const YAML::Node& node : list) arguments.push_back(reader.read(node, place));
  return arguments;
}

}  // namespace tilescope::sass
