#include "models/support/utf8.h"

namespace tilescope {
namespace {

// The bytes of the character that begins with `first`, and what its second byte may be; 0 when no character does.
struct Form {
  std::size_t bytes;
  unsigned char least, most;
};

Form form_of(unsigned char first) {
  if (first < 0x80) return {1, 0, 0};
  if (first >= 0xc2 && first <= 0xdf) return {2, 0x80, 0xbf};
  if (first == 0xe0) return {3, 0xa0, 0xbf};
  if (first == 0xed) return {3, 0x80, 0x9f};
  if (first >= 0xe1 && first <= 0xef) return {3, 0x80, 0xbf};
  if (first == 0xf0) return {4, 0x90, 0xbf};
  if (first == 0xf4) return {4, 0x80, 0x8f};
  if (first >= 0xf1 && first <= 0xf3) return {4, 0x80, 0xbf};
  return {0, 0, 0};
}

bool is_character(std::string_view text, const Form& form) {
  if (form.bytes == 0 || form.bytes > text.size()) return false;
  for (std::size_t i = 1; i < form.bytes; ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    if (byte < (i == 1 ? form.least : 0x80) || byte > (i == 1 ? form.most : 0xbf)) return false;
  }
  return true;
}

}  // namespace

std::size_t find_not_utf8(std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    const Form form = form_of(static_cast<unsigned char>(text[at]));
    if (!is_character(text.substr(at), form)) return at;
    at += form.bytes;
  }
  return std::string_view::npos;
}

}  // namespace tilescope
