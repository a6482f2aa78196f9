// Matrix multiply-accumulate of a warp: HMMA, IMMA, DMMA; and of a warpgroup: HGMMA, of which only the work and what it
// reads is known.
//
// Fragments as the PTX manual lays out mma.sync: with g = lane / 4 and t = lane % 4, A's registers walk rows g and g +
// 8, then columns; B's walk rows 4 bytes wide per t; C's hold columns 2t and 2t + 1 of rows g and g + 8. Products are
// summed in double precision and rounded once; the hardware truncates in between.
#include <charconv>
#include <cmath>

#include "traces/sass/half_float.h"
#include "traces/sass/lanes.h"
#include "traces/sass/ops.h"

namespace tilescope::sass {
namespace {

enum class Element : std::uint8_t { f16, bf16, tf32, s8, u8, s4, u4 };

int bits_of_element(Element element) {
  switch (element) {
    case Element::tf32:
      return 32;
    case Element::s8:
    case Element::u8:
      return 8;
    case Element::s4:
    case Element::u4:
      return 4;
    default:
      return 16;
  }
}

double element_value(Word word, int index, Element element) {
  const int bits = bits_of_element(element);
  const Word raw = bits == 32 ? word : word >> (index * bits) & ((1U << bits) - 1U);
  switch (element) {
    case Element::f16:
      return from_half(raw);
    case Element::bf16:
      return from_bfloat(raw);
    case Element::tf32:
      return as_float(raw & 0xffffe000U);
    case Element::s8:
      return static_cast<std::int8_t>(raw);
    case Element::s4:
      return static_cast<std::int32_t>(raw << 28U) >> 28;
    default:
      return raw;
  }
}

// flags: columns of A (k), then 8 bits each: A's element, B's element, 1 when C and D are FP16, 2 integers; saturated 4
template <int Rows>
void multiply_matrices(WarpState& warp, const MicroOp& op, std::uint32_t) {
  const int depth = static_cast<int>(op.flags & 1023U);
  const auto a_element = static_cast<Element>(op.flags >> 10U & 15U),
             b_element = static_cast<Element>(op.flags >> 14U & 15U);
  const bool half_sum = (op.flags2 & 1U) != 0, whole_sum = (op.flags2 & 2U) != 0;
  const int per_word = 32 / bits_of_element(a_element), columns_per_step = 4 * per_word;
  std::array<std::array<double, 256>, Rows> a{};
  std::array<std::array<double, 8>, 256> b{};
  for (int lane = 0; lane < kLanes; ++lane) {
    const int g = lane / 4, t = lane % 4;
    const auto l = static_cast<std::size_t>(lane);
    for (int step = 0; step * columns_per_step < depth; ++step) {
      for (int upper = 0; upper < Rows / 8; ++upper) {
        const Word word = read_register(warp, following(op.tensor_in[0], step * (Rows / 8) + upper))[l];
        const int row = g + 8 * upper;
        for (int e = 0; e < per_word; ++e) {
          const int column = step * columns_per_step + t * per_word + e;
          a[static_cast<std::size_t>(row)][static_cast<std::size_t>(column)] = element_value(word, e, a_element);
        }
      }
      const Word word = read_register(warp, following(op.tensor_in[1], step))[l];
      for (int e = 0; e < per_word; ++e) {
        const int row = step * columns_per_step + t * per_word + e;
        b[static_cast<std::size_t>(row)][static_cast<std::size_t>(g)] = element_value(word, e, b_element);
      }
    }
  }
  std::array<LaneArray, 4> result;
  for (int lane = 0; lane < kLanes; ++lane) {
    const int g = lane / 4, t = lane % 4;
    const auto l = static_cast<std::size_t>(lane);
    for (int part = 0; part < Rows / 4; ++part) {
      const int row = g + 8 * (part / 2), column = 2 * t + part % 2;
      const int word_index = half_sum ? part / 2 : part;
      const Word c = read_register(warp, following(op.tensor_in[2], word_index))[l];
      double sum = half_sum    ? from_half(c >> (16 * (part % 2)) & 0xffffU)
                   : whole_sum ? static_cast<double>(static_cast<std::int32_t>(c))
                               : as_float(c);
      for (int k = 0; k < depth; ++k)
        sum += a[static_cast<std::size_t>(row)][static_cast<std::size_t>(k)] *
               b[static_cast<std::size_t>(k)][static_cast<std::size_t>(column)];
      Word& out = result[static_cast<std::size_t>(word_index)][l];
      if (half_sum)
        out = part % 2 == 0 ? to_half(sum) & 0xffffU : (out & 0xffffU) | to_half(sum) << 16U;
      else if (whole_sum)
        out = static_cast<Word>(static_cast<std::uint64_t>(static_cast<std::int64_t>(sum)));
      else
        out = std::isnan(sum) ? 0x7fffffffU : bits_of(static_cast<float>(sum));
    }
  }
  for (int word = 0; word < (half_sum ? Rows / 8 : Rows / 4); ++word)
    written_register(warp, following(op.first_out, word)) = result[static_cast<std::size_t>(word)];
}

// DMMA 8x8x4: A[g][t], B[t][g], C[g][2t, 2t + 1], all pairs of registers.
void multiply_doubles(WarpState& warp, const MicroOp& op, std::uint32_t) {
  const auto value = [&warp](RegisterId first, int word, std::size_t lane) {
    return as_double(read_register(warp, following(first, word))[lane] |
                     Wide{read_register(warp, following(first, word + 1))[lane]} << 32U);
  };
  std::array<std::array<Wide, 2>, kLanes> result{};
  for (std::size_t l = 0; l < kLanes; ++l) {
    for (std::size_t part = 0; part < 2; ++part) {
      const std::size_t row = l / 4, column = 2 * (l % 4) + part;
      double sum = value(op.tensor_in[2], static_cast<int>(2 * part), l);
      for (std::size_t k = 0; k < 4; ++k)
        sum = std::fma(value(op.tensor_in[0], 0, row * 4 + k), value(op.tensor_in[1], 0, column * 4 + k), sum);
      result[l][part] = bits_of(sum);
    }
  }
  for (std::size_t l = 0; l < kLanes; ++l)
    for (int word = 0; word < 4; ++word)
      written_register(warp, following(op.first_out, word))[l] =
          static_cast<Word>(result[l][static_cast<std::size_t>(word / 2)] >> (32 * (word % 2)));
}

struct Shape {
  std::string_view name;
  int rows, columns, depth;
};

// The shape's multiply-adds, as if its elements had 16 bits, in units of 256.
void set_work(Decoder& d, std::int64_t multiply_adds) {
  d.decoded.instruction.work = static_cast<std::uint16_t>(std::max<std::int64_t>(1, multiply_adds / 256));
  set_class(d, OpClass::tensor);
  d.decoded.warp_wide = true;
}

const Shape* take_shape(Decoder& d, std::span<const Shape> shapes) {
  for (const Shape& shape : shapes)
    if (d.take(shape.name)) return &shape;
  d.fail("no shape that is known");
  return nullptr;
}

void fragments(Decoder& d, int out, int a, int b, int c) {
  d.decoded.product = true;
  d.out_words(out);
  d.in_words(d.op().tensor_in[0], a, d.decoded.uses);
  d.in_words(d.op().tensor_in[1], b, d.decoded.uses);
  d.in_words(d.op().tensor_in[2], c, d.decoded.uses);
}

void decode_half_matrices(Decoder& d) {  // HMMA.16816.F32.BF16 R4, R8, R12, R4
  static constexpr Shape shapes[] = {{"16816", 16, 8, 16}, {"1688", 16, 8, 8}, {"1684", 16, 8, 4}};
  const Shape* shape = take_shape(d, shapes);
  if (shape == nullptr) return;
  const bool half_sum = !d.take("F32") && d.take("F16");
  d.take("F16");
  const Element element = d.take("BF16") ? Element::bf16 : d.take("TF32") ? Element::tf32 : Element::f16;
  const int a_words = shape->rows * shape->depth * bits_of_element(element) / 32 / 32, sum_words = half_sum ? 2 : 4;
  fragments(d, sum_words, a_words, std::max(1, a_words / 2), sum_words);
  d.op().flags =
      static_cast<Word>(shape->depth) | static_cast<Word>(element) << 10U | static_cast<Word>(element) << 14U;
  d.op().flags2 = half_sum ? 1 : 0;
  d.op().run = multiply_matrices<16>;
  set_work(d, std::int64_t{shape->rows} * shape->columns * shape->depth * bits_of_element(element) / 16);
}

void decode_integer_matrices(Decoder& d) {  // IMMA.16832.S8.S8 R4, R8.ROW, R12.COL, R4
  static constexpr Shape shapes[] = {
      {"16816", 16, 8, 16}, {"16832", 16, 8, 32}, {"16864", 16, 8, 64}, {"8816", 8, 8, 16}, {"8832", 8, 8, 32}};
  const Shape* shape = take_shape(d, shapes);
  if (shape == nullptr) return;
  std::array<Element, 2> elements{};
  for (Element& element : elements) {
    const std::string name = d.take_any();
    if (name == "S8")
      element = Element::s8;
    else if (name == "U8")
      element = Element::u8;
    else if (name == "S4")
      element = Element::s4;
    else if (name == "U4")
      element = Element::u4;
    else
      d.fail("element " + name);
  }
  if (d.take("SAT")) d.fail("saturation");
  const int bits = bits_of_element(elements[0]), words = shape->rows * shape->depth * bits / 32 / 32;
  fragments(d, shape->rows / 4, words, std::max(1, 8 * shape->depth * bits / 32 / 32), shape->rows / 4);
  d.op().flags =
      static_cast<Word>(shape->depth) | static_cast<Word>(elements[0]) << 10U | static_cast<Word>(elements[1]) << 14U;
  d.op().flags2 = 2;
  d.op().run = shape->rows == 16 ? multiply_matrices<16> : multiply_matrices<8>;
  set_work(d, std::int64_t{shape->rows} * shape->columns * shape->depth * bits / 16);
}

void decode_double_matrices(Decoder& d) {
  if (!d.take("884") && !d.take("8x8x4")) d.fail("no shape that is known");
  fragments(d, 4, 2, 2, 4);
  d.op().run = multiply_doubles;
  set_work(d, 8 * 8 * 4 * 4);
  d.decoded.instruction.detail = 1;
}

struct GroupShape {
  int rows = 0, columns = 0, depth = 0;
};

// "64x128x16"; zeros when it is no shape.
GroupShape group_shape(std::string_view text) {
  std::array<int, 3> sizes{};
  const char* at = text.data();
  const char* end = at + text.size();
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    const auto [stop, error] = std::from_chars(at, end, sizes[i]);
    const bool parted = i + 1 < sizes.size() ? stop != end && *stop == 'x' : stop == end;
    if (error != std::errc() || !parted) return {};
    at = stop + 1;
  }
  return {sizes[0], sizes[1], sizes[2]};
}

// The depth of one step for the elements that the opcode multiplies: 32 byte of a row.
int group_depth(Decoder& d) {
  const std::string& opcode = d.parsed().opcode;
  if (opcode == "HGMMA") {
    if (d.take("TF32")) return 8;
    d.take("BF16");
    return 16;
  }
  const auto elements =
      opcode == "IGMMA" ? std::array<std::string_view, 2>{"S8", "U8"} : std::array<std::string_view, 2>{"E4M3", "E5M2"};
  for (int operand = 0; operand < 2; ++operand)
    if (!d.take(elements[0]) && !d.take(elements[1]))
      d.fail("an element other than " + std::string(elements[0]) + " and " + std::string(elements[1]));
  return 32;
}

// HGMMA.64x128x16.F32.BF16 R24, gdesc[UR8].tnspB, R24, gsb0: four warps, A and B in shared memory.
void decode_group_matrices(Decoder& d) {
  const std::string text = d.take_any();
  const GroupShape shape = group_shape(text);
  const bool integer = d.parsed().opcode == "IGMMA", single_sum = d.take("F32");
  const bool half_sum = !integer && !single_sum && d.take("F16");
  if (integer) d.take("SAT");
  const int depth = group_depth(d);
  if (shape.rows != 64 || shape.columns < 8 || shape.columns > 256 || shape.columns % 8 != 0 || shape.depth != depth)
    return d.fail("shape " + text + "; must be 64xNx" + std::to_string(depth) + ", N a multiple of 8 up to 256");
  d.out_words(shape.rows * shape.columns / 128 / (half_sum ? 2 : 1));
  // Each of the four warps does a quarter of it; a row along K has 32 byte, whatever the elements.
  set_work(d, std::int64_t{shape.rows} * shape.columns * 16 / 4);
  set_class(d, OpClass::group_tensor);
  const bool in_registers = d.next_is(Operand::Kind::reg);
  const auto rows = static_cast<unsigned>(shape.columns + (in_registers ? 0 : shape.rows));
  unsigned closes = 0;
  while (d.more()) {
    const Operand* operand = d.pop();
    if (operand->text == "gsb0") closes = Instruction::kClosesGroup;
    if (operand->kind == Operand::Kind::reg)
      for (int i = 0; i < 4; ++i) d.use(d.after(operand->reg, i));
    const std::string& suffix = operand->suffix;
    if (operand->kind == Operand::Kind::descriptor && !suffix.empty() && suffix != "tnspA" && suffix != "tnspB" &&
        suffix != "tnspA.tnspB")
      d.fail("operand '" + operand->text + "': suffix ." + suffix);
  }
  d.decoded.instruction.detail =
      static_cast<std::uint16_t>(rows | closes | (in_registers ? Instruction::kInRegisters : 0U));
  d.decoded.values_missing = true;
}

}  // namespace

std::span<const OpEntry> tensor_ops() {
  static constexpr OpEntry entries[] = {
      {"HMMA", decode_half_matrices},   {"IMMA", decode_integer_matrices}, {"DMMA", decode_double_matrices},
      {"HGMMA", decode_group_matrices}, {"IGMMA", decode_group_matrices},  {"QGMMA", decode_group_matrices},
  };
  return entries;
}

}  // namespace tilescope::sass
