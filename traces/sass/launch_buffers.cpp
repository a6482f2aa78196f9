#include "traces/sass/launch_buffers.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "models/support/bit_mixer.h"
#include "models/support/compressed_file.h"
#include "models/support/suggest.h"
#include "models/support/yaml_text.h"
#include "traces/sass/address_windows.h"
#include "traces/sass/launch_numbers.h"

namespace tilescope::sass {
namespace {

constexpr std::uint64_t kPage = 1024;                            // contents of a buffer begin at multiples of it
constexpr std::uint64_t kMostAddress = std::uint64_t{1} << 57U;  // one past the last that a GPU can have

std::optional<std::uint64_t> size_of(const YAML::Node& node) {
  return node.IsScalar() ? size_in(node.Scalar()) : std::nullopt;
}

bool meets(std::uint64_t first, std::uint64_t end, std::uint64_t window) {
  return first < window + kWindowBytes && window < end;
}

}  // namespace

void LaunchBuffers::read_section(const YAML::Node& section, const Place& place) {
  if (!section.IsMap()) return error(place, fmt::format("buffers: got {}; must be a map of names", seen(section)));
  YamlSection named(section, "buffers.", place, errors_);
  std::vector<std::pair<std::optional<std::uint64_t>, std::uint64_t>> where;  // address and size
  std::vector<Place> places;
  for (const auto& entry : named.entries()) {
    where.emplace_back(std::nullopt, 0);
    const Place at = place_of(entry.value, entry.key_place);
    about_ = "buffers." + entry.key + ": ";
    if (!entry.value.IsMap()) {
      error(at, fmt::format("got {}; must be {{size: SIZE, address: ADDRESS, ...}}", seen(entry.value)));
      continue;
    }
    Diagnostics said_later;
    YamlSection keys(entry.value, "buffers." + entry.key + ".", at, said_later);
    const auto* size = keys.take("size");
    const auto bytes = size != nullptr ? size_of(size->value) : std::nullopt;
    if (size == nullptr)
      error(at, "size: is missing");
    else if (!bytes)
      error(place_of(size->value, size->key_place),
            fmt::format("size: got {}; must be a size such as 4096, 64KiB or 4MiB", seen(size->value)));
    if (!bytes) continue;
    if (!count_addresses(*bytes, at)) return;
    where.back().second = *bytes;
    const auto* address = keys.take("address");
    if (address != nullptr) where.back().first = address_in(*address, *bytes);
    if (!where.back().first) continue;
    fixed_.emplace_back(*where.back().first, *where.back().first + *bytes);
    places.push_back(entry.key_place);
  }
  about_.clear();
  refuse_overlaps(places);
  for (std::size_t i = 0; i < where.size(); ++i) read_named(named.entries()[i], where[i].first, where[i].second);
}

std::optional<std::uint64_t> LaunchBuffers::address_in(const YamlSection::Entry& address, std::uint64_t size) {
  const Place at = place_of(address.value, address.key_place);
  const std::string text = address.value.IsScalar() ? address.value.Scalar() : "";
  const auto number = text.starts_with('-') ? std::nullopt : whole_in(text);
  const auto first = static_cast<std::uint64_t>(number.value_or(0));
  if (first == 0 || first >= kMostAddress || size > kMostAddress - first) {
    error(at, fmt::format("address: got {}; must be a device address such as 0x7f12a0000000, the buffer below 2^57",
                          seen(address.value)));
    return std::nullopt;
  }
  for (const std::uint64_t window : {kSharedWindow, kLocalWindow})
    if (meets(first, first + size, window)) {
      error(at, fmt::format("address: got {}; must not meet the {} byte from 0x{:x}, where generic addresses of {} "
                            "memory lie",
                            in_quotes(text), kWindowBytes, window, window == kSharedWindow ? "shared" : "local"));
      return std::nullopt;
    }
  return first;
}

// And leaves `fixed_` in order.
void LaunchBuffers::refuse_overlaps(const std::vector<Place>& places) {
  std::vector<std::size_t> order(fixed_.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::sort(order.begin(), order.end(), [this](std::size_t a, std::size_t b) { return fixed_[a] < fixed_[b]; });
  for (std::size_t i = 1; i < order.size(); ++i)
    if (fixed_[order[i]].first < fixed_[order[i - 1]].second)
      error(places[order[i]],
            fmt::format("buffers: the one at 0x{:x} lies over the one at 0x{:x} (line {}); give it once, and "
                        "pointers into it as {{pointer: NAME, offset: N}}",
                        fixed_[order[i]].first, fixed_[order[i - 1]].first, places[order[i - 1]].line));
  std::sort(fixed_.begin(), fixed_.end());
}

void LaunchBuffers::read_named(const YamlSection::Entry& entry, std::optional<std::uint64_t> address,
                               std::uint64_t size) {
  if (!entry.value.IsMap()) return;
  about_ = "buffers." + entry.key + ": ";
  if (size == 0) {  // an error has been reported
    by_name_.emplace(entry.key, facts_.size());
    facts_.push_back({entry.key, 0, kMostBufferAddresses, 0, false});
    return;
  }
  YamlSection keys(entry.value, "buffers." + entry.key + ".", place_of(entry.value, entry.key_place), errors_);
  keys.take("size");
  keys.take("address");
  DeviceBuffer buffer;
  buffer.size = size;
  buffer.base = address ? *address : free_address(size);
  BufferFacts facts{entry.key, buffer.base, buffer.size, 0, false};
  const auto* contents = keys.take("contents");
  const bool otherwise = keys.find("init") != nullptr || keys.find("file") != nullptr;
  if (contents != nullptr && otherwise) error(contents->key_place, "a buffer has either contents, or init or file");
  fill_as_said(keys, buffer, facts);
  for (const auto& other : keys.entries())
    if (!other.known)
      error(other.key_place,
            other.key + ": unknown key" +
                did_you_mean(other.key, {"size", "address", "contents", "init", "file", "below", "stride"}));
  if (contents == nullptr || otherwise) return keep(std::move(buffer), std::move(facts), entry.key_place);
  facts.contents = true;
  load_parts(*contents, buffer, facts);
  by_name_.emplace(facts.name, facts_.size());
  facts_.push_back(std::move(facts));
}

std::optional<std::uint64_t> LaunchBuffers::add(const YamlSection::Entry& size, YamlSection& section) {
  const Place at = place_of(size.value, size.key_place);
  about_ = "args: ";
  const auto bytes = size_of(size.value);
  if (!bytes) error(at, fmt::format("buffer: got {}; must be a size such as 4096, 64KiB or 4MiB", seen(size.value)));
  DeviceBuffer made;
  made.size = bytes.value_or(1);
  made.base = free_address(made.size);
  if (!count_addresses(made.size, at)) return std::nullopt;
  BufferFacts facts{"", made.base, made.size, 0, false};
  const auto* name = section.take("name");
  if (name != nullptr && (!name->value.IsScalar() || name->value.Scalar().empty()))
    error(name->key_place, fmt::format("name: got {}; must be a plain word", seen(name->value)));
  else if (name != nullptr)
    facts.name = name->value.Scalar();
  fill_as_said(section, made, facts);
  for (const auto& entry : section.entries())
    if (!entry.known)
      error(entry.key_place, fmt::format("{}: unknown key{}", entry.key,
                                         did_you_mean(entry.key, {"name", "init", "file", "below", "stride"})));
  const std::uint64_t base = made.base;
  keep(std::move(made), std::move(facts), name != nullptr ? name->key_place : at);
  return base;
}

void LaunchBuffers::keep(DeviceBuffer buffer, BufferFacts facts, const Place& name_place) {
  if (!facts.name.empty() && !by_name_.emplace(facts.name, facts_.size()).second)
    error(name_place, fmt::format("name: got {}; another buffer has that name", in_quotes(facts.name)));
  buffer.recorded = facts.contents;
  facts_.push_back(std::move(facts));
  memory_.buffers.push_back(std::move(buffer));
}

const BufferFacts* LaunchBuffers::find(const std::string& name) const {
  const auto found = by_name_.find(name);
  return found == by_name_.end() ? nullptr : &facts_[found->second];
}

std::vector<std::string> LaunchBuffers::names() const {
  std::vector<std::string> names;
  names.reserve(by_name_.size());
  for (const auto& [name, index] : by_name_) names.push_back(name);
  return names;
}

void LaunchBuffers::finish() {
  std::sort(memory_.buffers.begin(), memory_.buffers.end(),
            [](const DeviceBuffer& a, const DeviceBuffer& b) { return a.base < b.base; });
}

std::uint64_t LaunchBuffers::free_address(std::uint64_t size) {
  while (true) {
    const std::uint64_t base = addresses_.allocate(static_cast<std::int64_t>(size));
    const auto after = std::upper_bound(fixed_.begin(), fixed_.end(), std::pair{base + size, std::uint64_t{0}});
    if (after == fixed_.begin() || std::prev(after)->second <= base) return base;
  }
}

bool LaunchBuffers::count_addresses(std::uint64_t size, const Place& place) {
  addressed_ += size;
  if (addressed_ <= kMostBufferAddresses) return true;
  error(place, fmt::format("buffer: the buffers of a launch hold more than {} byte", kMostBufferAddresses));
  return false;
}

void LaunchBuffers::fill_as_said(YamlSection& section, DeviceBuffer& buffer, BufferFacts& facts) {
  const auto* init = section.take("init");
  const auto* file = section.take("file");
  const auto* below = section.take("below");
  const auto* stride = section.take("stride");
  if (init != nullptr && file != nullptr) error(init->key_place, "a buffer has either init or file");
  if (file != nullptr) load(*file, buffer, facts);
  const std::string what = init != nullptr && init->value.IsScalar() ? init->value.Scalar() : "";
  if (what == "chain")
    chain(stride, place_of(init->value, init->key_place), buffer);
  else if (init != nullptr)
    fill(*init, below, buffer);
  if (stride != nullptr && what != "chain") error(stride->key_place, "stride: goes with init: chain");
  if (below != nullptr && what != "random") error(below->key_place, "below: goes with init: random");
  facts.contents = init != nullptr || file != nullptr;
  if (init != nullptr) facts.filled = what == "zero" ? 0 : buffer.size;
}

std::optional<LaunchBuffers::Part> LaunchBuffers::read_file(const YamlSection::Entry& file, std::uint64_t most) {
  Part part;
  part.place = place_of(file.value, file.key_place);
  const auto refuse = [&](const std::string& why) {
    error(part.place, "file: " + why);
    return std::nullopt;
  };
  if (!file.value.IsScalar()) return refuse(fmt::format("got {}; must be a path", seen(file.value)));
  const auto path = files_.path_of(file.value.Scalar());
  if (!path) return refuse(path.error());
  most = std::min(most, limits_.buffer_bytes - std::min(filled_, limits_.buffer_bytes));
  if (sizes_ != nullptr) {
    const auto size = sizes_->size_of(*path, most);
    if (!size) return refuse(in_quotes(*path) + ": " + size.error().message);
    part.size = *size;
  } else {
    auto bytes = read_compressed_file(*path, most);
    if (!bytes) return refuse(in_quotes(*path) + ": " + bytes.error().message);
    part.bytes = *std::move(bytes);
    part.size = part.bytes.size();
  }
  filled_ += part.size;
  return part;
}

void LaunchBuffers::load(const YamlSection::Entry& file, DeviceBuffer& buffer, BufferFacts& facts) {
  const auto part = read_file(file, buffer.size);
  if (!part) return;
  facts.filled = part->size;
  buffer.bytes.assign(part->bytes.begin(), part->bytes.end());
}

// contents: [{at: 0, file: a.zst}, ...]
void LaunchBuffers::load_parts(const YamlSection::Entry& contents, const DeviceBuffer& buffer, BufferFacts& facts) {
  std::vector<Part> parts;
  if (!contents.value.IsSequence())
    error(place_of(contents.value, contents.key_place),
          fmt::format("contents: got {}; must be a list of {{at: OFFSET, file: FILE}}", seen(contents.value)));
  else
    for (const YAML::Node& node : contents.value) {
      const Place at = place_of(node, contents.key_place);
      YamlSection keys(node.IsMap() ? node : YAML::Node(YAML::NodeType::Map), "contents.", at, errors_);
      const auto* offset = keys.take("at");
      const auto* file = keys.take("file");
      const auto from =
          offset != nullptr && offset->value.IsScalar() ? offset_in(offset->value.Scalar()) : std::nullopt;
      if (file == nullptr || !from || *from >= buffer.size || keys.entries().size() != 2) {
        error(at, fmt::format("contents: got {}; must be {{at: OFFSET, file: FILE}}, the offset within the buffer",
                              node.IsMap() && offset != nullptr ? "at " + seen(offset->value) : seen(node)));
        continue;
      }
      auto part = read_file(*file, buffer.size - *from);
      if (!part) continue;
      part->at = *from;
      facts.filled += part->size;
      parts.push_back(*std::move(part));
    }
  std::sort(parts.begin(), parts.end(), [](const Part& a, const Part& b) { return a.at < b.at; });
  for (std::size_t i = 1; i < parts.size(); ++i)
    if (parts[i].at < parts[i - 1].at + parts[i - 1].size)
      error(parts[i].place, fmt::format("contents: this part begins at {}, before the one before it ends ({})",
                                        parts[i].at, parts[i - 1].at + parts[i - 1].size));
  keep_parts(buffer, parts);
}

// A large allocation may hold a little here and there: the memory keeps a buffer from each part to the next. Parts that
// share a page share a buffer.
void LaunchBuffers::keep_parts(const DeviceBuffer& whole, const std::vector<Part>& parts) {
  DeviceBuffer piece;
  piece.base = whole.base;
  const auto end_at = [&](std::uint64_t end) {
    piece.size = end - piece.base;
    if (piece.size > 0) memory_.buffers.push_back(std::move(piece));
    piece = {};
    piece.base = end;
  };
  for (const Part& part : parts) {
    if (part.bytes.empty()) continue;
    const std::uint64_t first = whole.base + part.at, page = first / kPage * kPage;
    if (page > piece.base + piece.bytes.size()) end_at(page);
    piece.bytes.resize(std::max<std::uint64_t>(piece.bytes.size(), first - piece.base + part.bytes.size()));
    std::memcpy(piece.bytes.data() + (first - piece.base), part.bytes.data(), part.bytes.size());
  }
  end_at(whole.base + whole.size);
}

// Memory for a buffer's contents. False and an error when there is no more.
bool LaunchBuffers::set_aside(std::uint64_t bytes, const Place& place) {
  if (bytes <= limits_.buffer_bytes - std::min(filled_, limits_.buffer_bytes)) {
    filled_ += bytes;
    return sizes_ == nullptr;
  }
  error(place,
        "buffer: the filled buffers of this launch hold too much; " + limit_met("buffer_bytes", limits_.buffer_bytes));
  return false;
}

// Every `stride` bytes a pointer to the next such place, the last one's to the first.
void LaunchBuffers::chain(const YamlSection::Entry* stride, const Place& place, DeviceBuffer& buffer) {
  constexpr std::uint64_t kPointer = 8;
  const auto step = stride != nullptr && stride->value.IsScalar() ? size_in(stride->value.Scalar())
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

void LaunchBuffers::fill(const YamlSection::Entry& init, const YamlSection::Entry* below, DeviceBuffer& buffer) {
  const Place at = place_of(init.value, init.key_place);
  const std::string what = init.value.IsScalar() ? init.value.Scalar() : "";
  if (what == "zero") return;
  if (what != "iota" && what != "random")
    return error(at, fmt::format("init: got {}; must be zero, iota, random or chain", seen(init.value)));
  std::uint64_t limit = 0;
  if (below != nullptr) {
    const auto value = below->value.IsScalar() ? whole_in(below->value.Scalar()) : std::nullopt;
    if (!value || *value < 1 || *value > std::int64_t{1} << 32U)
      return error(place_of(below->value, below->key_place), "below: must be a whole number from 1 to 4294967296");
    limit = static_cast<std::uint64_t>(*value);
  }
  if (!set_aside(buffer.size, at)) return;
  buffer.bytes.resize(buffer.size);
  const std::uint64_t seed = facts_.size() << 40U;
  for (std::uint64_t word = 0; word * 4 < buffer.size; ++word) {
    const std::uint64_t mixed = mix_bits(seed + word + 1) >> 32U;
    const auto value = static_cast<std::uint32_t>(what == "iota" ? word : limit != 0 ? mixed % limit : mixed);
    std::memcpy(buffer.bytes.data() + word * 4, &value, std::min<std::size_t>(4, buffer.size - word * 4));
  }
}

}  // namespace tilescope::sass
