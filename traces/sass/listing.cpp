#include "traces/sass/listing.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <string_view>
#include <tuple>
#include <utility>

#include "traces/sass/limits.h"
#include "traces/sass/line_marker.h"
#include "traces/sass/nvdisasm_facts.h"

namespace tilescope::sass {
namespace {

std::string_view trimmed(std::string_view text) {
  const std::size_t from = text.find_first_not_of(" \t\r");
  if (from == std::string_view::npos) return {};
  return text.substr(from, text.find_last_not_of(" \t\r") - from + 1);
}

template <class Number>
std::optional<Number> hex(std::string_view digits) {
  Number value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value, 16);
  if (error != std::errc() || end != digits.data() + digits.size()) return std::nullopt;
  return value;
}

// "/* 0x000fe20000000800 */"
std::optional<std::uint64_t> encoding(std::string_view comment) {
  comment = trimmed(comment);
  if (!comment.starts_with("/*") || !comment.ends_with("*/")) return std::nullopt;
  comment = trimmed(comment.substr(2, comment.size() - 4));
  if (!comment.starts_with("0x") || comment.size() != 18) return std::nullopt;
  return hex<std::uint64_t>(comment.substr(2));
}

int architecture_in(std::string_view line) {
  const std::size_t at = line.find("sm_");
  int value = 0;
  if (at != std::string_view::npos) std::from_chars(line.data() + at + 3, line.data() + line.size(), value);
  return value;
}

class ListingReader {
 public:
  ListingReader(const std::string& text, const std::string& file) : text_(text) { listing_.file = file; }

  tl::expected<Listing, Diagnostics> read() {
    while (next_line() && errors_.size() < kMostErrors) read_line();
    if (awaits_high_) error(awaits_high_->column, "the second half of this instruction's encoding is missing");
    if (listing_.functions.empty() && errors_.empty())
      errors_.push_back(
          {listing_.file, 0, 0, "holds no machine code; must be the text of `cuobjdump -sass` or `nvdisasm -hex`"});
    if (!errors_.empty()) return tl::unexpected(errors_);
    auto facts = facts_from_nvdisasm(text_, listing_.file);
    if (!facts) return tl::unexpected(facts.error());
    listing_.facts = std::move(*facts);
    auto module = module_from_nvdisasm(text_, listing_.file);
    if (!module) return tl::unexpected(module.error());
    listing_.module = std::move(*module);
    return std::move(listing_);
  }

 private:
  bool next_line() {
    if (at_ >= text_.size()) return false;
    const std::size_t end = std::min(text_.find('\n', at_), text_.size());
    line_ = std::string_view(text_).substr(at_, end - at_);
    at_ = end + 1;
    ++number_;
    return true;
  }

  void error(int column, std::string message) {
    errors_.push_back({listing_.file, number_, column, std::move(message)});
  }

  void read_line() {
    const std::string_view line = trimmed(line_);
    if (line.empty()) return;
    if (awaits_high_ != nullptr) {
      const auto high = encoding(line);
      if (high) {
        awaits_high_->high = *high;
        awaits_high_ = nullptr;
        return;
      }
      error(awaits_high_->column, "the second half of the encoding of the instruction above is missing");
      awaits_high_ = nullptr;
    }
    if (line.starts_with("/*")) return read_instruction(line);
    if (line.starts_with("//##")) return read_marker(line);
    if (line.starts_with("Function : ")) return begin(std::string(line.substr(11)));
    if (line.starts_with(".target") || line.starts_with("arch =") || line.starts_with("code for")) {
      if (const int found = architecture_in(line)) architecture_ = found;
      module_ += line.starts_with("code for") ? 1 : 0;
      return;
    }
    if (line.starts_with(".headerflags")) return read_header_flags(line);
    if (line.starts_with(".section\t") || line.starts_with(".section ")) return begin_section(line);
    if (line.ends_with(':')) return read_label(line.substr(0, line.size() - 1));
  }

  // .section .text.NAME,"ax",@progbits
  void begin_section(std::string_view line) {
    in_code_ = false;
    awaited_ = {};
    const std::size_t name = line.find(".text.");
    if (name != std::string_view::npos) awaited_ = line.substr(name + 6, line.find(',', name) - name - 6);
  }

  // @"EF_CUDA_SM90 EF_CUDA_VIRTUAL_SM(...)"
  void read_header_flags(std::string_view line) {
    const std::size_t at = line.find("EF_CUDA_SM");
    int found = 0;
    if (at != std::string_view::npos) std::from_chars(line.data() + at + 10, line.data() + line.size(), found);
    if (found == 0) return;
    architecture_ = found;
    if (!listing_.functions.empty() && listing_.functions.back().code.empty())
      listing_.functions.back().architecture = found;
  }

  void begin(std::string name) {
    listing_.functions.push_back({.name = std::move(name),
                                  .architecture = architecture_,
                                  .line = number_,
                                  .module = module_,
                                  .code = {},
                                  .labels = {},
                                  .source_files = {}});
    in_code_ = true;
    marker_.reset();
    file_numbers_.clear();
    in_markers_ = false;
  }

  // The innermost of the markers before an instruction says where it comes from. Triton's PTX is nobody's source.
  void read_marker(std::string_view line) {
    const auto marker = parse_line_marker(line);
    if (!in_code_ || !marker || marker->file == ".nv_debug_ptx_txt") return;
    const bool is_caller = in_markers_ && last_marker_.is_called_from(*marker);
    last_marker_ = *marker;
    in_markers_ = true;
    if (is_caller) return;
    std::vector<std::string>& files = listing_.functions.back().source_files;
    const auto [known, fresh] = file_numbers_.try_emplace(marker->file, static_cast<int>(files.size()));
    if (fresh) files.emplace_back(marker->file);
    marker_ = {known->second, marker->line};
  }

  void read_label(std::string_view label) {
    constexpr std::string_view text = ".text.";
    const bool is_section = label.starts_with(text);
    if (is_section) label.remove_prefix(text.size());
    // Of images in an older form of ELF nvdisasm prints the function's own name, before that of its section or alone.
    if (!awaited_.empty() && label == awaited_) {
      if (!in_code_) begin(std::string(label));
      return;
    }
    if (is_section) return begin(std::string(label));
    if (!in_code_) return;
    ListedFunction& function = listing_.functions.back();
    const std::uint32_t address = function.code.empty() ? 0 : function.code.back().address + 16;
    function.labels.emplace(std::string(label), address);
  }

  // /*0010*/  S2R R0, SR_CTAID.Y ;  /* 0x0000000000007919 */
  void read_instruction(std::string_view line) {
    const std::size_t close = line.find("*/");
    if (close == std::string_view::npos) return;
    const auto address = hex<std::uint32_t>(line.substr(2, close - 2));
    if (!in_code_ || !address) return;  // data of another section, or a remark
    std::string_view rest = line.substr(close + 2);
    const std::size_t semicolon = rest.find(';');
    const auto column = static_cast<int>(trimmed(rest).data() - line_.data()) + 1;
    if (semicolon == std::string_view::npos) {
      if (!trimmed(rest).starts_with('.')) error(column, "an instruction must end in ';'");
      return;
    }
    ListedInstruction instruction;
    instruction.address = *address;
    instruction.text = std::string(trimmed(rest.substr(0, semicolon)));
    instruction.line = number_;
    instruction.column = column;
    in_markers_ = false;
    if (marker_) std::tie(instruction.source_file, instruction.source_line) = *marker_;
    ListedFunction& function = listing_.functions.back();
    const std::uint32_t expected = function.code.empty() ? 0 : function.code.back().address + 16;
    const auto low = encoding(rest.substr(semicolon + 1));
    if (!low)
      error(column, "no encoding behind the instruction; nvdisasm prints it with -hex, cuobjdump -sass by itself");
    else if (*address != expected)
      error(column, "the address does not follow the one before; the function must be listed whole");
    instruction.low = low.value_or(0);
    function.code.push_back(std::move(instruction));
    if (low) awaits_high_ = &function.code.back();
  }

  const std::string& text_;
  Listing listing_;
  Diagnostics errors_;
  std::size_t at_ = 0;
  std::string_view line_;
  int number_ = 0;
  int architecture_ = 0;
  int module_ = 0;  // cuobjdump says "code for" at the beginning of each
  bool in_code_ = false;
  std::string_view awaited_;                      // the function whose section has begun
  std::optional<std::pair<int, int>> marker_;     // file and line of the instructions that follow
  std::map<std::string_view, int> file_numbers_;  // in source_files of the function that is read
  LineMarker last_marker_;
  bool in_markers_ = false;                   // no instruction has come since last_marker_
  ListedInstruction* awaits_high_ = nullptr;  // the last one read: its second word comes on the next line
};

}  // namespace

tl::expected<Listing, Diagnostics> read_listing(const std::string& text, const std::string& file) {
  return ListingReader(text, file).read();
}

}  // namespace tilescope::sass
