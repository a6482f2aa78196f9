#include "launch_text.h"

#include <cctype>
#include <cstdio>
#include <cstring>
#include <optional>

namespace tilescope::capture {
namespace {

template <class Value>
Value read(std::string_view bytes, std::size_t at = 0) {
  Value value{};
  std::memcpy(&value, bytes.data() + at, sizeof value);
  return value;
}

std::string hexadecimal(std::uint64_t value) {
  char text[20];
  std::snprintf(text, sizeof text, "0x%llx", static_cast<unsigned long long>(value));
  return text;
}

std::string sizes(const Sizes& all) {
  char text[48];
  std::snprintf(text, sizeof text, "[%u, %u, %u]", all[0], all[1], all[2]);
  return text;
}

class Text {
 public:
  explicit Text(const LaunchFile& launch) : launch_(launch) {
    for (const auto& [address, buffer] : launch.buffers) {
      std::string name("m");
      name += std::to_string(names_.size() + 1);
      names_.emplace(address, std::move(name));
    }
  }

  std::string text() const {
    const Shape& shape = launch_.shape;
    std::string text = "kernel: {cubin: " + launch_.code + ", name: " + yaml_text(launch_.kernel) + "}\n";
    text += "grid: " + sizes(shape.grid) + "\nblock: " + sizes(shape.block) + "\n";
    if (shape.cluster[0] != 0) text += "cluster: " + sizes(shape.cluster) + "\n";
    text += "dynamic_smem: " + std::to_string(shape.dynamic_shared) + "\n";
    if (!shape.attributes.empty()) {
      std::string all;
      for (const auto& [name, value] : shape.attributes)
        all.append(all.empty() ? "" : ", ").append(name).append(": ").append(value);
      text += "attributes: {" + all + "}\n";
    }
    if (!launch_.buffers.empty()) text += "buffers:\n";
    for (const auto& [address, buffer] : launch_.buffers) text += buffer_line(buffer);
    text += launch_.parameters.empty() ? "args: []\n" : "args:\n";
    for (const Parameter& parameter : launch_.parameters) text += "  - " + argument(parameter) + "\n";
    if (!launch_.remark.empty()) text += "# " + launch_.remark + "\n";
    return text;
  }

 private:
  std::string buffer_line(const Buffer& buffer) const {
    std::string line = "  " + names_.at(buffer.place.address) + ": {size: " + std::to_string(buffer.place.bytes) +
                       ", address: " + hexadecimal(buffer.place.address);
    if (!buffer.contents.empty()) {
      line += ", contents: [";
      for (const Content& content : buffer.contents)
        line += (&content == buffer.contents.data() ? "" : ", ") + std::string("{at: ") + std::to_string(content.at) +
                ", file: " + content.file + "}";
      line += "]";
    }
    line += "}";
    if (!buffer.left_out.empty()) line += "  # " + buffer.left_out;
    return line + "\n";
  }

  // "{pointer: m1, offset: 64}" without its braces, when the value lies in a buffer.
  std::optional<std::string> pointer(std::uint64_t value, const char* word) const {
    auto after = launch_.buffers.upper_bound(value);
    if (after == launch_.buffers.begin()) return std::nullopt;
    const Allocation& place = (--after)->second.place;
    if (value - place.address >= place.bytes) return std::nullopt;
    return std::string(word) + ": " + names_.at(place.address) + ", offset: " + std::to_string(value - place.address);
  }

  std::string tensor_map(const TensorMap& map) const {
    const auto place = pointer(map.address, "buffer");
    return "{tensor_map: {" + (place ? *place : "address: " + hexadecimal(map.address)) + ", " + map.words + "}}";
  }

  std::string argument(const Parameter& parameter) const {
    const std::string_view bytes = std::string_view(launch_.arguments).substr(parameter.offset, parameter.bytes);
    if (bytes.size() == 1) return "{u8: " + std::to_string(read<std::uint8_t>(bytes)) + "}";
    if (bytes.size() == 2) return "{u16: " + std::to_string(read<std::uint16_t>(bytes)) + "}";
    if (bytes.size() == 4) return std::to_string(read<std::int32_t>(bytes));
    if (bytes.size() == 8) {
      const auto value = read<std::uint64_t>(bytes);
      if (const auto place = pointer(value, "pointer")) return "{" + *place + "}";
      return "{u64: " + hexadecimal(value) + "}";
    }
    if (const auto map = launch_.tensor_maps.find(parameter.offset);
        bytes.size() == kTensorMapBytes && map != launch_.tensor_maps.end())
      return tensor_map(map->second);
    std::string hex, pointers, maps;
    for (const char byte : bytes)
      for (const int shift : {4, 0}) hex += "0123456789abcdef"[(static_cast<unsigned char>(byte) >> shift) & 15];
    for (std::size_t at = 0; at + 8 <= bytes.size(); at += 8) {
      if (const auto map = launch_.tensor_maps.find(parameter.offset + at); map != launch_.tensor_maps.end()) {
        maps += "  # at " + std::to_string(at) + " " + tensor_map(map->second);
        at += kTensorMapBytes - 8;
        continue;
      }
      if (const auto place = pointer(read<std::uint64_t>(bytes, at), "pointer"))
        pointers += (pointers.empty() ? "" : ", ") + std::to_string(at) + ": {" + *place + "}";
    }
    return "{bytes: \"" + hex + "\"" + (pointers.empty() ? "" : ", pointers: {" + pointers + "}") + "}" + maps;
  }

  const LaunchFile& launch_;
  std::map<std::uint64_t, std::string> names_;
};

}  // namespace

std::string yaml_text(const std::string& text) {
  bool plain = !text.empty() && (std::isalpha(static_cast<unsigned char>(text[0])) != 0 || text[0] == '_');
  for (const char letter : text)
    plain = plain && (std::isalnum(static_cast<unsigned char>(letter)) != 0 || std::strchr("_$./-", letter) != nullptr);
  for (const char* word : {"y", "n", "yes", "no", "on", "off", "true", "false", "null"})
    plain = plain && strcasecmp(text.c_str(), word) != 0;
  if (plain) return text;
  std::string quoted = "\"";
  for (const char letter : text) {
    char code[8];
    if (static_cast<unsigned char>(letter) < 0x20) {
      std::snprintf(code, sizeof code, "\\x%02x", static_cast<unsigned char>(letter));
      quoted += code;
      continue;
    }
    if (letter == '"' || letter == '\\') quoted += '\\';
    quoted += letter;
  }
  return quoted + "\"";
}

std::string file_of_launch(int id) {
  char text[40];
  std::snprintf(text, sizeof text, "launches/%04d.yaml", id);
  return text;
}

std::string launch_text(const LaunchFile& launch) { return Text(launch).text(); }

std::string launches_line(int id, const std::string& kernel, const Shape& shape) {
  return "- {id: " + std::to_string(id) + ", file: " + file_of_launch(id) + ", kernel: " + yaml_text(kernel) +
         ", grid: " + sizes(shape.grid) + ", block: " + sizes(shape.block) + "}\n";
}

std::vector<PossibleAddress> possible_addresses(const std::vector<Parameter>& parameters, std::string_view arguments) {
  std::vector<PossibleAddress> all;
  for (const Parameter& parameter : parameters)
    for (std::size_t at = 0; at + 8 <= parameter.bytes; at += 8) {
      const auto value = read<std::uint64_t>(arguments, parameter.offset + at);
      if (value >= 4096 && value < (1ULL << 57)) all.push_back({value, parameter.offset + at});
    }
  return all;
}

}  // namespace tilescope::capture
