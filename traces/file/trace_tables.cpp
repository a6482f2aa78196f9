#include "traces/file/trace_tables.h"

#include <fmt/core.h>

#include <array>
#include <bit>

#include "traces/file/bytes.h"
#include "traces/file/trace_format.h"

namespace tilescope::trace {
namespace {

// Byte. Lanes of one instruction further apart than this are not a warp of any GPU: an address has fewer bits.
constexpr std::int64_t kMostSpan = std::int64_t{1} << 56;

std::string read_text(ByteReader& in) { return std::string(in.take(in.varint("length of a text", 0, kMostText))); }

void write_launch(ByteWriter& out, const Launch& launch) {
  out.text(launch.kernel);
  for (const Dim3& size : {launch.grid, launch.block})
    for (const std::int64_t length : {size.x, size.y, size.z}) out.varint(static_cast<std::uint64_t>(length));
  for (const std::int64_t value : {launch.registers_per_thread, launch.static_smem_bytes, launch.dynamic_smem_bytes})
    out.signed_varint(value);
  out.fixed(std::bit_cast<std::uint64_t>(launch.flop), 8);
  out.varint(launch.parameters.size());
  for (const auto& [name, value] : launch.parameters) {
    out.text(name);
    out.text(value);
  }
}

Launch read_launch(ByteReader& in) {
  Launch launch;
  launch.kernel = read_text(in);
  for (Dim3* size : {&launch.grid, &launch.block})
    for (std::int64_t* length : {&size->x, &size->y, &size->z}) *length = static_cast<std::int64_t>(in.varint());
  for (std::int64_t* value : {&launch.registers_per_thread, &launch.static_smem_bytes, &launch.dynamic_smem_bytes})
    *value = in.signed_varint();
  launch.flop = std::bit_cast<double>(in.fixed(8));
  const std::uint64_t parameters = in.varint("number of parameters", 0, kMostParameters);
  for (std::uint64_t i = 0; i < parameters; ++i) {
    std::string name = read_text(in);
    launch.parameters.emplace_back(std::move(name), read_text(in));
  }
  check_launch(launch);
  return launch;
}

constexpr unsigned kYields = 1, kRowsFrom = 2, kMostHints = 15;

unsigned hints_of(const Instruction& instruction) {
  return (instruction.yield != 0 ? kYields : 0) | unsigned{instruction.uniform_rows} << kRowsFrom;
}

void write_instruction(ByteWriter& out, const Instruction& instruction) {
  for (const unsigned field :
       {static_cast<unsigned>(instruction.op), unsigned{instruction.stall}, unsigned{instruction.write_scoreboard},
        unsigned{instruction.read_scoreboard}, unsigned{instruction.wait_mask}, hints_of(instruction),
        unsigned{instruction.register_reads}, unsigned{instruction.cached}})
    out.fixed(field, 1);
  out.fixed(instruction.work, 2);
  out.fixed(instruction.detail, 2);
  out.fixed(instruction.line, 3);
  out.fixed(instruction.constant, 1);
}

Instruction read_instruction(ByteReader& in) {
  Instruction instruction;
  instruction.op = static_cast<OpClass>(in.fixed(1));
  std::uint8_t hints = 0;
  for (std::uint8_t* field : {&instruction.stall, &instruction.write_scoreboard, &instruction.read_scoreboard,
                              &instruction.wait_mask, &hints, &instruction.register_reads, &instruction.cached})
    *field = static_cast<std::uint8_t>(in.fixed(1));
  if (hints > kMostHints)
    throw Malformed{fmt::format("an instruction's scheduling hints are {}; must be 0 to {}", hints, kMostHints)};
  instruction.yield = (hints & kYields) != 0 ? 1 : 0;
  instruction.uniform_rows = hints >> kRowsFrom & 3U;
  instruction.work = static_cast<std::uint16_t>(in.fixed(2));
  instruction.detail = static_cast<std::uint16_t>(in.fixed(2));
  instruction.line = in.fixed(3) & 0xffffffU;
  instruction.constant = in.fixed(1) & 0xffU;
  check_instruction(instruction);
  return instruction;
}

// Offsets of active lanes, each less that of the active lane before it.
void write_pattern(ByteWriter& out, const LanePattern& pattern) {
  out.fixed(pattern.active, 4);
  out.fixed(pattern.bytes, 1);
  std::int64_t previous = 0;
  for (int lane = 0; lane < kLanes; ++lane) {
    if (!pattern.is_active(lane)) continue;
    const std::int64_t offset = pattern.offset[static_cast<std::size_t>(lane)];
    out.signed_varint(offset - previous);
    previous = offset;
  }
}

LanePattern read_pattern(ByteReader& in) {
  LanePattern pattern;
  pattern.active = static_cast<std::uint32_t>(in.fixed(4));
  pattern.bytes = static_cast<std::uint8_t>(in.fixed(1));
  std::uint64_t offset = 0;
  for (int lane = 0; lane < kLanes; ++lane) {
    if (!pattern.is_active(lane)) continue;
    offset += static_cast<std::uint64_t>(in.signed_varint());
    pattern.offset[static_cast<std::size_t>(lane)] = static_cast<std::int64_t>(offset);
  }
  check_pattern(pattern);
  return pattern;
}

}  // namespace

void Tables::set_code(std::vector<Instruction> instructions) {
  code = std::move(instructions);
  operands_before.assign(1, 0);
  for (const Instruction& instruction : code)
    operands_before.push_back(operands_before.back() + static_cast<std::uint32_t>(memory_operands(instruction.op)));
}

void Tables::add_shape(std::uint32_t offset, std::uint32_t length, std::uint32_t key, std::uint64_t visits) {
  const std::uint32_t operands = operands_before[offset + length] - operands_before[offset];
  shapes.push_back({offset, length, key, slots(), operands, visits});
}

void check_launch(const Launch& launch) {
  const auto check = [](const char* what, std::int64_t value, std::int64_t least, std::int64_t most) {
    if (value < least || value > most)
      throw Malformed{fmt::format("{} is {}; must be {} to {}", what, value, least, most)};
  };
  constexpr std::int64_t most = (std::int64_t{1} << 31) - 1;
  for (const std::int64_t length : {launch.grid.x, launch.grid.y, launch.grid.z})
    check("a grid dimension", length, 1, most);
  for (const std::int64_t length : {launch.block.x, launch.block.y, launch.block.z})
    check("a block dimension", length, 1, kMostThreads);
  check("the number of threads of a block", launch.block.count(), 1, kMostThreads);
  const double warps = static_cast<double>(launch.grid.x) * static_cast<double>(launch.grid.y) *
                       static_cast<double>(launch.grid.z) * static_cast<double>(launch.warps_per_cta());
  if (warps > static_cast<double>(kMostWarps))
    throw Malformed{fmt::format("the launch has {} warps; must have at most {}", warps, kMostWarps)};
  check("registers per thread", launch.registers_per_thread, 0, 65536);
  check("static shared memory", launch.static_smem_bytes, 0, most);
  check("dynamic shared memory", launch.dynamic_smem_bytes, 0, most);
  if (!(launch.flop >= 0 && launch.flop < 1e30)) throw Malformed{"the number of FLOP is negative or not a number"};
}

void check_instruction(const Instruction& instruction) {
  const auto check = [](const char* what, unsigned value, unsigned most) {
    if (value > most) throw Malformed{fmt::format("an instruction's {} is {}; must be 0 to {}", what, value, most)};
  };
  check("class", static_cast<unsigned>(instruction.op), kOpClasses - 1);
  check("wait mask", instruction.wait_mask, (1U << kScoreboards) - 1);
  check("cached", instruction.cached, 1);
  // A wgmma holds the rows that it reads and two flags, a named barrier a number of 4 bits beside its warps.
  check("detail", instruction.detail, instruction.op == OpClass::group_tensor ? 0xffff : 16 * 64 + 15);
  for (const std::uint8_t scoreboard : {instruction.write_scoreboard, instruction.read_scoreboard})
    if (scoreboard >= kScoreboards && scoreboard != kNoScoreboard)
      throw Malformed{fmt::format("an instruction's scoreboard is {}; must be 0 to {}, or {} for none", scoreboard,
                                  kScoreboards - 1, kNoScoreboard)};
}

void check_pattern(const LanePattern& pattern) {
  if (!std::has_single_bit(pattern.bytes) || pattern.bytes > 16)
    throw Malformed{fmt::format("a pattern's width is {} bytes; must be 1, 2, 4, 8 or 16", pattern.bytes)};
  bool at_base = pattern.active == 0;
  for (int lane = 0; lane < kLanes; ++lane) {
    const std::int64_t offset = pattern.offset[static_cast<std::size_t>(lane)];
    if (offset < 0 || offset > kMostSpan || offset % pattern.bytes != 0 || (offset != 0 && !pattern.is_active(lane)))
      throw Malformed{
          fmt::format("a pattern's lane {} lies {} bytes from the base; must be a multiple of {} up to {}, and 0 "
                      "in an inactive lane",
                      lane, offset, pattern.bytes, kMostSpan)};
    at_base = at_base || (offset == 0 && pattern.is_active(lane));
  }
  if (!at_base) throw Malformed{"a pattern has no active lane at its base"};
}

std::string encode_tables(const Tables& tables) {
  ByteWriter out;
  write_launch(out, tables.launch);
  out.varint(tables.code.size());
  for (const Instruction& instruction : tables.code) write_instruction(out, instruction);
  out.varint(tables.patterns.size() - 1);
  for (std::size_t i = 1; i < tables.patterns.size(); ++i) write_pattern(out, tables.patterns[i]);
  out.varint(tables.shapes.size() - 1);
  for (std::size_t i = 1; i < tables.shapes.size(); ++i) {
    const Shape& shape = tables.shapes[i];
    for (const std::uint64_t field :
         {std::uint64_t{shape.offset}, std::uint64_t{shape.length}, std::uint64_t{shape.key}, shape.visits})
      out.varint(field);
  }
  return out.bytes();
}

Tables decode_tables(std::string_view content) {
  ByteReader in(content);
  Tables tables;
  tables.launch = read_launch(in);
  const std::uint64_t code = in.varint("number of instructions", 1, kMostCode);
  std::vector<Instruction> instructions;
  for (std::uint64_t i = 0; i < code; ++i) instructions.push_back(read_instruction(in));
  tables.set_code(std::move(instructions));
  const std::uint64_t patterns = in.varint("number of lane patterns", 0, kMostPatterns);
  for (std::uint64_t i = 0; i < patterns; ++i) tables.patterns.push_back(read_pattern(in));
  const std::uint64_t shapes = in.varint("number of shapes", 1, kMostShapes);
  std::uint64_t segments = 0;
  for (std::uint64_t i = 0; i < shapes; ++i) {
    const std::uint64_t offset = in.varint("first instruction of a shape", 0, code - 1);
    const std::uint64_t length = in.varint("length of a shape", 1, code - offset);
    const std::uint64_t key = in.varint("key of a shape", 0, 0xFFFFFFFFU);
    const std::uint64_t visits = in.varint("visits of a shape", 1, kMostTraceSegments);
    segments += visits;
    if (segments > kMostTraceSegments)
      throw Malformed{fmt::format("the shapes have more than {} visits together", kMostTraceSegments)};
    tables.add_shape(static_cast<std::uint32_t>(offset), static_cast<std::uint32_t>(length),
                     static_cast<std::uint32_t>(key), visits);
    if (tables.slots() > kMostSlots) throw Malformed{fmt::format("the shapes have more than {} operands", kMostSlots)};
  }
  if (in.left() != 0) throw Malformed{fmt::format("{} bytes follow the last shape", in.left())};
  return tables;
}

}  // namespace tilescope::trace
