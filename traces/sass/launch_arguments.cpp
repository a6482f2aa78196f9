#include "traces/sass/launch_arguments.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "models/support/suggest.h"
#include "models/support/yaml_text.h"
#include "traces/sass/launch_numbers.h"
#include "traces/sass/limits.h"
#include "traces/sass/tensor_descriptor.h"

namespace tilescope::sass {
namespace {

constexpr int kMostNesting = 16;  // structs in structs
constexpr std::size_t kPointerBytes = 8;

template <class T>
std::vector<std::uint8_t> bytes_of(T value) {
  std::vector<std::uint8_t> bytes(sizeof value);
  std::memcpy(bytes.data(), &value, sizeof value);
  return bytes;
}

class ArgumentReader {
 public:
  ArgumentReader(LaunchBuffers& buffers, Diagnostics& errors) : buffers_(buffers), errors_(errors) {}

  bool gave_up() const { return gave_up_; }

  Argument read(const YAML::Node& node, const Place& around) {
    place_ = place_of(node, around);
    Argument argument;
    argument.place = place_;
    // An alias may stand for any number of members, itself among them.
    if (!gave_up_ && ++read_ > kMostArgumentBytes)
      give_up(fmt::format("more than {} numbers; a kernel's parameters have at most as many byte", kMostArgumentBytes));
    if (!gave_up_ && nesting_ > kMostNesting)
      give_up(fmt::format("struct: structs lie in each other; must be at most {} deep", kMostNesting));
    if (gave_up_) return argument;
    if (node.IsScalar()) {
      argument.bytes = number(node.Scalar(), "i32", place_);
      argument.text = "i32 " + node.Scalar();
    } else if (node.IsMap()) {
      typed(node, argument);
    } else {
      error(place_, fmt::format("got {}; must be a number, {{buffer: SIZE}} or {{TYPE: VALUE}}", seen(node)));
    }
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
      const auto value = real_in(text);
      if (!value) error(place, fmt::format("{}: got {}; must be a number", type, in_quotes(text)));
      return type == "f32" ? bytes_of(static_cast<float>(value.value_or(0))) : bytes_of(value.value_or(0));
    }
    const auto value = whole_in(text);
    const int bits = std::stoi(type.substr(1));
    const bool is_signed = type[0] == 'i';
    const std::int64_t v = value.value_or(0);
    // A 32-bit argument takes what fits either way: 4294967295 is -1.
    const bool fits = bits == 64 || (v >= -(std::int64_t{1} << (bits - 1)) && v < std::int64_t{1} << bits);
    if (!value || !fits)
      error(place, fmt::format("{}: got {}; must be a whole number of {} bits{}", type, in_quotes(text), bits,
                               bits == 32 && is_signed ? "; {i64: n} is a 64-bit one, {f32: x} a real one" : ""));
    std::vector<std::uint8_t> bytes = bytes_of(v);
    bytes.resize(static_cast<std::size_t>(bits / 8));
    return bytes;
  }

  void typed(const YAML::Node& node, Argument& argument) {
    YamlSection section(node, "args.", place_, errors_);
    static const std::vector<std::string> types = {"i8", "u8", "i16", "u16", "i32", "u32", "i64", "u64", "f32", "f64"};
    if (const auto* size = section.take("buffer")) return buffer(*size, section, argument);
    if (const auto* name = section.take("pointer")) return pointer(*name, section, argument);
    if (const auto* hex = section.take("bytes")) return raw(*hex, section, argument);
    const bool alone = section.entries().size() == 1;
    if (const auto* members = section.take("struct"); members != nullptr && alone) return structure(*members, argument);
    if (const auto* map = section.take("tensor_map"); map != nullptr && alone) return tensor_map(*map, argument);
    if (alone) {
      const auto& entry = section.entries().front();
      for (const std::string& type : types) {
        if (entry.key != type) continue;
        if (!entry.value.IsScalar())
          return error(entry.key_place, fmt::format("{}: got {}; must be a number", type, seen(entry.value)));
        argument.bytes = number(entry.value.Scalar(), type, place_of(entry.value, entry.key_place));
        argument.text = type + " " + entry.value.Scalar();
        return;
      }
    }
    std::vector<std::string> known = types;
    known.insert(known.end(), {"buffer", "pointer", "struct", "bytes", "tensor_map"});
    const std::string got = section.entries().empty() ? "" : section.entries().front().key;
    error(place_,
          fmt::format("got {}; must be {{{}: ...}}{}", in_quotes(got), list_of(known), did_you_mean(got, known)));
  }

  // Members lie as C lays them out: each at a multiple of its size, the whole a multiple of the largest.
  void structure(const YamlSection::Entry& members, Argument& argument) {
    std::vector<std::uint8_t>& bytes = argument.bytes;
    if (!members.value.IsSequence() || members.value.size() == 0)
      return error(members.key_place,
                   fmt::format("struct: got {}; must be a list of its members", seen(members.value)));
    std::size_t largest = 1;
    const auto pad_to = [&bytes](std::size_t size) { bytes.resize((bytes.size() + size - 1) / size * size); };
    ++nesting_;
    for (const YAML::Node& node : members.value) {
      const Argument member = read(node, members.key_place);
      if (gave_up_) return;
      if (member.bytes.empty()) continue;
      argument.text += (argument.text.empty() ? "{" : ", ") + member.text;
      largest = std::max(largest, member.bytes.size());
      pad_to(member.bytes.size());
      bytes.insert(bytes.end(), member.bytes.begin(), member.bytes.end());
    }
    --nesting_;
    argument.text += "}";
    pad_to(largest);
  }

  void buffer(const YamlSection::Entry& size, YamlSection& section, Argument& argument) {
    const auto base = buffers_.add(size, section);
    if (!base) {
      gave_up_ = true;
      return;
    }
    argument.bytes = bytes_of(*base);
    argument.text = fmt::format("buffer of {}", seen(size.value));
  }

  // {pointer: a, offset: 256}
  void pointer(const YamlSection::Entry& name, YamlSection& section, Argument& argument) {
    const auto* offset = section.take("offset");
    refuse_unknown(section, {"pointer", "offset"});
    const std::uint64_t address = address_of(name, offset, argument.text);
    argument.bytes = bytes_of(address);
  }

  // The end of a buffer is an address, too.
  std::uint64_t address_of(const YamlSection::Entry& name, const YamlSection::Entry* offset, std::string& text) {
    const Place at = place_of(name.value, name.key_place);
    const std::string wanted = name.value.IsScalar() ? name.value.Scalar() : "";
    const BufferFacts* facts = buffers_.find(wanted);
    std::uint64_t from = 0;
    if (offset != nullptr) {
      const auto number = offset->value.IsScalar() ? offset_in(offset->value.Scalar()) : std::nullopt;
      if (!number || (facts != nullptr && *number > facts->size))
        error(place_of(offset->value, offset->key_place),
              fmt::format("offset: got {}; must be a number of bytes within the buffer{}", seen(offset->value),
                          facts != nullptr ? fmt::format(", which has {}", facts->size) : ""));
      from = number.value_or(0);
    }
    if (facts == nullptr) {
      error(at, fmt::format("got the buffer {}; must be a name of `buffers:` or of an argument before{}",
                            seen(name.value), did_you_mean(wanted, buffers_.names())));
      return 0;
    }
    text = from == 0 ? wanted : fmt::format("{} + {}", wanted, from);
    return facts->base + from;
  }

  void refuse_unknown(const YamlSection& section, const std::vector<std::string>& known) {
    for (const auto& entry : section.entries())
      if (!entry.known)
        error(entry.key_place, fmt::format("{}: unknown key{}", entry.key, did_you_mean(entry.key, known)));
  }

  // {bytes: "00ff", pointers: {8: {pointer: a, offset: 0}}}: what a program passes by value, and where pointers are.
  void raw(const YamlSection::Entry& hex, YamlSection& section, Argument& argument) {
    const auto* pointers = section.take("pointers");
    refuse_unknown(section, {"bytes", "pointers"});
    const std::string text = hex.value.IsScalar() ? hex.value.Scalar() : "";
    const bool fits = !text.empty() && text.size() % 2 == 0 && text.size() <= 2 * kMostArgumentBytes;
    if (!fits || text.find_first_not_of("0123456789abcdefABCDEF") != std::string::npos)
      return error(place_of(hex.value, hex.key_place),
                   fmt::format("bytes: got {}; must be two hexadecimal digits for each of 1 to {} bytes",
                               seen(hex.value), kMostArgumentBytes));
    for (std::size_t i = 0; i < text.size(); i += 2)
      argument.bytes.push_back(static_cast<std::uint8_t>(std::stoi(text.substr(i, 2), nullptr, 16)));
    argument.text = fmt::format("{} byte", argument.bytes.size());
    if (pointers == nullptr) return;
    if (!pointers->value.IsMap())
      return error(
          place_of(pointers->value, pointers->key_place),
          fmt::format("pointers: got {}; must be {{OFFSET: {{pointer: NAME, offset: N}}}}", seen(pointers->value)));
    YamlSection places(pointers->value, "args.pointers.", pointers->key_place, errors_);
    for (const auto& entry : places.entries()) put_pointer(entry, argument);
  }

  void put_pointer(const YamlSection::Entry& entry, Argument& argument) {
    const auto at = offset_in(entry.key);
    if (!at || argument.bytes.size() < kPointerBytes || *at > argument.bytes.size() - kPointerBytes)
      return error(entry.key_place,
                   fmt::format("pointers: got the place {}; must be a byte of the {} with eight to come",
                               in_quotes(entry.key), argument.bytes.size()));
    YamlSection keys(entry.value.IsMap() ? entry.value : YAML::Node(YAML::NodeType::Map), "args.pointers.",
                     place_of(entry.value, entry.key_place), errors_);
    const auto* name = keys.take("pointer");
    const auto* offset = keys.take("offset");
    if (name == nullptr)
      return error(place_of(entry.value, entry.key_place),
                   fmt::format("pointers: got {}; must be {{pointer: NAME, offset: N}}", seen(entry.value)));
    refuse_unknown(keys, {"pointer", "offset"});
    std::string said;
    const std::uint64_t address = address_of(*name, offset, said);
    std::memcpy(argument.bytes.data() + *at, &address, kPointerBytes);
    argument.text += fmt::format(", {}: {}", *at, said);
  }

  // {tensor_map: {buffer: a, offset: 0, type: f16, dims: [...], ...}}
  void tensor_map(const YamlSection::Entry& map, Argument& argument) {
    const Place at = place_of(map.value, map.key_place);
    if (!map.value.IsMap())
      return error(at, fmt::format("tensor_map: got {}; must be cuTensorMapEncodeTiled's words", seen(map.value)));
    YamlSection keys(map.value, "args.tensor_map.", at, errors_);
    const auto* buffer = keys.take("buffer");
    const auto* offset = keys.take("offset");
    const auto* address = keys.take("address");
    argument.bytes.assign(kTensorMapBytes, 0);
    argument.tensor_map = read_tensor_map(keys, errors_);
    argument.text = "tensor map";
    refuse_unknown(keys, {"buffer", "offset", "address", "type", "dims", "strides", "box", "element_strides", "swizzle",
                          "interleave", "l2_promotion", "oob_fill"});
    if ((buffer == nullptr) == (address == nullptr)) return error(at, "tensor_map: must have either buffer or address");
    if (address != nullptr) {  // of memory that is in no buffer
      if (!address->value.IsScalar() || !whole_in(address->value.Scalar()))
        error(place_of(address->value, address->key_place),
              fmt::format("tensor_map: address: got {}; must be a number", seen(address->value)));
      else
        encode(argument, static_cast<std::uint64_t>(*whole_in(address->value.Scalar())));
      return;
    }
    const std::string name = buffer->value.IsScalar() ? buffer->value.Scalar() : "";
    if (buffers_.find(name) != nullptr || !size_in(name)) {
      std::string said;
      encode(argument, address_of(*buffer, offset, said));
      argument.text += " of " + said;
      return;
    }
    YamlSection nothing(YAML::Node(YAML::NodeType::Map), "", at, errors_);
    if (const auto base = buffers_.add(*buffer, nothing))
      encode(argument, *base);
    else
      gave_up_ = true;
  }

  // A map with words that are not known here holds no address: whatever uses it stops.
  void encode(Argument& argument, std::uint64_t address) {
    if (!errors_.empty()) return;
    if (const auto bits = encode_descriptor(*argument.tensor_map, address))
      argument.bytes.assign(bits->begin(), bits->end());
  }

  LaunchBuffers& buffers_;
  Diagnostics& errors_;
  Place place_;
  std::uint64_t read_ = 0;  // numbers, structs and buffers
  int nesting_ = 0;
  bool gave_up_ = false;
};

}  // namespace

std::vector<Argument> read_arguments(const YAML::Node& list, const Place& place, LaunchBuffers& buffers,
                                     Diagnostics& errors) {
  std::vector<Argument> arguments;
  if (!list.IsSequence()) {
    errors.push_back(place.error(fmt::format("args: got {}; must be a list", seen(list))));
    return arguments;
  }
  ArgumentReader reader(buffers, errors);
  for (const YAML::Node& node : list) {
    arguments.push_back(reader.read(node, place));
    if (reader.gave_up()) break;
  }
  return arguments;
}

}  // namespace tilescope::sass
