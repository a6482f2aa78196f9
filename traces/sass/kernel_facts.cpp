#include "traces/sass/kernel_facts.h"

#include <fmt/format.h>

#include <charconv>
#include <string_view>

#include "traces/sass/limits.h"
#include "traces/sass/words.h"

namespace tilescope::sass {
namespace {

// A number in hexadecimal behind "0x", the first after `word`.
std::optional<std::uint64_t> hex_after(std::string_view line, std::string_view word) {
  const std::size_t at = line.find(word);
  if (at == std::string_view::npos) return std::nullopt;
  const std::size_t from = line.find("0x", at + word.size());
  if (from == std::string_view::npos) return std::nullopt;
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(line.data() + from + 2, line.data() + line.size(), value, 16);
  if (error != std::errc()) return std::nullopt;
  return value;
}

// ".nv.constant3" or ".nv.constant2.NAME": which bank, and whose. Bank 0 is filled by the launch.
std::optional<std::pair<int, std::string>> constant_section(std::string_view name) {
  constexpr std::string_view before = ".nv.constant";
  if (!name.starts_with(before) || name.size() <= before.size()) return std::nullopt;
  const int bank = name[before.size()] - '0';
  const std::string_view rest = name.substr(before.size() + 1);
  if (bank < 1 || bank > 9 || (!rest.empty() && rest[0] != '.')) return std::nullopt;
  return std::pair{bank, std::string(rest.empty() ? rest : rest.substr(1))};
}

class ElfFactsReader {
 public:
  ElfFactsReader(std::string_view text, const std::string& file) : text_(text), file_(file) {}

  tl::expected<FactsByFunction, Diagnostics> read() {
    for (std::size_t at = 0; at < text_.size() && errors_.size() < kMostErrors;) {
      line_ = take_line(text_, at);
      ++number_;
      read_line();
    }
    if (!errors_.empty()) return tl::unexpected(errors_);
    return std::move(facts_);
  }

 private:
  void error(std::string_view at, std::string message) {
    errors_.push_back({file_, number_, static_cast<int>(at.data() - line_.data()) + 1, std::move(message)});
  }
  // Nothing when `why` is empty.
  bool refuse(const std::string& why) {
    if (!why.empty()) error(line_.substr(std::min(line_.find_first_not_of(" \t"), line_.size())), why);
    return !why.empty();
  }

  void read_line() {
    if (line_.starts_with(".section ")) {
      section_ = word_of(line_, 1);
      constants_ = nullptr;
    } else if (line_.starts_with(".")) {
      section_ = word_of(line_, 0);
      const auto constant = constant_section(section_);
      constants_ = constant ? &facts_[constant->second].constants[constant->first] : nullptr;
    } else if (constants_ != nullptr && line_.starts_with("0x")) {
      read_constants();
    } else if (line_.find("Attribute:") != std::string_view::npos) {
      const std::size_t name = line_.find("EIATTR_");
      attribute_ = line_.substr(name == std::string_view::npos ? 0 : name);
    } else if (line_.find("Value:") != std::string_view::npos) {
      read_value();
    } else {
      read_section_row();
    }
  }

  void read_constants() {
    for_each_word(line_, [this](std::string_view word) {
      const auto value = hex_after(word, "");
      if (!value || constants_ == nullptr) return;
      for (unsigned byte = 0; byte < 4; ++byte) constants_->push_back(static_cast<std::uint8_t>(*value >> (8 * byte)));
      if (refuse(refuse_constant_bytes(constants_->size()))) constants_ = nullptr;
    });
  }

  void read_value() {
    constexpr std::string_view info = ".nv.info.";
    if (attribute_ == "EIATTR_REGCOUNT") read_register_count();
    if (!section_.starts_with(info)) return;
    KernelFacts& own = facts_[section_.substr(info.size())];
    if (attribute_ == "EIATTR_KPARAM_INFO") {
      const auto ordinal = hex_after(line_, "Ordinal"), offset = hex_after(line_, "Offset"),
                 size = hex_after(line_, "Size");
      if (!ordinal || !offset || !size) return;
      constexpr std::uint64_t most = ~std::uint32_t{0};
      const ParameterPlace place{static_cast<std::uint32_t>(std::min(*offset, most)),
                                 static_cast<std::uint32_t>(std::min(*size, most))};
      if (!refuse(refuse_parameter(place))) own.parameters[static_cast<std::uint32_t>(*ordinal)] = place;
    } else if (attribute_ == "EIATTR_PARAM_CBANK") {
      const std::size_t second = line_.rfind("0x");
      const auto both = second == std::string_view::npos ? std::nullopt : hex_after(line_.substr(second), "");
      if (!both)
        refuse("EIATTR_PARAM_CBANK: got " +
               in_quotes(std::string(trimmed_word(line_.substr(line_.find("Value:") + 6)))) +
               "; must be two numbers such as 0x2 0x1c0210");
      else
        own.parameter_base = static_cast<std::uint32_t>(*both & 0xffffU);
    }
  }

  // "function: NAME(0x4a) register count: 32"
  void read_register_count() {
    constexpr std::string_view before = "function: ", between = "register count: ";
    const std::size_t from = line_.find(before), count = line_.find(between);
    if (from == std::string_view::npos || count == std::string_view::npos) return;
    const std::size_t name = from + before.size();
    const std::size_t paren = line_.rfind('(', count);
    if (paren == std::string_view::npos || paren < name) return;
    std::int64_t registers = -1;
    std::from_chars(line_.data() + count + between.size(), line_.data() + line_.size(), registers);
    if (!refuse(refuse_registers(registers)))
      facts_[std::string(line_.substr(name, paren - name))].registers = registers;
  }

  // "   4b  30e80    c10  0 80  NOBITS  43 0 34 .nv.shared.bulk": the size in the table of sections.
  void read_section_row() {
    constexpr std::string_view shared = ".nv.shared.";
    if (line_.find("NOBITS") == std::string_view::npos) return;
    const std::string size = word_of(line_, 2), last = last_word_of(line_);
    if (!last.starts_with(shared) || last.starts_with(".nv.shared.reserved")) return;
    std::int64_t bytes = 0;
    const auto [end, failed] = std::from_chars(size.data(), size.data() + size.size(), bytes, 16);
    if (failed == std::errc::invalid_argument || end != size.data() + size.size()) return;
    if (failed != std::errc()) bytes = -1;
    if (!refuse(refuse_shared(bytes))) facts_[last.substr(shared.size())].static_shared = bytes;
  }

  std::string_view text_;
  const std::string& file_;
  FactsByFunction facts_;
  Diagnostics errors_;
  std::string_view line_;
  int number_ = 0;
  std::string section_;
  std::string_view attribute_;
  std::vector<std::uint8_t>* constants_ = nullptr;
};

}  // namespace

std::string refuse_registers(std::int64_t registers) {
  if (registers >= 0 && registers <= kMostRegisters) return {};
  return fmt::format("registers per thread: must be at most {}", kMostRegisters);
}

std::string refuse_shared(std::int64_t bytes) {
  if (bytes >= 0 && bytes <= kMostShared) return {};
  return fmt::format("static shared memory: must be at most {} byte", kMostShared);
}

std::string refuse_parameter(const ParameterPlace& place) {
  if (place.bytes > 0 && std::uint64_t{place.offset} + place.bytes <= kMostArgumentBytes) return {};
  return fmt::format("a parameter at offset {:#x} of {:#x} byte; parameters lie within {} byte", place.offset,
                     place.bytes, kMostArgumentBytes);
}

std::string refuse_parameter_base(std::uint64_t base) {
  if (base < kConstantBankBytes) return {};
  return fmt::format("parameters begin at {:#x}; a constant bank has {} byte", base, kConstantBankBytes);
}

std::string refuse_constant_bytes(std::uint64_t bytes) {
  if (bytes <= kConstantBankBytes) return {};
  return fmt::format("a constant bank of {} byte or more; must have at most {}", bytes, kConstantBankBytes);
}

KernelFacts facts_of(const FactsByFunction& all, const std::string& function) {
  KernelFacts facts;
  if (const auto own = all.find(function); own != all.end()) facts = own->second;
  if (const auto common = all.find(""); common != all.end())
    for (const auto& [bank, bytes] : common->second.constants) facts.constants.try_emplace(bank, bytes);
  return facts;
}

tl::expected<FactsByFunction, Diagnostics> facts_from_elf_text(const std::string& text, const std::string& file) {
  return ElfFactsReader(text, file).read();
}

}  // namespace tilescope::sass
