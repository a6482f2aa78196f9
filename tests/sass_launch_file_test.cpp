// `tilescope run file.yaml`: samples run, everything wrong is said at once, exit code 2.
#include <sys/stat.h>

#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>

#include "cli_answer.h"
#include "published.h"
#include "sass_runs.h"

using namespace tilescope;

namespace {

CliAnswer run(const std::string& file, std::vector<std::string> more = {}) {
  std::vector<std::string> words{"run", file, "--threads", "1"};
  words.insert(words.end(), more.begin(), more.end());
  return ask(words);
}

// Sets an environment variable until the end of the scope.
struct Variable {
  std::string name, before;
  Variable(std::string variable, const std::string& value) : name(std::move(variable)) {
    if (const char* old = std::getenv(name.c_str())) before = old;
    setenv(name.c_str(), value.c_str(), 1);
  }
  ~Variable() { setenv(name.c_str(), before.c_str(), 1); }
};

}  // namespace

TEST_CASE("the samples run, counted and timed, with the same counts") {
  for (const char* sample : {"through_shared", "triton_vadd"}) {
    CAPTURE(sample);
    const std::string file = test::sass_samples + sample + ".yaml";
    const CliAnswer counted = run(file, {"--mode", "counts", "--format", "json"});
    const CliAnswer timed = run(file, {"--sample", "off", "--format", "json"});
    REQUIRE_MESSAGE(counted.code == 0, counted.err);
    REQUIRE_MESSAGE(timed.code == 0, timed.err);
    const auto a = nlohmann::json::parse(counted.out)["metrics"], b = nlohmann::json::parse(timed.out)["metrics"];
    for (const char* metric :
         {"smsp__inst_executed.sum", "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum",
          "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum", "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum",
          "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum"}) {
      CAPTURE(metric);
      CHECK(a[metric] == b[metric]);
    }
    CHECK(b["gpc__cycles_elapsed.max"] > 0);
  }
}

TEST_CASE("every sample runs") {
  int samples = 0;
  for (const auto& entry : std::filesystem::directory_iterator(test::sass_samples)) {
    if (entry.path().extension() != ".yaml") continue;
    ++samples;
    const CliAnswer answer = run(entry.path().string(), {"--mode", "counts"});
    CHECK_MESSAGE(answer.code == 0, answer.err);
  }
  CHECK(samples > 9);
}

TEST_CASE("a chain of pointers visits every place once") {
  const test::SassScratch scratch;
  const std::string head =
      "kernel: {sass: " + test::sass_samples + "gpu/pointer_chase.sm_90.sass}\ngrid: [1]\nblock: [1]\n";
  const auto chase = [&](const std::string& buffer, int steps) {
    return scratch.write("chase.yaml",
                         head + "args: [{buffer: 4KiB, " + buffer + "}, {buffer: 8}, " + std::to_string(steps) + "]\n");
  };
  const auto lines = [&](int steps) {
    const auto kernel = test::sass_kernel(chase("init: chain, stride: 128", steps));
    std::set<std::uint64_t> seen;
    const auto stream = kernel->make_stream();
    stream->start(0, 0, Operands::all);
    for (Segment segment; stream->next(segment);) {
      const MemoryOperand* operand = segment.operands;
      for (std::uint32_t i = 0; i < segment.length; ++i) {
        if (segment.code[i].op == OpClass::global_load) seen.insert(operand->base / 128);
        operand += memory_operands(segment.code[i].op);
      }
    }
    return seen.size();
  };
  CHECK(lines(20) == 20);
  CHECK(lines(50) == 32);  // 4 KiB in steps of 128
  CHECK(refused(run(chase("init: chain, stride: 12", 1)), "init: chain needs a stride that is a multiple of 8"));
  CHECK(refused(run(chase("stride: 128", 1)), "stride: goes with init: chain"));
}

TEST_CASE("a struct's members lie as C lays them out") {
  const test::SassScratch scratch;
  const std::string head = "kernel: {sass: " + test::sass_samples +
                           "gpu/reread.sm_90.sass, elf: " + test::sass_samples +
                           "gpu/reread.sm_90.elf, name: rereadI6float4Lb1ELi8E}\ngrid: [1]\nblock: [32]\n";
  const auto with = [&](const std::string& members) {
    return scratch.write("struct.yaml", head + "args: [{buffer: 4KiB}, {buffer: 8}, " + members + ", {f32: .inf}]\n");
  };
  // 4 + 4 unused, 8, 1 + 7 unused, 8, 8, 4, 4: the 48 bytes of RereadShape
  const std::string whole = "{struct: [1, {i64: 4096}, {u8: 1}, {i64: 4096}, {i64: 512}, 1, 1]}";
  CHECK(test::published(*test::sass_kernel(with(whole)))["l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum"] == 8);
  CHECK(refused(run(with("{struct: [1, {i64: 4096}, {u8: 1}]}")), "args: parameter 3 has 48 byte, this argument 24"));
  CHECK(refused(run(with("{struct: 3}")), "struct: got '3'; must be a list of its members"));
}

TEST_CASE("the result does not depend on the number of threads") {
  const std::string file = test::sass_samples + "through_shared.yaml";
  CHECK(ask({"run", file, "--threads", "1", "--format", "json"}).out ==
        ask({"run", file, "--threads", "3", "--format", "json"}).out);
}

TEST_CASE("every unknown opcode is listed with its line, and nothing runs") {
  const test::SassScratch scratch;
  std::ifstream in(test::sass_data + "bulk.sm_90.sass");
  std::string text{std::istreambuf_iterator<char>(in), {}};
  for (const char* opcode : {"UBLKCP.S.G", "ELECT P1"}) text.replace(text.find(opcode), 4, "QQQQ");
  const std::string file =
      scratch.write("unknown.yaml", "kernel: {sass: " + scratch.write("unknown.sass", text) +
                                        "}\ngrid: [2]\nblock: [128]\nargs: [{buffer: 64KiB}, {buffer: 64KiB}, 256]\n");
  const CliAnswer answer = run(file);
  CHECK(answer.code == 2);
  CHECK(answer.out.empty());
  for (const char* opcode : {"QQQQCP.S.G", "QQQQT"})
    CHECK(answer.err.find(std::string("error: unknown opcode: got '") + opcode + "'") != std::string::npos);
  CHECK(answer.err.find("unknown.sass:") != std::string::npos);
}

TEST_CASE("all errors of a launch file come in one run") {
  const test::SassScratch scratch;
  const std::string file =
      scratch.write("bad.yaml",
                    "kernel: {sas: x.sass}\n"
                    "grid: [0, 2]\n"
                    "block: [64, 64]\n"
                    "blok: 3\n"
                    "args: [{bufer: 4KiB}, 1.5, {f32: x}, {buffer: lots}, {buffer: 4KiB, init: ones}]\n");
  const CliAnswer answer = run(file);
  CHECK(answer.code == 2);
  for (const char* sentence :
       {"kernel.sas: unknown key (did you mean sass?)", "kernel: must have either sass", "2:8: error: grid: got '0'",
        "block: got 4096 threads", "4:1: error: blok: unknown key (did you mean block?)", "(did you mean buffer?)",
        "i32: got '1.5'", "f32: got 'x'", "buffer: got 'lots'",
        "init: got 'ones'; must be zero, iota, random or chain"}) {
    CAPTURE(sentence);
    CHECK_MESSAGE(answer.err.find(sentence) != std::string::npos, answer.err);
  }
}

TEST_CASE("arguments must fit the kernel's parameters") {
  const test::SassScratch scratch;
  const std::string head =
      "kernel: {sass: " + test::sass_samples + "through_shared.sm_90.nvdisasm.sass}\ngrid: [2]\nblock: [128]\n";
  CHECK(refused(run(scratch.write("few.yaml", head + "args: [{buffer: 64KiB}, 3]\n")), "args: got 2; must be 3"));
  CHECK(refused(run(scratch.write("size.yaml", head + "args: [{buffer: 64KiB}, 3, 256]\n")),
                "args: parameter 2 has 8 byte, this argument 4"));
  CHECK(refused(run(test::sass_samples + "through_shared.yaml", {"-p", "M=4"}),
                "a launch file has no parameters to set"));
}

TEST_CASE("a cubin needs nvdisasm: without it the answer says what to install, with it the kernel runs") {
  const test::SassScratch scratch;
  scratch.write("k.cubin",
                "\x7f"
                "ELF");
  const std::string file = scratch.write("cubin.yaml",
                                         "kernel: {cubin: k.cubin, name: through_shared}\ngrid: [2]\nblock: [128]\n"
                                         "args: [{buffer: 64KiB}, {buffer: 64KiB}, 256]\n");
  const std::string tool = scratch.write(
      "nvdisasm", "#!/bin/sh\nexec /bin/cat " + test::sass_samples + "through_shared.sm_90.nvdisasm.sass\n");
  {
    const Variable path("PATH", "/nowhere"), home("CUDA_HOME", "/nowhere");
    CHECK(refused(run(file), "install the CUDA Toolkit"));
  }
  chmod(tool.c_str(), 0755);
  const Variable own("TILESCOPE_NVDISASM", tool);
  const CliAnswer answer = run(file, {"--mode", "counts"});
  CHECK_MESSAGE(answer.code == 0, answer.err);
  scratch.write("nvdisasm", "#!/bin/sh\necho 'fatal: not a cubin' >&2\nexit 1\n");
  CHECK(refused(run(file), "refused it: 'fatal: not a cubin'"));
}
