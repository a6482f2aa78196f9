#include "traces/sass/kernel_facts.h"

#include <array>
#include <charconv>
#include <sstream>
#include <string_view>

namespace tilescope::sass {
namespace {

std::optional<std::uint32_t> hex_after(std::string_view line, std::string_view word) {
  const std::size_t at = line.find(word);
  if (at == std::string_view::npos) return std::nullopt;
  std::size_t from = line.find("0x", at + word.size());
  if (from == std::string_view::npos) return std::nullopt;
  from += 2;
  std::uint32_t value = 0;
  const auto [end, error] = std::from_chars(line.data() + from, line.data() + line.size(), value, 16);
  if (error != std::errc()) return std::nullopt;
  return value;
}

// "   4b  30e80    c10  0 80  NOBITS  43 0 34 .nv.shared.bulk": the size in the table of sections.
void read_section_row(const std::string& line, FactsByFunction& facts) {
  std::istringstream words(line);
  std::string index, offset, size, last;
  if (line.find("NOBITS") == std::string::npos || !(words >> index >> offset >> size)) return;
  for (std::string word; words >> word;) last = word;
  constexpr std::string_view shared = ".nv.shared.";
  if (!last.starts_with(shared) || last.starts_with(".nv.shared.reserved")) return;
  std::int64_t bytes = 0;
  const auto [end, error] = std::from_chars(size.data(), size.data() + size.size(), bytes, 16);
  if (error == std::errc() && end == size.data() + size.size()) facts[last.substr(shared.size())].static_shared = bytes;
}

// "function: NAME(0x4a) register count: 32"
void read_register_count(const std::string& line, FactsByFunction& facts) {
  constexpr std::string_view before = "function: ", between = "register count: ";
  const std::size_t from = line.find(before), count = line.find(between);
  if (from == std::string::npos || count == std::string::npos) return;
  const std::size_t name = from + before.size();
  const std::size_t paren = line.rfind('(', count);
  if (paren == std::string::npos || paren < name) return;
  std::int64_t registers = 0;
  std::from_chars(line.data() + count + between.size(), line.data() + line.size(), registers);
  facts[line.substr(name, paren - name)].registers = registers;
}

// ".nv.constant3" or ".nv.constant2.NAME": which bank, and whose. Bank 0 is filled by the launch.
std::optional<std::pair<int, std::string>> constant_section(const std::string& name) {
  constexpr std::string_view before = ".nv.constant";
  if (!name.starts_with(before) || name.size() <= before.size()) return std::nullopt;
  const int bank = name[before.size()] - '0';
  const std::string rest = name.substr(before.size() + 1);
  if (bank < 1 || bank > 9 || (!rest.empty() && rest[0] != '.')) return std::nullopt;
  return std::pair{bank, rest.empty() ? rest : rest.substr(1)};
}

}  // namespace

KernelFacts facts_of(const FactsByFunction& all, const std::string& function) {
  KernelFacts facts;
  if (const auto own = all.find(function); own != all.end()) facts = own->second;
  if (const auto common = all.find(""); common != all.end())
    for (const auto& [bank, bytes] : common->second.constants) facts.constants.try_emplace(bank, bytes);
  return facts;
}

FactsByFunction facts_from_elf_text(const std::string& text) {
  FactsByFunction facts;
  std::istringstream lines(text);
  std::string section, attribute;
  std::vector<std::uint8_t>* constants = nullptr;
  for (std::string line; std::getline(lines, line);) {
    if (!line.empty() && line.back() == '\r') line.pop_back();
    if (line.starts_with(".section ")) {
      std::istringstream words(line);
      words >> section >> section;
      constants = nullptr;
    } else if (line.starts_with(".")) {
      section = line.substr(0, line.find_first_of(" \t"));
      const auto constant = constant_section(section);
      constants = constant ? &facts[constant->second].constants[constant->first] : nullptr;
    } else if (constants != nullptr && line.starts_with("0x")) {
      std::istringstream words(line);
      for (std::string word; words >> word;) {
        const auto value = hex_after(word, "");
        for (unsigned byte = 0; value && byte < 4; ++byte)
          constants->push_back(static_cast<std::uint8_t>(*value >> (8 * byte)));
      }
    } else if (line.find("Attribute:") != std::string::npos) {
      attribute = line.substr(line.find("EIATTR_") == std::string::npos ? 0 : line.find("EIATTR_"));
    } else if (line.find("Value:") != std::string::npos) {
      constexpr std::string_view info = ".nv.info.";
      if (attribute == "EIATTR_REGCOUNT") read_register_count(line, facts);
      if (!section.starts_with(info)) continue;
      KernelFacts& own = facts[section.substr(info.size())];
      if (attribute == "EIATTR_KPARAM_INFO") {
        const auto ordinal = hex_after(line, "Ordinal"), offset = hex_after(line, "Offset"),
                   size = hex_after(line, "Size");
        if (ordinal && offset && size) own.parameters[*ordinal] = {*offset, *size};
      } else if (attribute == "EIATTR_PARAM_CBANK") {
        const std::size_t second = line.rfind("0x");
        if (const auto both = hex_after(line.substr(second), "")) own.parameter_base = *both & 0xffffU;
      }
    } else {
      read_section_row(line, facts);
    }
  }
  return facts;
}

}  // namespace tilescope::sass
