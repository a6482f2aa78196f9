// Any text as what cuobjdump -elf prints, and as the sections that nvdisasm prints.
#include <cstddef>
#include <cstdint>
#include <string>

#include "traces/sass/kernel_facts.h"
#include "traces/sass/module_image.h"
#include "traces/sass/nvdisasm_facts.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  for (const auto& facts : {tilescope::sass::facts_from_elf_text(text, "fuzz.elf"),
                            tilescope::sass::facts_from_nvdisasm(text, "fuzz.sass")})
    if (facts)
      for (const auto& [name, own] : *facts) tilescope::sass::facts_of(*facts, name);
  tilescope::sass::modules_from_elf_text(text, "fuzz.elf");
  tilescope::sass::module_from_nvdisasm(text, "fuzz.sass");
  return 0;
}
