#include "traces/sass/nvdisasm_facts.h"

#include <charconv>
#include <limits>
#include <optional>
#include <string_view>
#include <vector>

#include "traces/sass/limits.h"
#include "traces/sass/words.h"

namespace tilescope::sass {
namespace {

constexpr std::string_view kShared = ".nv.shared.", kInfo = ".nv.info", kConstant = ".nv.constant";

// "index@(NAME)"
std::string name_in(std::string_view word) {
  const std::size_t from = word.find("@(");
  if (from == std::string_view::npos || !word.ends_with(')')) return {};
  return std::string(word.substr(from + 2, word.size() - from - 3));
}

class NvdisasmFactsReader {
 public:
  NvdisasmFactsReader(std::string_view text, const std::string& file) : text_(text), file_(file) {}

  tl::expected<FactsByFunction, Diagnostics> read() {
    for (std::size_t at = 0; at < text_.size() && errors_.size() < kMostErrors;) {
      line_ = take_line(text_, at);
      ++number_;
      read_line();
    }
    end_attribute();
    if (!errors_.empty()) return tl::unexpected(errors_);
    return std::move(facts_);
  }

 private:
  bool refuse(const std::string& why) {
    const std::size_t column = std::min(line_.find_first_not_of(kWhite), line_.size());
    if (!why.empty()) errors_.push_back({file_, number_, static_cast<int>(column) + 1, why});
    return !why.empty();
  }

  void read_line() {
    if (const std::size_t at = line_.find(".section\t"); at != std::string_view::npos) return begin_section(at + 9);
    if (skipped_) return;
    if (const std::size_t at = line_.find("//----- nvinfo : "); at != std::string_view::npos) {
      end_attribute();
      attribute_line_ = line_;
      attribute_number_ = number_;
      attribute_ = trimmed_word(line_.substr(at + 17));
      return;
    }
    struct Directive {
      std::string_view name;
      unsigned bytes;
    };
    for (const Directive& directive :
         {Directive{".byte\t", 1}, {".short\t", 2}, {".word\t", 4}, {".dword\t", 8}, {".zero\t", 0}}) {
      const std::size_t at = line_.find(directive.name);
      if (at != std::string_view::npos) take_all(line_.substr(at + directive.name.size()), directive.bytes);
    }
  }

  // .nv.shared.NAME, .nv.info, .nv.info.NAME, .nv.constant3 and .nv.constant3.NAME tell something; bank 0 is the
  // launch's.
  void begin_section(std::size_t from) {
    end_attribute();
    section_ = line_.substr(from, std::min(line_.find_first_of(",\"", from), line_.size()) - from);
    contents_ = nullptr;
    if (section_.starts_with(kConstant) && section_.size() > kConstant.size()) {
      const char bank = section_[kConstant.size()];
      const std::string owner = section_.size() > kConstant.size() + 2 ? section_.substr(kConstant.size() + 2) : "";
      if (bank >= '1' && bank <= '9') contents_ = &facts_[owner].constants[bank - '0'];
    }
    const bool reserved = section_.starts_with(".nv.shared.reserved");
    skipped_ = contents_ == nullptr && !section_.starts_with(kInfo) && (reserved || !section_.starts_with(kShared));
  }

  // The words behind a directive: "0x05, 0x00" or "index@(name)".
  void take_all(std::string_view rest, unsigned bytes) {
    while (!rest.empty()) {
      const std::size_t comma = std::min(rest.find(','), rest.size());
      const std::string_view part = trimmed_word(rest.substr(0, comma));
      // An address that the loader writes is one word: fun@R_CUDA_G64((name + 0x4)).
      if (part.find('(') != std::string_view::npos && contents_ != nullptr)
        take(part, bytes);
      else
        for_each_word(part, [&](std::string_view word) { take(word, bytes); });
      rest.remove_prefix(std::min(comma + 1, rest.size()));
    }
  }

  void take(std::string_view word, unsigned bytes) {
    if (section_.starts_with(kInfo)) return words_.push_back(word);
    const auto value = number_of(word);
    if (contents_ != nullptr) {
      const std::uint64_t more = bytes != 0 ? bytes : value.value_or(0);
      if (refuse(more > kConstantBankBytes ? refuse_constant_bytes(more)
                                           : refuse_constant_bytes(contents_->size() + more))) {
        contents_ = nullptr;
        skipped_ = true;
        return;
      }
      if (bytes == 0) contents_->resize(contents_->size() + more);
      for (unsigned b = 0; b < bytes; ++b)
        contents_->push_back(static_cast<std::uint8_t>(value.value_or(0) >> (8 * b)));
    } else if (bytes == 0) {
      auto& size = facts_[section_.substr(kShared.size())].static_shared;
      constexpr std::uint64_t beyond = kMostShared + 1;  // nothing here overflows
      const auto sum = size.value_or(0) + static_cast<std::int64_t>(std::min(value.value_or(0), beyond));
      if (!refuse(refuse_shared(sum))) size = sum;
    }
  }

  // The number in the word that stands `back` from the end; an error when there is none.
  std::optional<std::uint64_t> word(std::size_t back) {
    const std::string_view text = words_[words_.size() - back];
    const auto value = number_of(text);
    if (!value) refuse(std::string(attribute_) + ": got " + in_quotes(std::string(text)) + "; must be a number");
    return value;
  }

  // An attribute's words: two bytes of kind, a length unless the kind holds the value itself, then the value.
  void end_attribute() {
    if (attribute_.empty()) return words_.clear();
    // What is wrong with it is said where it begins.
    std::swap(line_, attribute_line_);
    std::swap(number_, attribute_number_);
    const bool own = section_.size() > kInfo.size() && section_.starts_with(kInfo);
    KernelFacts* facts = own ? &facts_[section_.substr(kInfo.size() + 1)] : nullptr;
    if (attribute_ == "EIATTR_REGCOUNT" && words_.size() >= 2) {
      const auto registers = word(1);
      const std::uint64_t beyond = kMostRegisters + 1;
      const auto count = static_cast<std::int64_t>(std::min(registers.value_or(0), beyond));
      if (registers && !refuse(refuse_registers(count))) facts_[name_in(words_[words_.size() - 2])].registers = count;
    }
    if (own && attribute_ == "EIATTR_KPARAM_INFO" && words_.size() >= 7) read_parameter(*facts);
    if (own && attribute_ == "EIATTR_PARAM_CBANK" && words_.size() >= 2) {
      const auto base = word(2);
      if (base && !refuse(refuse_parameter_base(*base))) facts->parameter_base = static_cast<std::uint32_t>(*base);
    }
    attribute_ = {};
    words_.clear();
    line_ = attribute_line_;
    number_ = attribute_number_;
  }

  // Index, ordinal, offset, then four bytes whose bits 18.. hold the size.
  void read_parameter(KernelFacts& facts) {
    const auto ordinal = word(6), offset = word(5);
    std::uint64_t packed = 0;
    for (std::size_t byte = 0; byte < 4; ++byte) packed |= (word(4 - byte).value_or(0) & 0xffU) << (8 * byte);
    if (!ordinal || !offset) return;
    constexpr std::uint64_t most = ~std::uint32_t{0};
    const ParameterPlace place{static_cast<std::uint32_t>(std::min(*offset, most)),
                               static_cast<std::uint32_t>(packed >> 18U)};
    if (!refuse(refuse_parameter(place))) facts.parameters[static_cast<std::uint32_t>(*ordinal)] = place;
  }

  std::string_view text_;
  const std::string& file_;
  FactsByFunction facts_;
  Diagnostics errors_;
  std::string_view line_;
  int number_ = 0;
  std::string section_;
  bool skipped_ = true;                            // the section tells nothing
  std::vector<std::uint8_t>* contents_ = nullptr;  // of the constant bank that the section fills
  std::string_view attribute_, attribute_line_;
  int attribute_number_ = 0;
  std::vector<std::string_view> words_;
};

}  // namespace

tl::expected<FactsByFunction, Diagnostics> facts_from_nvdisasm(const std::string& text, const std::string& file) {
  return NvdisasmFactsReader(text, file).read();
}

}  // namespace tilescope::sass
