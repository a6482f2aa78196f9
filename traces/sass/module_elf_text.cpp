// Modules from the text of `cuobjdump -elf`: the table of sections, the symbols, the contents of data sections and the
// relocations.
#include <charconv>
#include <limits>
#include <map>
#include <optional>

#include "traces/sass/limits.h"
#include "traces/sass/module_image.h"
#include "traces/sass/words.h"

namespace tilescope::sass {
namespace {

constexpr std::string_view kRelocations[] = {".rela", ".rel"};

class ElfModulesReader {
 public:
  ElfModulesReader(std::string_view text, const std::string& file) : text_(text), file_(file) {}

  tl::expected<std::vector<Module>, Diagnostics> read() {
    for (std::size_t at = 0; at < text_.size() && errors_.size() < kMostErrors;) {
      line_ = take_line(text_, at);
      ++number_;
      read_line();
    }
    if (!errors_.empty()) return tl::unexpected(errors_);
    return std::move(modules_);
  }

 private:
  Module& module() {
    if (modules_.empty()) modules_.emplace_back();
    return modules_.back();
  }

  bool refuse(const std::string& why) {
    if (!why.empty()) errors_.push_back({file_, number_, 1, why});
    return !why.empty();
  }

  void read_line() {
    const std::string_view line = trimmed_word(line_);
    if (line.empty()) return;
    if (line.starts_with("64") &&
        (line.find("ELF: type=") != std::string_view::npos || line.find("elf: type=") != std::string_view::npos))
      return begin_image(line);
    if (line_.starts_with(".section ") || (line_.starts_with('.') && line.find(' ') == std::string_view::npos))
      return begin_section(line);
    if (in_table_) return read_table_row(line);
    if (section_ == ".symtab") return read_symbol(line);
    if (relocated_) return read_relocation(line);
    if (contents_ != nullptr && line.starts_with("0x")) read_contents(line);
  }

  // "64-bit ELF: type=ET_EXEC, ABI=8, sm=90, toolkit=13.0, flags=0x6005a04"
  void begin_image(std::string_view line) {
    modules_.emplace_back();
    if (const std::size_t at = line.find("sm="); at != std::string_view::npos)
      std::from_chars(line.data() + at + 3, line.data() + line.size(), modules_.back().architecture);
    names_.clear();
    in_table_ = true;
    section_.clear();
    contents_ = nullptr;
    relocated_ = false;
  }

  // ".section .symtab", ".nv.constant3", ".section .rela.text.NAME	RELA"
  void begin_section(std::string_view line) {
    in_table_ = false;
    contents_ = nullptr;
    relocated_ = false;
    section_ = line.starts_with(".section") ? word_of(line, 1) : std::string(line);
    for (const std::string_view before : kRelocations) {
      if (!section_.starts_with(std::string(before) + '.')) continue;
      section_.erase(0, before.size());
      relocated_ = holds_variables(section_) || holds_constants(section_) || holds_code(section_);
      return;
    }
    if (!holds_variables(section_) && !holds_constants(section_)) return;
    contents_ = &module().sections[section_];
    contents_->bytes.clear();
  }

  // "   58   8e40    404  0  4   NOBITS   3    0   0 .nv.global": index and size in hexadecimal
  void read_table_row(std::string_view line) {
    const std::vector<std::string_view> words = words_of(line);
    if (words.size() < 6 || !words.back().starts_with('.')) return;
    const auto index = number_of(words[0], 16), size = number_of(words[2], 16);
    if (!index || !size) return;
    const std::string name(words.back());
    names_[*index] = name;
    if (!holds_variables(name)) return;
    if (!refuse(refuse_variable_bytes(*size))) module().sections[name].size = *size;
  }

  // "0x53   0   0x8   0x11   0  0x57   first_place": index, value, size, info, other, section, name
  void read_symbol(std::string_view line) {
    const std::vector<std::string_view> words = words_of(line);
    if (words.size() != 7) return;
    const auto value = number_of(words[1]), section = number_of(words[5]);
    if (!value || !section) return;
    const auto name = names_.find(*section);
    module().symbols.try_emplace(std::string(words[6]),
                                 ModuleSymbol{name == names_.end() ? std::string() : name->second, *value});
  }

  // "0x0    places    R_CUDA_G64    0x4"
  void read_relocation(std::string_view line) {
    const std::vector<std::string_view> words = words_of(line);
    if (words.size() < 3 || words.size() > 4) return;
    const auto offset = number_of(words[0]), addend = words.size() == 4 ? number_of(words[3]) : 0;
    if (!offset || !addend) return;
    module().sections[section_].addresses.push_back(
        {*offset, std::string(words[1]), static_cast<std::int64_t>(*addend), std::string(words[2]), number_});
  }

  void read_contents(std::string_view line) {
    for_each_word(line, [this](std::string_view word) {
      const auto value = number_of(word);
      if (!value || !word.starts_with("0x")) return;
      for (unsigned byte = 0; byte < 4; ++byte)
        contents_->bytes.push_back(static_cast<std::uint8_t>(*value >> (8 * byte)));
    });
    contents_->size = std::max<std::uint64_t>(contents_->size, contents_->bytes.size());
  }

  std::string_view text_;
  const std::string& file_;
  std::vector<Module> modules_;
  Diagnostics errors_;
  std::string_view line_;
  int number_ = 0;
  std::map<std::uint64_t, std::string> names_;  // of the image's sections, by index
  bool in_table_ = false;
  std::string section_;
  bool relocated_ = false;             // the lines are relocations of `section_`
  ModuleSection* contents_ = nullptr;  // the lines are its contents
};

}  // namespace

tl::expected<std::vector<Module>, Diagnostics> modules_from_elf_text(const std::string& text, const std::string& file) {
  return ElfModulesReader(text, file).read();
}

}  // namespace tilescope::sass
