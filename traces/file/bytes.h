// Writing and reading the numbers of a trace: little-endian fixed fields, LEB128 varints, zigzag for signed
// differences.
#pragma once

#include <bit>
#include <cstdint>
#include <string>
#include <string_view>

namespace tilescope::trace {

// Contents that break a rule of the format. Callers turn it into a TraceError that says where.
struct Malformed {
  std::string what;
};

constexpr std::uint64_t zigzag(std::uint64_t difference) { return difference << 1U ^ (0 - (difference >> 63U)); }
constexpr std::uint64_t unzigzag(std::uint64_t coded) { return coded >> 1U ^ (0 - (coded & 1U)); }

class ByteWriter {
 public:
  void fixed(std::uint64_t value, int bytes) {
    for (int i = 0; i < bytes; ++i) bytes_ += static_cast<char>(value >> (8 * i) & 0xFFU);
  }
  void varint(std::uint64_t value) {
    for (; value >= 0x80; value >>= 7U) bytes_ += static_cast<char>((value & 0x7FU) | 0x80U);
    bytes_ += static_cast<char>(value);
  }
  void signed_varint(std::int64_t value) { varint(zigzag(static_cast<std::uint64_t>(value))); }
  void text(std::string_view value) {
    varint(value.size());
    bytes_ += value;
  }
  void append(std::string_view bytes) { bytes_ += bytes; }
  const std::string& bytes() const { return bytes_; }
  std::size_t size() const { return bytes_.size(); }
  void clear() { bytes_.clear(); }

 private:
  std::string bytes_;
};

// Never reads past the end: throws Malformed instead.
class ByteReader {
 public:
  ByteReader() = default;
  explicit ByteReader(std::string_view bytes) : at_(bytes.data()), end_(bytes.data() + bytes.size()) {}

  std::size_t left() const { return static_cast<std::size_t>(end_ - at_); }
  std::uint64_t fixed(int bytes) {
    need(static_cast<std::uint64_t>(bytes));
    std::uint64_t value = 0;
    for (int i = 0; i < bytes; ++i) value |= static_cast<std::uint64_t>(static_cast<unsigned char>(*at_++)) << (8 * i);
    return value;
  }
  std::uint64_t varint() {
    std::uint64_t value = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
      need(1);
      const auto byte = static_cast<std::uint64_t>(static_cast<unsigned char>(*at_++));
      if (shift == 63 && byte > 1) break;
      value |= (byte & 0x7FU) << shift;
      if (byte < 0x80) return value;
    }
    throw Malformed{"a number has more than 64 bits"};
  }
  // A number that must lie in [least, most].
  std::uint64_t varint(const char* what, std::uint64_t least, std::uint64_t most) {
    const std::uint64_t value = varint();
    if (value < least || value > most) refuse(what, value, least, most);
    return value;
  }
  std::int64_t signed_varint() { return static_cast<std::int64_t>(unzigzag(varint())); }
  std::string_view take(std::uint64_t bytes) {
    need(bytes);
    const std::string_view taken(at_, static_cast<std::size_t>(bytes));
    at_ += bytes;
    return taken;
  }

 private:
  [[noreturn]] static void refuse(const char* what, std::uint64_t value, std::uint64_t least, std::uint64_t most) {
    throw Malformed{std::string(what) + " is " + std::to_string(value) + "; must be " + std::to_string(least) + " to " +
                    std::to_string(most)};
  }
  void need(std::uint64_t bytes) const {
    if (bytes > left()) throw Malformed{"ends " + std::to_string(bytes - left()) + " bytes too soon"};
  }
  const char* at_ = nullptr;
  const char* end_ = nullptr;
};

}  // namespace tilescope::trace
