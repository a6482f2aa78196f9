#include "sim/results/views/xml_text.h"

namespace tilescope {

std::string xml_text(const std::string& text) {
  std::string result;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '&')
      result += "&amp;";
    else if (c == '<')
      result += "&lt;";
    else if (c == '>')
      result += "&gt;";
    else if (c == '"')
      result += "&quot;";
    else if (byte < 0x20 || byte >= 0x7f)
      result += '?';
    else
      result += c;
  }
  return result;
}

}  // namespace tilescope
