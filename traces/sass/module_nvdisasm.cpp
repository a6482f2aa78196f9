// A module from what nvdisasm prints: sections of variables and constants with labels, words and names.
#include <charconv>
#include <limits>
#include <optional>

#include "traces/sass/limits.h"
#include "traces/sass/module_image.h"
#include "traces/sass/symbol_text.h"
#include "traces/sass/words.h"

namespace tilescope::sass {
namespace {

class NvdisasmModuleReader {
 public:
  NvdisasmModuleReader(std::string_view text, const std::string& file) : text_(text), file_(file) {}

  tl::expected<Module, Diagnostics> read() {
    for (std::size_t at = 0; at < text_.size() && errors_.size() < kMostErrors;) {
      line_ = take_line(text_, at);
      ++number_;
      read_line();
    }
    if (!errors_.empty()) return tl::unexpected(errors_);
    return std::move(module_);
  }

 private:
  void read_line() {
    if (const std::size_t at = line_.find(".section\t"); at != std::string_view::npos) {
      const std::size_t from = at + 9;
      name_ = line_.substr(from, std::min(line_.find_first_of(",\"", from), line_.size()) - from);
      section_ = holds_variables(name_) || holds_constants(name_) ? &module_.sections[name_] : nullptr;
      return;
    }
    if (section_ == nullptr) return;
    std::string_view line = trimmed_word(line_);
    if (line.ends_with(':')) {
      module_.symbols.try_emplace(std::string(line.substr(0, line.size() - 1)), ModuleSymbol{name_, section_->size});
      return;
    }
    if (line.starts_with("/*") && line.find("*/") != std::string_view::npos)
      line = trimmed_word(line.substr(line.find("*/") + 2));
    struct Directive {
      std::string_view name;
      unsigned bytes;
    };
    for (const Directive& directive :
         {Directive{".byte\t", 1}, {".short\t", 2}, {".word\t", 4}, {".dword\t", 8}, {".zero\t", 0}})
      if (line.starts_with(directive.name)) return take_all(line.substr(directive.name.size()), directive.bytes);
  }

  void take_all(std::string_view rest, unsigned bytes) {
    while (!rest.empty() && section_ != nullptr) {
      const std::size_t comma = std::min(rest.find(','), rest.size());
      take(trimmed_word(rest.substr(0, comma)), bytes);
      rest.remove_prefix(std::min(comma + 1, rest.size()));
    }
  }

  // "0x05", or "name", "fun@R_CUDA_G64((name + 0x4))": an address that the loader writes.
  void take(std::string_view word, unsigned bytes) {
    const auto value = number_of(word);
    const std::uint64_t more = bytes != 0 ? bytes : value.value_or(0);
    const bool filled = value.value_or(0) != 0 && bytes != 0;
    std::string why = refuse_variable_bytes(more > kMostVariableBytes ? more : section_->size + more);
    if (why.empty() && filled) why = refuse_variable_contents(section_->size + more);
    if (!why.empty()) {
      errors_.push_back({file_, number_, 1, why});
      section_ = nullptr;
      return;
    }
    if (!value && bytes == 8) {
      if (const auto named = parse_symbol_sum(word)) {
        const std::uint64_t addend = number_of(named->addend).value_or(0);
        section_->addresses.push_back(
            {section_->size, std::string(named->symbol), static_cast<std::int64_t>(addend), "R_CUDA_64", number_});
      }
    }
    // Zeros at the end of a section take no memory.
    if (filled) {
      section_->bytes.resize(section_->size + bytes);
      for (unsigned b = 0; b < bytes; ++b)
        section_->bytes[section_->size + b] = static_cast<std::uint8_t>(*value >> (8 * b));
    }
    section_->size += more;
  }

  std::string_view text_;
  const std::string& file_;
  Module module_;
  Diagnostics errors_;
  std::string_view line_;
  int number_ = 0;
  std::string name_;
  ModuleSection* section_ = nullptr;
};

}  // namespace

tl::expected<Module, Diagnostics> module_from_nvdisasm(const std::string& text, const std::string& file) {
  return NvdisasmModuleReader(text, file).read();
}

}  // namespace tilescope::sass
