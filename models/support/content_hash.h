// Names for contents: 128 bits of XXH3 (xxHash), the same on any machine.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace tilescope {

// Of everything added, in order: adding in pieces gives the same as adding at once.
class ContentHash {
 public:
  using Digest = std::array<std::uint64_t, 2>;  // upper half first

  ContentHash();
  ~ContentHash();
  ContentHash(ContentHash&&) noexcept;
  ContentHash& operator=(ContentHash&&) noexcept;

  void add(std::string_view bytes);
  // The number's eight bytes, lowest first. Cheap: numbers are handed on in blocks.
  void add(std::uint64_t number) {
    if (waiting_ == numbers_.size()) hand_on();
    numbers_[waiting_++] = number;
  }
  Digest digest();
  std::string text();  // thirty-two lower-case hexadecimal digits

 private:
  struct State;
  void hand_on();

  std::unique_ptr<State> state_;
  std::array<std::uint64_t, 64> numbers_{};  // not yet part of `state_`
  std::size_t waiting_ = 0;
};

// 64 bits of XXH3, for short texts.
std::uint64_t short_hash(std::string_view bytes);

}  // namespace tilescope
