// Listings, ELF texts and launch files that claim the impossible: each gives one sentence with its place and exit
// code 2.
#include <sys/stat.h>

#include <chrono>
#include <functional>

#include "cli_answer.h"
#include "sass_runs.h"
#include "sass_text.h"
#include "traces/sass/architectures.h"

using namespace tilescope;

namespace {

// A launch file and what it names, in a folder of its own.
struct Case {
  test::SassScratch scratch;
  std::string grid = "[1]", args = "[]", more;
  std::vector<std::string> options;

  Case() { listing({"EXIT"}); }
  void listing(const std::vector<std::string>& code, const std::string& architecture = "sm_90") const {
    scratch.write("k.sass", test::sass_text(code, architecture));
  }
  void elf(const std::string& text) {
    scratch.write("k.elf", text);
    more = ", elf: k.elf";
  }
  CliAnswer run() const {
    const std::string file = scratch.write("k.yaml", "kernel: {sass: k.sass, registers: 16, static_smem: 0" + more +
                                                         "}\ngrid: " + grid + "\nblock: [32]\nargs: " + args + "\n");
    std::vector<std::string> words{"run", file, "--threads", "1"};
    words.insert(words.end(), options.begin(), options.end());
    CliAnswer answer = ask(words);
    // Names without the folder.
    const std::string folder = scratch.path.string() + "/";
    for (std::size_t at = 0; (at = answer.err.find(folder)) != std::string::npos;) answer.err.erase(at, folder.size());
    return answer;
  }
  // Exit code 2 and one sentence.
  std::string refusal() const {
    const CliAnswer answer = run();
    CHECK(answer.code == 2);
    CHECK(answer.out == "");
    return answer.err;
  }
};

// Of computing time; what is linear takes a tenth of it.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr double kSeconds = 150;  // instrumented and not optimised
#else
constexpr double kSeconds = 30;
#endif

double seconds_of(const std::function<void()>& work) {
  const auto before = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - before).count();
}

}  // namespace

TEST_CASE("a convergence barrier, a register range and a constant bank that do not exist are refused") {
  const struct {
    const char *text, *why;
  } rows[] = {
      {"BSSY B-1, 0x10", "operand 'B-1' should be a convergence barrier"},
      {"BSSY B16, 0x10", "operand 'B16' should be a convergence barrier"},
      {"LDG.E.128 R254, desc[UR4][R2.64]", "the registers behind R254 do not suffice"},
      {"STG.E.128 desc[UR4][R2.64], R253", "the registers behind R253 do not suffice"},
      {"LDG.E R0, desc[UR4][R254.64]", "the registers behind R254 do not suffice"},
      {"LDG.E R0, desc[UR4][R2.64+UR254]", "the registers behind UR254 do not suffice"},
      {"HGMMA.64x256x16.F32 R200, gdesc[UR8], R200", "the registers behind R200 do not suffice"},
      {"RET.REL.NODEC P0 0x0", "operand 'P0' should be a register"},
  };
  for (const auto& [text, why] : rows) {
    CAPTURE(text);
    CHECK(test::sass_refusal(text) ==
          "k.sass:3:19: error: not executed: got '" + std::string(text) + "': " + why + "\n");
  }
  for (const char* operand : {"c[0x100000003][0x0]", "c[-0x1][0x0]", "c[0x0][0x7fffffffffffffff]"}) {
    CAPTURE(operand);
    CHECK(test::sass_refusal("MOV R0, " + std::string(operand)) ==
          "k.sass:3:19: error: got '" + std::string(operand) + "'; must be an instruction of sm_80 or sm_90\n");
  }
  CHECK(test::sass_refusal("LDG.E R0, desc[UR4][P0]").find("must be an instruction") != std::string::npos);
}

TEST_CASE("an ELF text with impossible facts is refused at its line") {
  const struct {
    const char *text, *message;
  } rows[] = {
      {".nv.info.k\n\tAttribute:\tEIATTR_KPARAM_INFO\n\tValue:\tIndex : 0x0 Ordinal : 0x0 Offset : 0xfffffdf0 Size : "
       "0x8\n",
       "k.elf:3:2: error: a parameter at offset 0xfffffdf0 of 0x8 byte; parameters lie within 32764 byte\n"},
      {".nv.info.k\n\tAttribute:\tEIATTR_PARAM_CBANK\n\tValue:\tnone\n",
       "k.elf:3:2: error: EIATTR_PARAM_CBANK: got 'none'; must be two numbers such as 0x2 0x1c0210\n"},
      {".nv.info\n\tAttribute:\tEIATTR_REGCOUNT\n\tValue:\tfunction: k(0x1) register count: 99999999\n",
       "k.elf:3:2: error: registers per thread: must be at most 255\n"},
      {"  1 0 7fffffffffffff 0 80 NOBITS 0 0 10 .nv.shared.k\n",
       "k.elf:1:3: error: static shared memory: must be at most 233472 byte\n"},
  };
  for (const auto& [text, message] : rows) {
    CAPTURE(text);
    Case one;
    one.elf(text);
    CHECK(one.refusal() == message);
  }
}

TEST_CASE("nvdisasm's sections with impossible sizes are refused at their line") {
  const struct {
    const char *text, *message;
  } rows[] = {
      {"\t.section\t.nv.constant3,\"a\"\n\t.zero\t99999999999\n",
       "k.sass:2:2: error: a constant bank of 99999999999 byte or more; must have at most 65536\n"},
      {"\t.section\t.nv.constant3,\"a\"\n\t.zero\t65536\n\t.byte\t0x00\n",
       "k.sass:3:2: error: a constant bank of 65537 byte or more; must have at most 65536\n"},
      {"\t.section\t.nv.shared.k,\"a\"\n\t.zero\t99999999999999999999\n\t.zero\t99999999999\n",
       "k.sass:2:2: error: static shared memory: must be at most 233472 byte\n"},
      {"\t.section\t.nv.info.k,\"a\"\n\t//----- nvinfo : "
       "EIATTR_PARAM_CBANK\n\t.word\tindex@(k)\n\t.short\tfoo\n\t.short\t0x8\n",
       "k.sass:2:2: error: EIATTR_PARAM_CBANK: got 'foo'; must be a number\n"},
  };
  for (const auto& [text, message] : rows) {
    CAPTURE(text);
    const auto listing = sass::read_listing(text + std::string("\n") + test::sass_text({"EXIT"}), "k.sass");
    REQUIRE_FALSE(listing.has_value());
    CHECK(to_string(listing.error()).find(message) != std::string::npos);
  }
}

TEST_CASE("an architecture that is not known is refused, before parameters are read at the wrong place") {
  for (const char* known : {"sm_80", "sm_86", "sm_87", "sm_89", "sm_90", "sm_90a"}) {
    CAPTURE(known);
    Case one;
    one.listing({"EXIT"}, known);
    CHECK(one.run().code == 0);
    CHECK(sass::architecture_of(known) != 0);
  }
  for (const char* unknown : {"sm_100", "sm_75", "sm_120a", "sm_8"}) {
    CAPTURE(unknown);
    Case one;
    one.listing({"EXIT"}, unknown);
    const std::string digits = std::string(unknown).substr(3, std::string(unknown).find_last_of("0123456789") - 2);
    CHECK(one.refusal() == "k.sass:2:1: error: function 'k': the listing says sm_" + digits +
                               "; must be one of sm_80, sm_86, sm_87, sm_89, sm_90, sm_90a\n");
  }
  Case silent;
  silent.listing({"EXIT"}, "nothing");
  CHECK(silent.refusal().find("the listing says no architecture") != std::string::npos);
  for (const char* text : {"sm_90b", "90x", "", "sm_", "sm_99999999999"}) CHECK(sass::architecture_of(text) == 0);
}

TEST_CASE("arguments that refer to themselves or grow without end are refused") {
  Case recursive;
  recursive.args = "[&a {struct: [*a]}]";
  const std::string refused = recursive.refusal();
  CHECK(refused.starts_with("k.yaml:4:"));
  CHECK(refused.find("deep") != std::string::npos);

  Case grown;
  grown.args = "\n  - &x0 {struct: [1, 1, 1, 1, 1, 1, 1, 1, 1, 1]}\n";
  for (int level = 1; level <= 10; ++level) {
    std::string members;
    for (int i = 0; i < 10; ++i) members += (i == 0 ? "*x" : ", *x") + std::to_string(level - 1);
    grown.args += "  - &x" + std::to_string(level) + " {struct: [" + members + "]}\n";
  }
  CHECK(grown.refusal().find("more than") != std::string::npos);

  Case many;
  many.args = "[";
  for (int i = 0; i < 9000; ++i) many.args += "1, ";
  many.args += "1]";
  CHECK(many.refusal().find("args: the arguments have more than 32764 byte") != std::string::npos);
}

TEST_CASE("YAML at which the parser stands still is refused") {
  Case one;
  one.scratch.write("comma.yaml", "# a remark\n,kernel: {sass: k.sass}\ngrid: 1\n");
  const CliAnswer answer = ask({"run", (one.scratch.path / "comma.yaml").string()});
  CHECK(answer.code == 2);
  CHECK(answer.err.ends_with("comma.yaml:2:1: error: not valid YAML: nothing can begin here\n"));
}

TEST_CASE("a buffer is filled from a regular file of its size or less") {
  const struct {
    const char *args, *message;
  } rows[] = {
      {"[{buffer: 4KiB, file: /dev/zero}]",
       "k.yaml:4:29: error: args: file: '/dev/zero': is a pipe, a socket or a device; must be a file\n"},
      {"[{buffer: 4KiB, file: .}]", "k.yaml:4:29: error: args: file: '.': is a directory; must be a file\n"},
      {"[{buffer: 4, file: k.sass}]",
       "k.yaml:4:26: error: args: file: 'k.sass': is too large; must have at most 4 bytes\n"},
      {"[{buffer: 4, file: pipe}]",
       "k.yaml:4:26: error: args: file: 'pipe': is a pipe, a socket or a device; must be a file\n"},
  };
  for (const auto& [args, message] : rows) {
    CAPTURE(args);
    Case one;
    REQUIRE(mkfifo((one.scratch.path / "pipe").c_str(), 0600) == 0);
    one.args = args;
    CHECK(one.refusal() == message);
  }
}

TEST_CASE("a pipe as listing, ELF text or launch file is refused") {
  Case one;
  REQUIRE(mkfifo((one.scratch.path / "pipe.yaml").c_str(), 0600) == 0);
  const std::string irregular = "is a pipe, a socket or a device; must be a file\n";
  const CliAnswer launch = ask({"run", (one.scratch.path / "pipe.yaml").string()});
  CHECK(launch.code == 2);
  CHECK(launch.err.ends_with(irregular));
  one.more = ", elf: pipe.yaml";
  CHECK(one.refusal() == "k.yaml:1:60: error: kernel.elf: 'pipe.yaml': " + irregular);
  std::filesystem::remove(one.scratch.path / "k.sass");
  REQUIRE(mkfifo((one.scratch.path / "k.sass").c_str(), 0600) == 0);
  one.more = "";
  CHECK(one.refusal() == "k.yaml:1:16: error: kernel.sass: 'k.sass': " + irregular);
}

TEST_CASE("buffers hold what the limit allows, and it can be changed") {
  Case one;
  one.args = "[";
  for (int i = 0; i < 20; ++i) one.args += "{buffer: 4GiB, init: random, below: 2}, ";
  one.args += "{buffer: 8}]";
  one.options = {"--limit", "buffer_bytes=1000000"};
  const std::string refused = one.refusal();
  CHECK(refused.find("k.yaml:4:29: error: args: buffer: the filled buffers of this launch hold too much; the limit is "
                     "buffer_bytes=1000000; --limit buffer_bytes=N changes it\n") == 0);
  one.args = "[{buffer: 600KiB, init: iota}, {buffer: 600KiB, init: iota}]";
  CHECK(one.refusal().find("k.yaml:4:61: error") == 0);
  one.options = {"--limit", "buffer_bytes=2000000"};
  CHECK(one.run().code == 0);
  one.args = "[{buffer: 1024GiB}, {buffer: 8}]";
  CHECK(one.refusal() ==
        "k.yaml:4:36: error: args: buffer: the buffers of a launch hold more than 1099511627776 byte\n");
}

TEST_CASE("a grid has the sizes of hardware, and no more CTAs than the limit") {
  Case one;
  one.grid = "[2147483647, 2147483647, 4]";
  CHECK(one.refusal() == "k.yaml:2:20: error: grid: got '2147483647'; must be a whole number from 1 to 65535\n");
  one.grid = "[2147483647, 65535, 65535]";
  CHECK(one.refusal() ==
        "k.yaml:2:7: error: grid: got 9223090559730712575 CTAs; the limit is grid_ctas=16777216; "
        "--limit grid_ctas=N changes it\n");
  one.grid = "[2147483647]";
  CHECK(one.refusal().find("got 2147483647 CTAs") != std::string::npos);
  one.grid = "[100]";
  one.options = {"--limit", "grid_ctas=99"};
  CHECK(one.refusal().find("got 100 CTAs; the limit is grid_ctas=99") != std::string::npos);
}

TEST_CASE("a limit is one of those that exist and a whole number") {
  Case one;
  const struct {
    const char *limit, *message;
  } rows[] = {{"warp_instruction=5", "did you mean warp_instructions?"},
              {"grid_ctas=0", "--limit: grid_ctas: got '0'; must be a whole number from 1 to 1099511627776"},
              {"grid_ctas=1e6", "got '1e6'"},
              {"grid_ctas", "got ''"},
              {"grid_ctas=99999999999999999999", "got '99999999999999999999'"}};
  for (const auto& [limit, message] : rows) {
    CAPTURE(limit);
    one.options = {"--limit", limit};
    CHECK(one.refusal().find(message) != std::string::npos);
  }
}

TEST_CASE("a loop without an end is refused within seconds, in every mode") {
  const std::vector<std::string> alone = {"BRA 0x0", "EXIT"};
  // The address comes out of shared memory: the warps of a CTA run together.
  const std::vector<std::string> together = {"LDS R2, [R2]", "LDS R3, [R2]", "BAR.SYNC 0x0", "BRA 0x0", "EXIT"};
  for (const auto& code : {alone, together})
    for (const std::vector<std::string>& mode :
         {std::vector<std::string>{"--sample", "off"}, {"--sample", "auto"}, {"--mode", "counts"}}) {
      CAPTURE(code.size());
      CAPTURE(mode.back());
      Case one;
      one.listing(code);
      one.grid = "[10000]";
      one.options = mode;
      one.options.insert(one.options.end(), {"--limit", "warp_instructions=300000"});
      std::string refused;
      CHECK(seconds_of([&] { refused = one.refusal(); }) < kSeconds);
      CHECK(refused.find("the warp does not end; the limit is warp_instructions=300000; --limit warp_instructions=N "
                         "changes it\n") != std::string::npos);
      CHECK(refused.find(code.size() == 2 ? "k.sass:3:19: error: 'BRA 0x0': in CTA " : "k.sass:") == 0);
    }
}

TEST_CASE("the instructions of a CTA whose warps run together are limited, and those of the function") {
  Case one;
  one.listing({"LDS R2, [R2]", "LDS R3, [R2]", "BRA 0x0", "EXIT"});
  one.options = {"--limit", "cta_instructions=100000"};
  const std::string refused = one.refusal();
  CHECK(refused.starts_with("k.sass:"));
  CHECK(
      refused.ends_with(": in CTA 0, warp 0: the CTA does not end; the limit is cta_instructions=100000; --limit "
                        "cta_instructions=N changes it\n"));
  one.listing({"NOP", "NOP", "EXIT"});
  one.options = {"--limit", "function_instructions=2"};
  CHECK(one.refusal() ==
        "k.sass:2:1: error: function 'k' holds 3 instructions; the limit is function_instructions=2; "
        "--limit function_instructions=N changes it\n");
  one.listing({});
  CHECK(one.refusal() == "k.sass:2:1: error: function 'k' holds no instruction\n");
  one.listing({"EXIT"});
  one.options = {"--limit", "listing_bytes=20"};
  CHECK(one.refusal().find("is too large; must have at most 20 bytes; the limit is listing_bytes=20") !=
        std::string::npos);
}

TEST_CASE("a kernel that ends is not held up by a longer warp than the first") {
  // CTA 0 leaves at once, the others loop 60,000 times.
  Case one;
  one.listing({"S2R R0, SR_CTAID.X", "ISETP.EQ.AND P0, PT, R0, RZ, PT", "@P0 EXIT", "MOV R1, 0xea60",
               "IADD3 R1, R1, -0x1, RZ", "ISETP.NE.AND P0, PT, R1, RZ, PT", "@P0 BRA 0x40", "EXIT"});
  one.grid = "[3]";
  one.options = {"--mode", "counts", "--format", "csv", "--limit", "warp_instructions=180010"};
  CHECK(one.run().code == 0);
  one.options.back() = "warp_instructions=170000";
  CHECK(one.refusal().find("in CTA 1, warp 0: the warp does not end") != std::string::npos);
}

TEST_CASE("a jump to no instruction and a fall off the end of the code are refused") {
  Case one;
  one.listing({"NOP"});
  CHECK(one.refusal() ==
        "k.sass:3:19: error: 'NOP': in CTA 0, warp 0: the code goes to 0x10, where no instruction is "
        "expected\n");
  one.listing({"MOV R4, 0xffffffff", "RET.REL.NODEC R4 0x0", "EXIT"});
  CHECK(one.refusal().find("the code goes to 0xfffffff0, where no instruction is expected") != std::string::npos);
}

TEST_CASE("a hundred thousand calls and returns take seconds") {
  std::vector<std::string> code;
  for (int i = 0; i < 100'000; ++i) code.push_back(fmt::format("CALL.REL.NOINC {:#x}", 16 * (i + 1)));
  for (int i = 0; i < 100'000; ++i) code.emplace_back("RET.REL.NODEC R20 0x0");
  code.emplace_back("EXIT");
  CHECK(seconds_of([&] { CHECK(test::sass_program(code).has_value()); }) < kSeconds);
}

TEST_CASE("a long block of loads takes seconds") {
  std::vector<std::string> code;
  for (int i = 0; i < 50'000; ++i)
    code.push_back(i % 2 == 0 ? fmt::format("LDS.U8 R0, [R{}+UR{}]", i / 2 % 250, i / 500 % 250)
                              : fmt::format("LDS.U8 R0, [R{}.X4+UR{}]", i / 2 % 250, i / 500 % 250));
  code.emplace_back("EXIT");
  CHECK(seconds_of([&] { CHECK(test::sass_program(code).has_value()); }) < kSeconds);
}

TEST_CASE("a thousand errors of a listing are told") {
  const std::vector<std::string> code(3000, "NO.SUCH");
  const auto program = test::sass_program(code);
  REQUIRE_FALSE(program.has_value());
  CHECK(program.error().size() == 1000);
}
