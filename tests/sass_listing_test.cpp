// Text of cuobjdump and nvdisasm to functions, labels and facts.
#include <doctest/doctest.h>

#include "models/support/text_file.h"
#include "sass_runs.h"
#include "traces/sass/function_choice.h"
#include "traces/sass/listing.h"
#include "traces/sass/parsed_instruction.h"

using namespace tilescope;
using namespace tilescope::sass;

namespace {

std::string text_of(const std::string& path) { return *read_text_file(path, std::size_t{16} << 20U); }

Listing listing_of(const std::string& path) {
  auto listing = read_listing(text_of(path), path);
  if (!listing) FAIL(to_string(listing.error()));
  return std::move(*listing);
}

}  // namespace

TEST_CASE("nvdisasm and cuobjdump text of one function are read alike") {
  const Listing nvdisasm = listing_of(test::sass_samples + "through_shared.sm_90.nvdisasm.sass");
  const Listing cuobjdump = listing_of(test::sass_data + "probe.sm_90.sass");
  const auto a = choose_function(nvdisasm, "through_shared", 0), b = choose_function(cuobjdump, "through_shared", 90);
  REQUIRE(a.has_value());
  REQUIRE(b.has_value());
  CHECK((*a)->architecture == 90);
  REQUIRE((*a)->code.size() == (*b)->code.size());
  for (std::size_t i = 0; i < (*a)->code.size(); ++i) {
    CAPTURE(i);
    CHECK((*a)->code[i].low == (*b)->code[i].low);
    CHECK((*a)->code[i].high == (*b)->code[i].high);
  }
  CHECK_FALSE((*a)->labels.empty());
}

TEST_CASE("nvdisasm's sections and cuobjdump -elf tell the same registers, shared memory and parameters") {
  const KernelFacts a =
      facts_of(listing_of(test::sass_samples + "through_shared.sm_90.nvdisasm.sass").facts, "through_shared");
  const KernelFacts b = facts_of(facts_from_elf_text(text_of(test::sass_data + "probe.sm_90.elf"), "probe.elf").value(),
                                 "through_shared");
  CHECK(a.registers == b.registers);
  CHECK(a.static_shared == b.static_shared);
  CHECK(a.static_shared == 1024 + 128 * 4 + 64 * 4 + 256 * 2);
  CHECK(a.parameter_base == b.parameter_base);
  CHECK(a.parameter_base == 0x210);
  REQUIRE(a.parameters.size() == 3);
  REQUIRE(b.parameters.size() == 3);
  for (std::uint32_t i = 0; i < 3; ++i) {
    CHECK(a.parameters.at(i).offset == b.parameters.at(i).offset);
    CHECK(a.parameters.at(i).bytes == (i < 2 ? 8 : 4));
  }
}

TEST_CASE("constant banks come from the ELF text") {
  const auto all = facts_from_elf_text(text_of(test::sass_data + "probe.sm_90.elf"), "probe.elf").value();
  const KernelFacts facts = facts_of(all, "constants");
  REQUIRE(facts.constants.contains(3));
  const auto& bank = facts.constants.at(3);
  REQUIRE(bank.size() >= 8);
  CHECK(int{bank[0]} == 5);
  CHECK(int{bank[4]} == 3);
}

TEST_CASE("an operand keeps its signs, its suffix and its addends") {
  const Operand address = *parse_operand("desc[UR4][R2.64+-0x10]");
  CHECK(address.kind == Operand::Kind::address);
  CHECK(address.value == -16);
  REQUIRE(address.terms.size() == 1);
  CHECK(address.terms[0].reg == 2);
  CHECK(address.terms[0].suffix == "64");
  const Operand half = *parse_operand("-R4.reuse.H1_H1");
  CHECK(half.negative);
  CHECK(half.reuse);
  CHECK(half.suffix == "H1_H1");
  const Operand absolute = *parse_operand("|R7|.reuse");
  CHECK(absolute.absolute);
  CHECK(absolute.suffix.empty());
  const Operand constant = *parse_operand("-c[0x3][UR4+0x8]");
  CHECK(constant.kind == Operand::Kind::constant);
  CHECK(constant.bank == 3);
  CHECK(constant.value == 8);
  CHECK(constant.negative);
  CHECK(parse_operand("+INF ")->kind == Operand::Kind::immediate);
  CHECK(parse_operand("`(.L_x_3)")->text == ".L_x_3");
  CHECK_FALSE(parse_operand("[R2").has_value());
  CHECK_FALSE(parse_operand("|R2").has_value());
}

TEST_CASE("every unreadable line of a listing is reported at once") {
  const std::string text =
      "\t\tFunction : broken\n"
      "        /*0000*/                   MOV R1, R2 ;\n"
      "        /*0010*/                   MOV R1, R2 ;    /* 0x0000000200017202 */\n"
      "        /*0020*/                   EXIT ;          /* 0x000000000000794d */\n"
      "                                                   /* 0x000fea0003800000 */\n"
      "        /*0040*/                   EXIT ;          /* 0x000000000000794d */\n"
      "                                                   /* 0x000fea0003800000 */\n";
  const auto listing = read_listing(text, "a.sass");
  REQUIRE_FALSE(listing.has_value());
  const std::string errors = to_string(listing.error());
  CHECK(listing.error().size() == 3);
  CHECK(errors.find("a.sass:2:36: error: no encoding") != std::string::npos);
  CHECK(errors.find("a.sass:4:36: error: the second half of the encoding") != std::string::npos);
  CHECK(errors.find("a.sass:6:36: error: the address does not follow") != std::string::npos);
}

TEST_CASE("a function may begin with its own name, that of its section, or both") {
  const std::string section = ".section\t.text.kernel,\"ax\",@progbits\n\t.sectioninfo\t@\"SHI_REGISTERS=8\"\n";
  const std::string code = "  /*0000*/  EXIT ;  /* 0x000000000000794d */\n      /* 0x000fea0003800000 */\n.L_x_0:\n";
  for (const char* label : {"kernel:\n", ".text.kernel:\n", "kernel:\n.text.kernel:\n"}) {
    CAPTURE(label);
    std::string text = section;
    text += label;
    text += code;
    const auto listing = read_listing(text, "kernel.sass");
    REQUIRE(listing.has_value());
    REQUIRE(listing->functions.size() == 1);
    CHECK(listing->functions[0].name == "kernel");
    CHECK(listing->functions[0].code.size() == 1);
    CHECK(listing->functions[0].labels.at(".L_x_0") == 16);
  }
}

TEST_CASE("a text without machine code is refused") {
  const auto listing = read_listing("hello\n", "b.txt");
  REQUIRE_FALSE(listing.has_value());
  CHECK(to_string(listing.error()).find("holds no machine code") != std::string::npos);
}

TEST_CASE("a function is found by its symbol, its C++ name or an unambiguous part") {
  const Listing listing = listing_of(test::sass_samples + "gpu/gemm_naive.sm_90.sass");
  CHECK(choose_function(listing, "_ZN9tilescope3gpu10gemm_naiveILNS0_5LanesE0EEEvPKfS4_Pfiii", 0).has_value());
  CHECK(choose_function(listing, "Lanes)1", 0).has_value());
  const auto two = choose_function(listing, "gemm_naive", 0);
  REQUIRE_FALSE(two.has_value());
  CHECK(two.error().find("several functions") != std::string::npos);
  CHECK_FALSE(choose_function(listing, "gemm_naive", 80).has_value());
  CHECK_FALSE(choose_function(listing, "nothing", 0).has_value());
}
