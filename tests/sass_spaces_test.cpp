// 547 launches of 133 kernels, a memory space and an operation each, and three products that spill: the counters that
// the program publishes are those that Nsight Compute counted on an H200. docs/memory-spaces.md
#include <fmt/format.h>

#include "published.h"
#include "sass_runs.h"

using namespace tilescope;

namespace {

const std::string spaces = test::sass_data + "spaces/";

// What run.cu fills the input with.
std::string input() {
  std::string bytes(std::size_t{4} << 20U, '\0');
  std::uint32_t x = 12345;
  for (std::size_t i = 0; i < bytes.size(); i += 4) {
    x = x * 1664525U + 1013904223U;
    for (unsigned b = 0; b < 4; ++b) bytes[i + b] = static_cast<char>(x >> 1U >> (8 * b));
  }
  return bytes;
}

const char* const kCounters[] = {
    "smsp__inst_executed.sum",
    "smsp__inst_executed_op_generic_atom.sum",
    "smsp__inst_executed_op_generic_ld.sum",
    "smsp__inst_executed_op_generic_st.sum",
    "smsp__inst_executed_op_global_ld.sum",
    "smsp__inst_executed_op_global_st.sum",
    "smsp__inst_executed_op_global_red.sum",
    "smsp__inst_executed_op_local_ld.sum",
    "smsp__inst_executed_op_local_st.sum",
    "smsp__inst_executed_op_shared_ld.sum",
    "smsp__inst_executed_op_shared_st.sum",
    "smsp__inst_executed_op_shared_stsm.sum",
    "smsp__inst_executed_op_shared_atom.sum",
    "smsp__inst_executed_op_ldgsts.sum",
    "smsp__inst_executed_op_ldsm.sum",
    "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum",
    "l1tex__t_requests_pipe_lsu_mem_global_op_st.sum",
    "l1tex__t_requests_pipe_lsu_mem_global_op_atom.sum",
    "l1tex__t_requests_pipe_lsu_mem_global_op_red.sum",
    "l1tex__t_requests_pipe_lsu_mem_local_op_ld.sum",
    "l1tex__t_requests_pipe_lsu_mem_local_op_st.sum",
    "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum",
    "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum",
    "l1tex__t_sectors_pipe_lsu_mem_global_op_atom.sum",
    "l1tex__t_sectors_pipe_lsu_mem_global_op_red.sum",
    "l1tex__t_sectors_pipe_lsu_mem_local_op_ld.sum",
    "l1tex__t_sectors_pipe_lsu_mem_local_op_st.sum",
    "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum",
    "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum",
    "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_atom.sum",
    "l1tex__m_l1tex2xbar_write_sectors.sum",
    "lts__t_sectors_srcunit_tex_op_atom.sum",
    "lts__t_sectors_srcunit_tex_op_red.sum",
};

// Loops of LDS and ATOMS.CAST.SPIN go round as often as warps happen to meet.
bool depends_on_time(const std::string& kernel) {
  for (const char* const one : {"shared_add_u64", "shared_add_f32", "shared_add_f16x2"})
    if (kernel.starts_with(one)) return true;
  return false;
}

// Where the program differs, and what it says: docs/memory-spaces.md, "Where the program differs".
struct Deviation {
  std::string kernel;
  int n;
  std::string counter;
  double published;
};
const std::string to_l2 = "l1tex__m_l1tex2xbar_write_sectors.sum";
const std::string load_sectors = "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum";
const std::string load_wavefronts = "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum";
const Deviation kDeviations[] = {
    // L1 joins stores to the same sectors one behind the other.
    {"global_st_16", 2, to_l2, 72},
    {"generic_st_4", 0x401, to_l2, 104},
    {"generic_st_4", 0x501, to_l2, 104},
    {"generic_st_16", 0x302, to_l2, 104},
    {"generic_st_1", 0x401, to_l2, 92},
    {"generic_st_2", 0x401, to_l2, 96},
    {"store_release_cta", 4, to_l2, 128},  // counted, not timed
    // A second copy past L1 of sectors on their way counts none.
    {"async_cg_16", 0x410, load_sectors, 128},
    {"async_cg_16", 0x405, load_sectors, 128},
    {"async_cg_16", 0x170, load_sectors, 48},
    {"async_cg_16", 0x165, load_sectors, 48},
    // Lanes of one access in all three spaces.
    {"generic_ld_4", 0x401, "l1tex__t_requests_pipe_lsu_mem_local_op_ld.sum", 2},
    {"generic_st_1", 0x401, "l1tex__t_requests_pipe_lsu_mem_local_op_st.sum", 18},
    {"generic_st_2", 0x401, "l1tex__t_requests_pipe_lsu_mem_local_op_st.sum", 18},
    {"generic_ld_16", 0x401, load_wavefronts, 4},
    {"generic_ld_8", 0x401, load_wavefronts, 2},
};

const Deviation* deviation(const std::string& kernel, int n, const std::string& counter) {
  for (const Deviation& known : kDeviations)
    if (known.kernel == kernel && known.n == n && known.counter == counter) return &known;
  return nullptr;
}

}  // namespace

TEST_CASE("every memory space and operation counts as the hardware counts it") {
  const test::SassScratch scratch;
  scratch.write("in.bin", input());
  std::size_t launches = 0;
  for (auto& row : test::sass_table("spaces/spaces_h200.csv")) {
    const std::string kernel = row["kernel"];
    if (depends_on_time(kernel) || std::stoi(row["grid"]) > 8) continue;
    const std::string n = row["n"];
    CAPTURE(kernel);
    CAPTURE(n);
    const std::string file = scratch.write(
        "launch.yaml",
        fmt::format("kernel: {{sass: {0}spaces.sm_90.sass, elf: {0}spaces.sm_90.elf, name: {1}}}\ngrid: [{2}]\n"
                    "block: [{3}]\nargs: [{{buffer: 4MiB, init: zero}}, {{buffer: 4MiB, file: in.bin}}, {4}]\n",
                    spaces, kernel, row["grid"], row["block"], n));
    auto published = test::published(*test::sass_kernel(file), ++launches % 4 == 0 ? Mode::timing : Mode::counts);
    for (const std::string counter : kCounters) {
      CAPTURE(counter);
      const Deviation* const known = deviation(kernel, std::stoi(n), counter);
      CHECK(published.at(counter) == (known != nullptr ? known->published : std::stod(row[counter])));
      if (known != nullptr) CHECK(known->published != std::stod(row[counter]));
    }
  }
  CHECK(launches > 500);
}

TEST_CASE("products that spill count their local memory apart from their global memory") {
  const test::SassScratch scratch;
  for (auto& row : test::sass_table("spaces/triton_h200.csv")) {
    const std::string kernel = row["kernel"];
    CAPTURE(kernel);
    const bool large = kernel.find("128x128") != std::string::npos;
    const std::string file = scratch.write(
        "launch.yaml",
        fmt::format("kernel: {{sass: {0}{1}.sm_90.sass, elf: {0}{1}.sm_90.elf}}\ngrid: {2}\nblock: [{3}]\n"
                    "dynamic_smem: {4}\nargs: [{{buffer: 1MiB}}, {{buffer: 1MiB}}, {{buffer: 1MiB}}, 512, 512, 512, "
                    "{{i64: 0}}, {{i64: 0}}]\n",
                    spaces, kernel, large ? "[4, 4]" : "[8, 8]", large ? 128 : 64, large ? 32768 : 16384));
    auto published = test::published(*test::sass_kernel(file));
    for (const std::string counter : kCounters) {
      CAPTURE(counter);
      const double seen = std::stod(row[counter]);
      // Hardware's counter includes passes that depend on timing.
      if (counter == load_wavefronts) {
        CHECK(published.at(counter) <= seen);
        CHECK(published.at(counter) >= 0.997 * seen);
      } else {
        CHECK(published.at(counter) == seen);
      }
    }
  }
}
