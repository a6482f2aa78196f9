#include "cubin.h"

#include <algorithm>
#include <cstring>

namespace tilescope::capture {
namespace {

template <class Value>
Value read(std::string_view bytes, std::size_t at) {
  Value value{};
  if (at <= bytes.size() && bytes.size() - at >= sizeof value) std::memcpy(&value, bytes.data() + at, sizeof value);
  return value;
}

}  // namespace

bool Cubin::is_elf(const void* bytes, std::size_t count) {
  const auto* text = static_cast<const char*>(bytes);
  return count >= sizeof(Elf64_Ehdr) && std::memcmp(text, ELFMAG, SELFMAG) == 0 && text[EI_CLASS] == ELFCLASS64;
}

std::size_t Cubin::image_bytes(const void* image) {
  // A caller who knows no size vouches for the header; the rest lies where the header says.
  const auto* text = static_cast<const char*>(image);
  if (text == nullptr || std::memcmp(text, ELFMAG, SELFMAG) != 0 || text[EI_CLASS] != ELFCLASS64) return 0;
  Elf64_Ehdr header;
  std::memcpy(&header, image, sizeof header);
  std::size_t end =
      std::max<std::size_t>(sizeof header, header.e_phoff + std::size_t{header.e_phnum} * sizeof(Elf64_Phdr));
  if (header.e_shentsize != sizeof(Elf64_Shdr)) return 0;
  end = std::max<std::size_t>(end, header.e_shoff + std::size_t{header.e_shnum} * sizeof(Elf64_Shdr));
  for (std::size_t i = 0; i < header.e_shnum; ++i) {
    Elf64_Shdr section;
    std::memcpy(&section, text + header.e_shoff + i * sizeof section, sizeof section);
    if (section.sh_type != SHT_NOBITS && section.sh_type != SHT_NULL)
      end = std::max<std::size_t>(end, section.sh_offset + section.sh_size);
  }
  return end;
}

Cubin::Cubin(std::vector<std::uint8_t> bytes) : bytes_(std::move(bytes)) {
  hash_ = hash_bytes(bytes_.data(), bytes_.size());
  const std::string_view all(reinterpret_cast<const char*>(bytes_.data()), bytes_.size());
  const auto header = read<Elf64_Ehdr>(all, 0);
  for (std::size_t i = 0; i < header.e_shnum; ++i) {
    if (header.e_shoff > all.size() || all.size() - header.e_shoff < (i + 1) * sizeof(Elf64_Shdr)) break;
    sections_.push_back(read<Elf64_Shdr>(all, header.e_shoff + i * sizeof(Elf64_Shdr)));
  }
  for (std::size_t i = 0; i < sections_.size(); ++i) {
    section_numbers_.emplace(name(sections_[i]), i);
    if (sections_[i].sh_type == SHT_SYMTAB) symbol_table_ = i;
  }
  if (symbol_table_ == 0) return;
  const std::string_view table = contents(sections_[symbol_table_]);
  symbols_.resize(table.size() / sizeof(Elf64_Sym));
  if (!symbols_.empty()) std::memcpy(symbols_.data(), table.data(), symbols_.size() * sizeof(Elf64_Sym));
  for (std::size_t i = 0; i < symbols_.size(); ++i) {
    const Elf64_Sym& symbol = symbols_[i];
    if (ELF64_ST_TYPE(symbol.st_info) == STT_FUNC && symbol.st_shndx != SHN_UNDEF && symbol.st_shndx < sections_.size())
      functions_.emplace(name(symbol), static_cast<std::uint32_t>(i));
  }
}

std::string_view Cubin::contents(const Elf64_Shdr& section) const {
  if (section.sh_type == SHT_NOBITS || section.sh_type == SHT_NULL) return {};
  if (section.sh_offset > bytes_.size() || bytes_.size() - section.sh_offset < section.sh_size) return {};
  return {reinterpret_cast<const char*>(bytes_.data()) + section.sh_offset, section.sh_size};
}

namespace {

std::string_view text_at(std::string_view table, std::size_t at) {
  if (at >= table.size()) return {};
  return table.substr(at, std::min(table.find('\0', at), table.size()) - at);
}

}  // namespace

std::string_view Cubin::name(const Elf64_Shdr& section) const {
  const auto header = read<Elf64_Ehdr>({reinterpret_cast<const char*>(bytes_.data()), bytes_.size()}, 0);
  if (header.e_shstrndx >= sections_.size()) return {};
  return text_at(contents(sections_[header.e_shstrndx]), section.sh_name);
}

std::string_view Cubin::name(const Elf64_Sym& symbol) const {
  const std::size_t strings = sections_[symbol_table_].sh_link;
  if (strings >= sections_.size()) return {};
  return text_at(contents(sections_[strings]), symbol.st_name);
}

std::optional<std::uint32_t> Cubin::function(const std::string& name) const {
  const auto found = functions_.find(name);
  if (found == functions_.end()) return std::nullopt;
  return found->second;
}

std::size_t Cubin::section(std::string_view name) const {
  const auto found = section_numbers_.find(name);
  return found == section_numbers_.end() ? 0 : found->second;
}

std::vector<InfoEntry> info_entries(std::string_view section) {
  std::vector<InfoEntry> entries;
  for (std::size_t at = 0; at + 4 <= section.size();) {
    InfoEntry entry;
    entry.format = static_cast<std::uint8_t>(section[at]);
    entry.attribute = static_cast<std::uint8_t>(section[at + 1]);
    entry.value = read<std::uint16_t>(section, at + 2);
    const std::size_t more = entry.format == kSized ? entry.value : 0;
    if (section.size() - at - 4 < more) break;
    entry.payload = section.substr(at + 4, more);
    entry.whole = section.substr(at, 4 + more);
    entries.push_back(entry);
    at += 4 + more;
  }
  return entries;
}

KernelLayout Cubin::layout(const std::string& function) const {
  KernelLayout layout;
  const std::size_t number = section(".nv.info." + function);
  if (number == 0) {
    layout.unreadable = "its cubin says nothing of its parameters";
    return layout;
  }
  std::uint32_t declared = 0;
  std::vector<std::optional<Parameter>> places;
  for (const InfoEntry& entry : info_entries(contents(sections_[number]))) {
    if (entry.attribute == kCbankParamSize) declared = entry.value;
    if (entry.attribute == kParamCbank && entry.payload.size() >= 8) declared = read<std::uint16_t>(entry.payload, 6);
    if (entry.attribute == kCtaPerCluster && entry.payload.size() >= 12)
      for (std::size_t axis = 0; axis < 3; ++axis) layout.cluster[axis] = read<std::uint32_t>(entry.payload, 4 * axis);
    if (entry.attribute != kKparamInfo || entry.payload.size() < 12) continue;
    // Index, position, offset, then bits of which those from 18 on hold the size.
    const auto position = read<std::uint16_t>(entry.payload, 4);
    if (position >= places.size()) places.resize(position + 1U);
    places[position] = Parameter{read<std::uint16_t>(entry.payload, 6), read<std::uint32_t>(entry.payload, 8) >> 18U};
  }
  for (const auto& place : places) {
    if (!place) {
      layout.unreadable = "its cubin leaves out one of its parameters";
      return layout;
    }
    layout.parameters.push_back(*place);
    layout.parameter_bytes = std::max(layout.parameter_bytes, place->offset + place->bytes);
  }
  if (places.empty() && declared > 0)
    layout.unreadable = "its cubin does not say where its " + std::to_string(declared) + " byte of parameters lie";
  return layout;
}

}  // namespace tilescope::capture
