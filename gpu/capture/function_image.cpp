#include "function_image.h"

#include <cstring>
#include <set>
#include <string>

namespace tilescope::capture {
namespace {

constexpr std::uint64_t kMostDataBytes = 4 << 20;  // of a section of variables with contents
constexpr std::uint64_t kMostLineBytes = 1 << 20;  // of line numbers, which concern all functions of an image

struct Relocation {
  std::uint64_t offset = 0;
  std::uint32_t symbol = 0;
};

std::vector<Relocation> relocations(const Cubin& cubin, const Elf64_Shdr& section) {
  std::vector<Relocation> all;
  const std::string_view bytes = cubin.contents(section);
  const std::size_t each = section.sh_type == SHT_RELA ? sizeof(Elf64_Rela) : sizeof(Elf64_Rel);
  for (std::size_t at = 0; at + each <= bytes.size(); at += each) {
    Elf64_Rel entry;
    std::memcpy(&entry, bytes.data() + at, sizeof entry);
    all.push_back({entry.r_offset, static_cast<std::uint32_t>(ELF64_R_SYM(entry.r_info))});
  }
  return all;
}

// What an instruction may read of a constant bank: bits 54 to 58 of its first half are the bank, 40 to 53 a quarter of
// the offset. Of an instruction without such an operand they say something else, so there may be more of these than the
// code reads.
struct ConstantOperand {
  unsigned bank = 0;
  std::uint64_t offset = 0;
};

std::vector<ConstantOperand> constant_operands(std::string_view code) {
  std::vector<ConstantOperand> all;
  for (std::size_t at = 0; at + 16 <= code.size(); at += 16) {
    std::uint64_t low = 0;
    std::memcpy(&low, code.data() + at, sizeof low);
    const auto bank = static_cast<unsigned>(low >> 54U) & 31U;
    if (bank == 3 || bank == 4) all.push_back({bank, (low >> 40U & 0x3fffU) * 4});
  }
  return all;
}

class Selection {
 public:
  Selection(const Cubin& cubin, bool with_variables) : cubin_(cubin), with_variables_(with_variables) {}

  void add_function(std::uint32_t symbol) {
    const Elf64_Sym& function = cubin_.symbols()[symbol];
    keep_symbol(symbol);
    if (function.st_shndx == SHN_UNDEF || function.st_shndx >= cubin_.sections().size()) return;
    if (!sections_.insert(function.st_shndx).second) return;
    const std::string name(cubin_.name(function));
    for (const char* own :
         {".nv.info.", ".nv.shared.", ".nv.local.", ".nv.constant0.", ".nv.constant1.", ".nv.constant2.",
          ".nv.constant3.", ".nv.constant4.", ".nv.constant5.", ".nv.capmerc.text."})
      add_section(own + name);
    // The functions whose addresses the code takes, by calls and otherwise.
    for (const std::string& section : {".text." + name, ".nv.constant2." + name})
      for (const char* kind : {".rel", ".rela"}) {
        const std::size_t number = add_section(kind + section);
        if (number == 0) continue;
        for (const Relocation& relocation : relocations(cubin_, cubin_.sections()[number])) follow(relocation.symbol);
      }
    for (const ConstantOperand& operand : constant_operands(cubin_.contents(cubin_.sections()[function.st_shndx]))) {
      if (operand.bank == 3) add_section(".nv.constant3");
      if (operand.bank == 4 && with_variables_) add_address_at(operand.offset);
    }
  }

  std::size_t add_section(const std::string& name) {
    const std::size_t number = cubin_.section(name);
    if (number != 0) sections_.insert(number);
    return number;
  }

  void keep_symbol(std::uint32_t symbol) { symbols_.insert(symbol); }
  // Those that a kept section of relocations names; their own sections are not added.
  void keep_names_of(const std::string& section) {
    const std::size_t number = add_section(section);
    if (number == 0) return;
    for (const Relocation& relocation : relocations(cubin_, cubin_.sections()[number]))
      if (relocation.symbol < cubin_.symbols().size()) keep_symbol(relocation.symbol);
  }

  const std::set<std::size_t>& sections() const { return sections_; }
  const std::set<std::uint32_t>& symbols() const { return symbols_; }

 private:
  void follow(std::uint32_t symbol) {
    if (symbol >= cubin_.symbols().size() || !followed_.insert(symbol).second) return;
    if (ELF64_ST_TYPE(cubin_.symbols()[symbol].st_info) == STT_FUNC)
      add_function(symbol);
    else
      add_variable(symbol);
  }

  // A variable, the section that it lies in, and what its contents name.
  void add_variable(std::uint32_t symbol) {
    keep_symbol(symbol);
    if (!with_variables_) return;
    const Elf64_Sym& variable = cubin_.symbols()[symbol];
    if (variable.st_shndx == SHN_UNDEF || variable.st_shndx >= cubin_.sections().size()) return;
    const Elf64_Shdr& section = cubin_.sections()[variable.st_shndx];
    if (section.sh_type != SHT_NOBITS && section.sh_size > kMostDataBytes) return;
    sections_.insert(variable.st_shndx);
    const std::string name(cubin_.name(section));
    for (const char* kind : {".rel", ".rela"}) {
      keep_names_of(kind + name);
      for (const Relocation& relocation : relocations(cubin_, cubin_.sections()[cubin_.section(kind + name)]))
        if (relocation.offset >= variable.st_value && relocation.offset - variable.st_value < variable.st_size)
          follow(relocation.symbol);
    }
  }

  // Bank 4 holds the addresses of variables and functions that the code of all kernels takes.
  void add_address_at(std::uint64_t offset) {
    add_section(".nv.constant4");
    for (const char* relocated : {".rel.nv.constant4", ".rela.nv.constant4"}) {
      const std::size_t number = cubin_.section(relocated);
      std::vector<std::uint32_t> found;
      for (const Relocation& relocation : relocations(cubin_, cubin_.sections()[number]))
        if (relocation.offset / 8 == offset / 8) found.push_back(relocation.symbol);
      for (const std::uint32_t symbol : found) follow(symbol);
      keep_names_of(relocated);
    }
  }

  const Cubin& cubin_;
  const bool with_variables_;
  std::set<std::size_t> sections_;
  std::set<std::uint32_t> symbols_, followed_;  // by name, and with what they name
};

// The entries of .nv.info that speak of kept functions or of none.
std::string kept_info(const Cubin& cubin, const Elf64_Shdr& section, const std::set<std::uint32_t>& symbols) {
  std::string kept;
  for (const InfoEntry& entry : info_entries(cubin.contents(section))) {
    std::uint32_t symbol = 0;
    const bool names_one = entry.format == kSized && entry.payload.size() == 8 &&
                           (entry.attribute == kFrameSize || entry.attribute == kMinStackSize ||
                            entry.attribute == kMaxStackSize || entry.attribute == kRegcount);
    if (names_one) std::memcpy(&symbol, entry.payload.data(), sizeof symbol);
    if (!names_one || symbols.count(symbol) != 0) kept += entry.whole;
  }
  return kept;
}

void append(std::string& image, std::string_view bytes, std::uint64_t alignment) {
  if (alignment > 1 && alignment <= 4096) image.resize((image.size() + alignment - 1) / alignment * alignment);
  image += bytes;
}

std::uint32_t add_name(std::string& table, std::string_view name) {
  if (name.empty()) return 0;
  const auto at = static_cast<std::uint32_t>(table.size());
  table.append(name).push_back('\0');
  return at;
}

}  // namespace

std::vector<std::uint8_t> function_image(const Cubin& cubin, std::uint32_t function, bool with_variables) {
  Selection selection(cubin, with_variables);
  selection.add_function(function);
  selection.add_section(".nv.info");
  selection.add_section(".nv.compat");
  for (std::size_t i = 0; i < cubin.sections().size(); ++i)
    if (cubin.sections()[i].sh_type == SHT_NOTE) selection.add_section(std::string(cubin.name(cubin.sections()[i])));
  std::size_t functions = 0;
  std::uint64_t line_bytes = 0;
  const std::string line_sections[] = {".debug_line", ".nv_debug_line_sass", ".nv_debug_ptx_txt", ".debug_str"};
  for (const Elf64_Sym& symbol : cubin.symbols())
    functions += ELF64_ST_TYPE(symbol.st_info) == STT_FUNC && symbol.st_shndx != SHN_UNDEF ? 1 : 0;
  for (const std::string& name : line_sections) line_bytes += cubin.sections()[cubin.section(name)].sh_size;
  if (functions == 1 && line_bytes <= kMostLineBytes)
    for (const std::string& name : line_sections) {
      selection.add_section(name);
      selection.keep_names_of(".rel" + name);
      selection.keep_names_of(".rela" + name);
    }

  Elf64_Ehdr header;
  std::memcpy(&header, cubin.bytes().data(), sizeof header);
  std::vector<Elf64_Shdr> sections = cubin.sections();
  std::size_t symbol_table = 0, symbol_names = 0;
  for (std::size_t i = 0; i < sections.size(); ++i)
    if (sections[i].sh_type == SHT_SYMTAB) symbol_table = i, symbol_names = sections[i].sh_link;

  std::string symbol_text(1, '\0'), symbol_strings(1, '\0'), section_strings(1, '\0');
  symbol_text.clear();
  for (std::uint32_t i = 0; i < cubin.symbols().size(); ++i) {
    Elf64_Sym symbol = cubin.symbols()[i];
    const bool in_kept = selection.sections().count(symbol.st_shndx) != 0;
    const bool is_section = ELF64_ST_TYPE(symbol.st_info) == STT_SECTION;
    if (selection.symbols().count(i) != 0 || (in_kept && is_section)) {
      symbol.st_name = add_name(symbol_strings, cubin.name(symbol));
      if (!in_kept && symbol.st_shndx < SHN_LORESERVE) symbol.st_shndx = SHN_UNDEF;
    } else {
      // Locals stay in front of the others, as the table's header counts them.
      symbol = {
          0, static_cast<unsigned char>(ELF64_ST_INFO(ELF64_ST_BIND(symbol.st_info), STT_NOTYPE)), 0, SHN_UNDEF, 0, 0};
    }
    symbol_text.append(reinterpret_cast<const char*>(&symbol), sizeof symbol);
  }

  std::string image(sizeof header, '\0');
  for (std::size_t i = 1; i < sections.size(); ++i) {
    Elf64_Shdr& section = sections[i];
    const bool is_table = i == symbol_table || i == symbol_names || i == header.e_shstrndx;
    if (!is_table && selection.sections().count(i) == 0) {
      section = Elf64_Shdr{};
      continue;
    }
    section.sh_name = add_name(section_strings, cubin.name(cubin.sections()[i]));
    section.sh_offset = image.size();
    if (i == header.e_shstrndx || section.sh_type == SHT_NOBITS) continue;
    const std::string own = i == symbol_table   ? symbol_text
                            : i == symbol_names ? symbol_strings
                            : cubin.name(cubin.sections()[i]) == ".nv.info"
                                ? kept_info(cubin, cubin.sections()[i], selection.symbols())
                                : std::string(cubin.contents(cubin.sections()[i]));
    append(image, {}, section.sh_addralign);
    section.sh_offset = image.size();
    section.sh_size = own.size();
    image += own;
  }
  if (header.e_shstrndx < sections.size()) {
    sections[header.e_shstrndx].sh_offset = image.size();
    sections[header.e_shstrndx].sh_size = section_strings.size();
    image += section_strings;
  }
  append(image, {}, 8);
  header.e_shoff = image.size();
  header.e_shnum = static_cast<std::uint16_t>(sections.size());
  header.e_phoff = header.e_phnum = 0;
  for (const Elf64_Shdr& section : sections) image.append(reinterpret_cast<const char*>(&section), sizeof section);
  std::memcpy(image.data(), &header, sizeof header);
  return {image.begin(), image.end()};
}

}  // namespace tilescope::capture
