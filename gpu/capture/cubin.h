// A cubin: the ELF image (64 bit) of machine code for one architecture. Read without trust: what points outside the
// image is as if it were not there.
#pragma once

#include <elf.h>

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "hash.h"

namespace tilescope::capture {

struct Parameter {
  std::uint32_t offset = 0, bytes = 0;  // from the first parameter
};

// What a launch of a kernel must know of it.
struct KernelLayout {
  std::vector<Parameter> parameters;              // by position
  std::uint32_t parameter_bytes = 0;              // all together
  std::array<std::uint32_t, 3> cluster{0, 0, 0};  // zeros: none compiled in
  std::string unreadable;                         // why the parameters are not known; empty: they are
};

class Cubin {
 public:
  // REQUIRES: is_elf(bytes).
  explicit Cubin(std::vector<std::uint8_t> bytes);

  static bool is_elf(const void* bytes, std::size_t count);
  // Of the image that begins here, from its header: how far its parts reach. 0: no 64-bit ELF image.
  static std::size_t image_bytes(const void* image);

  const Hash& hash() const { return hash_; }
  const std::vector<std::uint8_t>& bytes() const { return bytes_; }
  const std::vector<Elf64_Shdr>& sections() const { return sections_; }
  const std::vector<Elf64_Sym>& symbols() const { return symbols_; }
  std::string_view name(const Elf64_Shdr& section) const;
  std::string_view name(const Elf64_Sym& symbol) const;
  std::string_view contents(const Elf64_Shdr& section) const;
  // Of the function of that name; nothing when the image does not hold its code.
  std::optional<std::uint32_t> function(const std::string& name) const;
  KernelLayout layout(const std::string& function) const;
  // The section of that name; 0: none.
  std::size_t section(std::string_view name) const;

 private:
  std::vector<std::uint8_t> bytes_;
  Hash hash_;
  std::vector<Elf64_Shdr> sections_;
  std::vector<Elf64_Sym> symbols_;
  std::size_t symbol_table_ = 0;  // number of its section
  std::unordered_map<std::string_view, std::uint32_t> functions_;
  std::unordered_map<std::string_view, std::size_t> section_numbers_;
};

// One entry of a .nv.info section, as the compiler writes them.
struct InfoEntry {
  std::uint8_t format = 0, attribute = 0;
  std::uint16_t value = 0;   // of formats other than kSized
  std::string_view payload;  // of format kSized
  std::string_view whole;
};
constexpr std::uint8_t kSized = 4;

enum InfoAttribute : std::uint8_t {
  kParamCbank = 0x0a,
  kFrameSize = 0x11,
  kMinStackSize = 0x12,
  kKparamInfo = 0x17,
  kCbankParamSize = 0x19,
  kMaxStackSize = 0x23,
  kRegcount = 0x2f,
  kCtaPerCluster = 0x3d,
};

std::vector<InfoEntry> info_entries(std::string_view section);

}  // namespace tilescope::capture
