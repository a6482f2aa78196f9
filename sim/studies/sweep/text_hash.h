// The name of a text: 128-bit FNV-1a, the same on any machine.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace tilescope::sweep {

class TextHash {
 public:
  void add(std::string_view text);
  std::string text() const;  // thirty-two lower-case hexadecimal digits

 private:
  std::uint64_t high_ = 0x6c62272e07bb0142;
  std::uint64_t low_ = 0x62b821756295c58d;
};

}  // namespace tilescope::sweep
