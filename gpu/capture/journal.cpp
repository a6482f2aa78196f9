#include "journal.h"

#include <cstring>

namespace tilescope::capture {
namespace {

constexpr std::uint32_t kMagic = 0x314c5354;  // "TSL1"

class Writer {
 public:
  template <class Number>
  void number(Number value) {
    text_.append(reinterpret_cast<const char*>(&value), sizeof value);
  }
  void string(const std::string& text) {
    number(static_cast<std::uint32_t>(text.size()));
    text_ += text;
  }
  std::string& text() { return text_; }

 private:
  std::string text_;
};

class Reader {
 public:
  explicit Reader(std::string_view text) : text_(text) {}

  template <class Number>
  void number(Number& value) {
    value = Number{};
    if (text_.size() < sizeof value) return fail();
    std::memcpy(&value, text_.data(), sizeof value);
    text_.remove_prefix(sizeof value);
  }
  void string(std::string& text) {
    std::uint32_t size = 0;
    number(size);
    if (text_.size() < size) return fail();
    text = text_.substr(0, size);
    text_.remove_prefix(size);
  }
  // A count of things that take at least a byte each.
  std::size_t count() {
    std::uint32_t value = 0;
    number(value);
    if (value > text_.size()) fail();
    return failed_ ? 0 : value;
  }
  bool failed() const { return failed_; }

 private:
  void fail() {
    failed_ = true;
    text_ = {};
  }

  std::string_view text_;
  bool failed_ = false;
};

std::uint64_t checksum(std::string_view payload) { return hash_bytes(payload.data(), payload.size(), kMagic).low; }

LaunchFile read_record(std::string_view payload, bool& failed) {
  Reader reader(payload);
  LaunchFile launch;
  reader.string(launch.code);
  reader.string(launch.kernel);
  reader.number(launch.shape.grid);
  reader.number(launch.shape.block);
  reader.number(launch.shape.cluster);
  reader.number(launch.shape.dynamic_shared);
  for (std::size_t left = reader.count(); left > 0; --left) {
    std::string name;
    reader.string(name);
    reader.string(launch.shape.attributes[name]);
  }
  launch.parameters.resize(reader.count());
  for (Parameter& parameter : launch.parameters) reader.number(parameter);
  reader.string(launch.arguments);
  for (const Parameter& parameter : launch.parameters)
    failed = failed || parameter.offset > launch.arguments.size() ||
             launch.arguments.size() - parameter.offset < parameter.bytes;
  for (std::size_t left = reader.count(); left > 0; --left) {
    Buffer buffer;
    reader.number(buffer.place);
    buffer.contents.resize(reader.count());
    for (Content& content : buffer.contents) {
      reader.number(content.at);
      reader.string(content.file);
    }
    reader.string(buffer.left_out);
    launch.buffers.emplace(buffer.place.address, std::move(buffer));
  }
  for (std::size_t left = reader.count(); left > 0; --left) {
    std::uint64_t at = 0;
    reader.number(at);
    TensorMap& map = launch.tensor_maps[at];
    reader.number(map.address);
    reader.string(map.words);
  }
  reader.string(launch.remark);
  failed = failed || reader.failed();
  return launch;
}

}  // namespace

std::string journal_record(const LaunchFile& launch) {
  Writer writer;
  writer.text().reserve(512 + launch.arguments.size() + 40 * launch.buffers.size() + 8 * launch.parameters.size());
  writer.number(kMagic);
  writer.number(std::uint32_t{0});  // the size of what follows
  writer.string(launch.code);
  writer.string(launch.kernel);
  writer.number(launch.shape.grid);
  writer.number(launch.shape.block);
  writer.number(launch.shape.cluster);
  writer.number(launch.shape.dynamic_shared);
  writer.number(static_cast<std::uint32_t>(launch.shape.attributes.size()));
  for (const auto& [name, value] : launch.shape.attributes) {
    writer.string(name);
    writer.string(value);
  }
  writer.number(static_cast<std::uint32_t>(launch.parameters.size()));
  for (const Parameter& parameter : launch.parameters) writer.number(parameter);
  writer.string(launch.arguments);
  writer.number(static_cast<std::uint32_t>(launch.buffers.size()));
  for (const auto& [address, buffer] : launch.buffers) {
    writer.number(buffer.place);
    writer.number(static_cast<std::uint32_t>(buffer.contents.size()));
    for (const Content& content : buffer.contents) {
      writer.number(content.at);
      writer.string(content.file);
    }
    writer.string(buffer.left_out);
  }
  writer.number(static_cast<std::uint32_t>(launch.tensor_maps.size()));
  for (const auto& [at, map] : launch.tensor_maps) {
    writer.number(at);
    writer.number(map.address);
    writer.string(map.words);
  }
  writer.string(launch.remark);
  const auto size = static_cast<std::uint32_t>(writer.text().size() - 8);
  std::memcpy(writer.text().data() + 4, &size, sizeof size);
  writer.number(checksum(std::string_view(writer.text()).substr(8)));
  return std::move(writer.text());
}

std::vector<LaunchFile> read_journal(std::string_view journal) {
  std::vector<LaunchFile> launches;
  while (journal.size() > 16) {
    std::uint32_t magic = 0, size = 0;
    std::uint64_t sum = 0;
    std::memcpy(&magic, journal.data(), 4);
    std::memcpy(&size, journal.data() + 4, 4);
    if (magic != kMagic || journal.size() - 16 < size) break;
    const std::string_view payload = journal.substr(8, size);
    std::memcpy(&sum, payload.data() + size, 8);
    if (sum != checksum(payload)) break;
    bool failed = false;
    launches.push_back(read_record(payload, failed));
    if (failed) {
      launches.pop_back();
      break;
    }
    journal.remove_prefix(16 + size);
  }
  return launches;
}

}  // namespace tilescope::capture
