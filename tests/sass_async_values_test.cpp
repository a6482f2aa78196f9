// Kernels of mbarriers, bulk and tensor copies and clusters, executed here and on an H100: what they write, bit for
// bit.
#include <fmt/format.h>

#include "sass_runs.h"
#include "traces/sass/sass_kernel.h"

using namespace tilescope;

namespace {

constexpr std::uint64_t kBuffer = std::uint64_t{16} << 20U;

struct Output {
  std::uint64_t address = 0x7f0000000000;  // of the buffer that the tensor map is of
  bool is_output = false;
  std::size_t bytes = 65536;  // of the output that count
};

std::string hex_of(std::initializer_list<int> words) {
  std::string text;
  for (const int word : words)
    for (unsigned byte = 0; byte < 4; ++byte)
      text += fmt::format("{:02x}", static_cast<unsigned>(word) >> (8 * byte) & 255U);
  return text;
}

// The coordinates of each box, as the kernels take them: five numbers and three offsets.
std::string coordinates(const std::string& name) {
  static const std::map<std::string, std::string> known = {
      {"1d", hex_of({100, 0, 0, 0, 0, 0, 0})},
      {"1d_past_end", hex_of({960, 0, 0, 0, 0, 0, 0})},
      {"2d_edge", hex_of({480, 280, 0, 0, 0, 0, 0})},
      {"2d_128_edge", hex_of({480, 280, 0, 0, 0, 0, 0})},
      {"2d_before", hex_of({-8, -3, 0, 0, 0, 0, 0})},
      {"2d_outside", hex_of({512, 0, 0, 0, 0, 0, 0})},
      {"2d_u8", hex_of({256, 7, 0, 0, 0, 0, 0})},
      {"2d_f64", hex_of({4, 7, 0, 0, 0, 0, 0})},
      {"2d_i32", hex_of({4, 7, 0, 0, 0, 0, 0})},
      {"2d_u64", hex_of({4, 7, 0, 0, 0, 0, 0})},
      {"2d_i64", hex_of({4, 7, 0, 0, 0, 0, 0})},
      {"2d_tf32", hex_of({4, 7, 0, 0, 0, 0, 0})},
      {"2d_f32_ftz", hex_of({4, 7, 0, 0, 0, 0, 0})},
      {"2d_tf32_ftz", hex_of({4, 7, 0, 0, 0, 0, 0})},
      {"3d_128", hex_of({64, 5, 2, 0, 0, 0, 0})},
      {"3d_out", hex_of({40, 45, -1, 0, 0, 0, 0})},
      {"4d", hex_of({40, 45, 1, 3, 0, 0, 0})},
      {"5d", hex_of({40, 1, 4, 3, 3, 0, 0})},
      {"im3", hex_of({16, 3, 1, 0, 0, 1, 0})},
      {"im4", hex_of({32, 17, 2, 1, 0, 2 | 1 << 16, 0})},
      {"im4_steps", hex_of({0, 15, 1, 1, 0, 2 << 16, 0})},
      {"im5", hex_of({8, 7, 5, 4, 1, 1, 0})},
  };
  const auto found = known.find(name);
  return found == known.end() ? hex_of({128, 7, 0, 0, 0, 0, 0}) : found->second;
}

std::string launch_of(std::map<std::string, std::string>& row, Output& place) {
  std::size_t& bytes = place.bytes;
  std::uint64_t& address = place.address;
  const std::string kernel = row["kernel"], arguments = row["arguments"], map = row["tensor_map"];
  std::string grid = "1", block = "64", shared = "0", name = kernel, args, cluster;
  const std::string in = "{pointer: in}", out = "{pointer: out}";
  for (unsigned byte = 0; byte < 8 && !map.empty(); ++byte)
    address = (byte == 0 ? 0 : address) | std::stoull(map.substr(2 * byte, 2), nullptr, 16) << (8 * byte);
  if (kernel == "mbarriers") {
    block = "32", args = out, bytes = 84;
  } else if (kernel == "copies_at_mbarrier") {
    block = "128", args = in + ", " + out + ", " + arguments, bytes = 2048;
  } else if (kernel == "bulk_round") {
    shared = "16384", bytes = 65536 * 5;
    args = "{pointer: in, offset: 64}, " + out + ", {pointer: out, offset: 262144}, " + arguments;
  } else if (kernel == "cluster_words") {
    grid = "8", block = "128", cluster = "cluster: [4]\n", args = out, bytes = 8 * 256 * 8;
  } else if (kernel == "load" || kernel == "im2col") {
    const unsigned rank = (static_cast<unsigned>(std::stoul(map.substr(16, 2), nullptr, 16)) >> 4U & 7U) + 1;
    name = fmt::format("{}_{}d", kernel, rank), shared = "100000";
    args = fmt::format("{{bytes: \"{}\"}}, {}, {{bytes: \"{}\"}}, {}", map, out, coordinates(arguments), row["bytes"]);
  } else if (kernel == "store") {
    const int add = arguments[0] - '0', x = std::stoi(arguments.substr(4));
    name = "store_2d", shared = "40000", bytes = 1 << 19;
    args = fmt::format("{{bytes: \"{}\"}}, {{bytes: \"{}\"}}, 4096, {}", map,
                       hex_of({add != 0 ? x / 2 : x, 290, 0, 0, 0, 0, 0}), add);
  } else if (kernel == "map_in_memory") {
    shared = "40000";
    args = "{pointer: map}, " + out + ", {bytes: \"" + hex_of({0, 5, 0, 0, 0, 0, 0}) + "\"}, 4096";
  } else {
    const bool pair = arguments[0] == '2';
    name = pair ? "pipeline_pair" : "pipeline_alone", grid = "132", block = "160", shared = "40000", bytes = 132 * 512;
    if (pair) cluster = "cluster: [2]\n";
    args = fmt::format("{{bytes: \"{}\"}}, {}, 64, {}, {}", map, out, arguments[2], arguments.substr(4));
  }
  const bool into = place.is_output = kernel == "store";
  return fmt::format(
      "kernel: {{sass: {0}async/async.sm_90.sass.zst, elf: {0}async/async.sm_90.elf.zst, name: {1}}}\ngrid: "
      "[{2}]\nblock: "
      "[{3}]\n{4}dynamic_smem: {5}\nbuffers:\n  {8}: {{size: 16MiB, address: {6:#x}, init: {10}}}\n  {9}: {{size: "
      "16MiB, "
      "init: {11}}}\n  map: {{size: 128, file: map.bin}}\nargs: [{7}]\n",
      test::sass_data, name, grid, block, cluster, shared, address, args, into ? "out" : "in", into ? "in" : "out",
      into ? "zero" : "iota", into ? "iota" : "zero");
}

}  // namespace

TEST_CASE("mbarriers, copies and clusters write what the hardware wrote") {
  const test::SassScratch scratch;
  for (auto& row : test::sass_table("async/async_h100.csv")) {
    std::string map;
    for (std::size_t i = 0; i + 1 < row["tensor_map"].size(); i += 2)
      map += static_cast<char>(std::stoul(row["tensor_map"].substr(i, 2), nullptr, 16));
    scratch.write("map.bin", map.empty() ? "0" : map);
    CAPTURE(row["kernel"]);
    CAPTURE(row["arguments"]);
    Output place;
    auto launch = sass::read_launch_file(scratch.write("async.yaml", launch_of(row, place)), true);
    if (!launch) FAIL(to_string(launch.error()));
    const int times = row["kernel"] == "store" && row["arguments"][0] == '1' ? 2 : 1;
    for (int i = 0; i < times; ++i) {
      try {
        sass::execute_grid(launch->program, launch->launch, launch->memory, launch->shared_bytes);
      } catch (const DiagnosticsError& error) {
        CHECK_MESSAGE(false, error.what());
      }
    }
    const auto out =
        std::find_if(launch->memory.buffers.begin(), launch->memory.buffers.end(), [&](const auto& buffer) {
          return buffer.size == kBuffer && (buffer.base == place.address) == place.is_output;
        });
    REQUIRE(out != launch->memory.buffers.end());
    std::uint64_t hash = 1469598103934665603ULL;
    out->bytes.resize(kBuffer);
    for (std::size_t i = 0; i < place.bytes; ++i) hash = (hash ^ out->bytes[i]) * 1099511628211ULL;
    if (row["kernel"] == "mbarriers") {
      std::string words;
      for (std::size_t i = 0; i < 21; ++i) {
        std::uint32_t word = 0;
        std::memcpy(&word, out->bytes.data() + 4 * i, 4);
        words += fmt::format(" {:08x}", word);
      }
      CHECK("words" + words == row["arguments"]);
      continue;
    }
    CHECK(fmt::format("{:016x}", hash) == row["output_hash"]);
  }
}

TEST_CASE("a bulk copy that warps wait for brings what the hardware read") {
  const test::SassScratch scratch;
  scratch.write("in.bin", test::probe_input());
  auto launch = sass::read_launch_file(
      scratch.write("bulk.yaml", "kernel: {sass: " + test::sass_data +
                                     "bulk.sm_90.sass}\ngrid: [2]\nblock: [128]\n"
                                     "args: [{buffer: 64KiB, init: zero}, {buffer: 64KiB, file: in.bin}, 256]\n"),
      true);
  if (!launch) FAIL(to_string(launch.error()));
  sass::execute_grid(launch->program, launch->launch, launch->memory, launch->shared_bytes);
  std::vector<std::uint8_t>& written = launch->memory.buffers[0].bytes;
  written.resize(test::kProbeWords * 4);
  CHECK(fmt::format("{:016x}", test::probe_hash(written)) == "c83b412b540760d5");  // probe_h200.csv
}
