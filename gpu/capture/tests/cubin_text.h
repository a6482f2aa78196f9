// A small cubin, made by hand: one kernel or two, the second called by the first, with the facts that a compiler
// writes.
#pragma once

#include <elf.h>

#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

namespace tilescope::capture {

struct MadeSection {
  std::string name, bytes;
  std::uint32_t type = SHT_PROGBITS, link = 0, info = 0;
};

inline void append_bytes(std::string& text, std::uint64_t value, int bytes) {
  for (int i = 0; i < bytes; ++i) text.push_back(static_cast<char>(value >> (8 * i)));
}

// An entry of .nv.info with its payload.
inline std::string info(std::uint8_t attribute, const std::string& payload) {
  std::string text{'\x04', static_cast<char>(attribute)};
  append_bytes(text, payload.size(), 2);
  return text + payload;
}

inline std::string parameter(unsigned position, unsigned offset, unsigned bytes) {
  std::string payload(4, '\0');
  append_bytes(payload, position, 2);
  append_bytes(payload, offset, 2);
  append_bytes(payload, (std::uint64_t{bytes} << 18U) | 0x1f000, 4);
  return info(0x17, payload);
}

inline std::string numbers(std::initializer_list<std::uint32_t> all) {
  std::string text;
  for (const std::uint32_t value : all) append_bytes(text, value, 4);
  return text;
}

// Symbols: 1 "kernel" in .text.kernel, 2 "helper" in .text.helper, 3 "other" in .text.other, 4 "table" in
// .nv.global.init. `code`: every byte of the kernel's code. `parameters`: entries of .nv.info.kernel.
inline std::vector<std::uint8_t> made_cubin(const std::string& parameters, char code = 'k') {
  std::vector<MadeSection> sections{
      {"", "", SHT_NULL},
      {".shstrtab", "", SHT_STRTAB},
      {".strtab", std::string("\0kernel\0helper\0other\0table\0", 27), SHT_STRTAB},
      {".symtab", "", SHT_SYMTAB, 2, 1},
      {".nv.info", info(0x2f, numbers({1, 20})) + info(0x2f, numbers({2, 30})) + info(0x2f, numbers({3, 40})),
       0x70000000, 3},
      {".nv.info.kernel", parameters, 0x70000000, 3, 7},
      {".rela.text.kernel", "", SHT_RELA, 3, 7},
      {".text.kernel", std::string(64, code), SHT_PROGBITS, 3, 1},
      {".text.helper", std::string(32, 'h'), SHT_PROGBITS, 3, 2},
      {".text.other", std::string(4096, 'o'), SHT_PROGBITS, 3, 3},
      {".nv.constant3", std::string(16, 'c')},
      {".nv.constant4", std::string(16, '\0')},
      {".rela.nv.constant4", "", SHT_RELA, 3, 11},
      {".nv.global.init", std::string(24, 'v'), SHT_PROGBITS},
      {".rela.nv.global.init", "", SHT_RELA, 3, 13},
  };
  const Elf64_Sym symbols[] = {{0, 0, 0, 0, 0, 0},
                               {1, ELF64_ST_INFO(STB_GLOBAL, STT_FUNC), 0x10, 7, 0, 64},
                               {8, ELF64_ST_INFO(STB_GLOBAL, STT_FUNC), 0, 8, 0, 32},
                               {15, ELF64_ST_INFO(STB_GLOBAL, STT_FUNC), 0x10, 9, 0, 4096},
                               {21, ELF64_ST_INFO(STB_GLOBAL, STT_OBJECT), 0, 13, 8, 16}};
  sections[3].bytes.assign(reinterpret_cast<const char*>(symbols), sizeof symbols);
  // Bank 4: at 8 the address of "table", which holds that of "other" in its second half.
  const Elf64_Rela address{8, ELF64_R_INFO(4, 2), 0}, entry{16, ELF64_R_INFO(3, 2), 0};
  sections[12].bytes.assign(reinterpret_cast<const char*>(&address), sizeof address);
  sections[14].bytes.assign(reinterpret_cast<const char*>(&entry), sizeof entry);
  const Elf64_Rela call{16, ELF64_R_INFO(2, 57), 0};
  sections[6].bytes.assign(reinterpret_cast<const char*>(&call), sizeof call);
  std::vector<Elf64_Shdr> headers(sections.size());
  for (std::size_t i = 0; i < sections.size(); ++i) {
    headers[i].sh_name = static_cast<std::uint32_t>(sections[1].bytes.size());
    sections[1].bytes += sections[i].name + '\0';
  }
  std::string image(sizeof(Elf64_Ehdr), '\0');
  for (std::size_t i = 1; i < sections.size(); ++i) {
    headers[i].sh_type = sections[i].type;
    headers[i].sh_link = sections[i].link;
    headers[i].sh_info = sections[i].info;
    headers[i].sh_offset = image.size();
    headers[i].sh_size = sections[i].bytes.size();
    headers[i].sh_addralign = 1;
    image += sections[i].bytes;
  }
  Elf64_Ehdr header{};
  std::memcpy(header.e_ident, ELFMAG, SELFMAG);
  header.e_ident[EI_CLASS] = ELFCLASS64;
  header.e_shoff = image.size();
  header.e_shentsize = sizeof(Elf64_Shdr);
  header.e_shnum = static_cast<std::uint16_t>(headers.size());
  header.e_shstrndx = 1;
  image.append(reinterpret_cast<const char*>(headers.data()), headers.size() * sizeof(Elf64_Shdr));
  std::memcpy(image.data(), &header, sizeof header);
  return {image.begin(), image.end()};
}

}  // namespace tilescope::capture
