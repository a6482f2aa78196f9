#include "traces/kernels/compiled_listings.h"

#include <array>
#include <cstdint>
#include <stdexcept>

// The assembler copies a file of TILESCOPE_LISTINGS into the program, between two symbols.
#define TILESCOPE_EMBED(NAME, FILE)               \
  __asm__(                                        \
      ".pushsection .rodata\n"                    \
      ".global tilescope_embedded_" #NAME         \
      "\n"                                        \
      ".balign 8\n"                               \
      "tilescope_embedded_" #NAME                 \
      ":\n"                                       \
      ".quad 2f - 1f\n"                           \
      "1: .incbin \"" TILESCOPE_LISTINGS "/" FILE \
      "\"\n"                                      \
      "2:\n"                                      \
      ".popsection\n");                           \
  extern "C" const char tilescope_embedded_##NAME[]
#define TILESCOPE_EMBED_FAMILY(NAME, ARCHITECTURE)                                      \
  TILESCOPE_EMBED(NAME##_sm_##ARCHITECTURE##_sass, #NAME ".sm_" #ARCHITECTURE ".sass"); \
  TILESCOPE_EMBED(NAME##_sm_##ARCHITECTURE##_elf, #NAME ".sm_" #ARCHITECTURE ".elf")

TILESCOPE_EMBED_FAMILY(gemm_naive, 90);
TILESCOPE_EMBED_FAMILY(gemm_tiled, 90);
TILESCOPE_EMBED_FAMILY(gemm_register, 90);
TILESCOPE_EMBED_FAMILY(gemm_warp, 90);
TILESCOPE_EMBED_FAMILY(gemm_async, 90);
TILESCOPE_EMBED_FAMILY(gemm_async, 80);
TILESCOPE_EMBED_FAMILY(gemm_tensor, 90);
TILESCOPE_EMBED_FAMILY(gemm_tensor, 80);
TILESCOPE_EMBED_FAMILY(gemm_pipelined, 90);
TILESCOPE_EMBED_FAMILY(gemm_pipelined, 80);
TILESCOPE_EMBED_FAMILY(gemm_grouped, 90);
TILESCOPE_EMBED_FAMILY(gemm_grouped, 80);

namespace tilescope {
namespace {

// The size lies in front of the text.
std::string_view embedded(const char* at) {
  std::uint64_t size = 0;
  for (unsigned byte = 0; byte < 8; ++byte)
    size |= static_cast<std::uint64_t>(static_cast<unsigned char>(at[byte])) << (8 * byte);
  return {at + 8, size};
}

constexpr std::string_view kFunction = "Function : ";

}  // namespace

#define TILESCOPE_LISTING(NAME, ARCHITECTURE)                                       \
  CompiledListing {                                                                 \
#NAME, embedded(tilescope_embedded_##NAME##_sm_##ARCHITECTURE##_sass),          \
        embedded(tilescope_embedded_##NAME##_sm_##ARCHITECTURE##_elf), ARCHITECTURE \
  }

const CompiledListing& compiled_listing(std::string_view family, int architecture) {
  static const std::array all = {
      TILESCOPE_LISTING(gemm_naive, 90),     TILESCOPE_LISTING(gemm_tiled, 90),   TILESCOPE_LISTING(gemm_register, 90),
      TILESCOPE_LISTING(gemm_warp, 90),      TILESCOPE_LISTING(gemm_async, 90),   TILESCOPE_LISTING(gemm_async, 80),
      TILESCOPE_LISTING(gemm_tensor, 90),    TILESCOPE_LISTING(gemm_tensor, 80),  TILESCOPE_LISTING(gemm_pipelined, 90),
      TILESCOPE_LISTING(gemm_pipelined, 80), TILESCOPE_LISTING(gemm_grouped, 90), TILESCOPE_LISTING(gemm_grouped, 80),
  };
  for (const CompiledListing& one : all)
    if (one.family == family && one.architecture == architecture) return one;
  throw std::logic_error("no compiled sample of this family is embedded: " + std::string(family) + " for sm_" +
                         std::to_string(architecture));
}

std::vector<std::string> compiled_functions(std::string_view family, int architecture) {
  return compiled_functions(compiled_listing(family, architecture));
}

std::vector<std::string> compiled_functions(const CompiledListing& listing) {
  const std::string_view text = listing.sass;
  std::vector<std::string> names;
  for (std::size_t at = text.find(kFunction); at != std::string_view::npos; at = text.find(kFunction, at + 1)) {
    const std::size_t begin = at + kFunction.size();
    names.emplace_back(text.substr(begin, text.find('\n', begin) - begin));
  }
  return names;
}

std::string compiled_function_text(const CompiledListing& listing, const std::string& function) {
  const std::string_view text = listing.sass;
  const std::size_t head = text.find(kFunction);
  const std::size_t begin = text.find(std::string(kFunction) + function + "\n");
  if (begin == std::string_view::npos) throw std::logic_error("no such function in the listing: " + function);
  const std::size_t end = text.find(kFunction, begin + 1);
  return std::string(text.substr(0, head)) + std::string(text.substr(begin, end - begin));
}

}  // namespace tilescope
