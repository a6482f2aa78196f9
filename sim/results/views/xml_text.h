// Text inside of an XML document.
#pragma once

#include <string>

namespace tilescope {

// The text of an attribute or element. XML knows no control characters, and only valid UTF-8: what is not ASCII is '?'.
std::string xml_text(const std::string& text);

}  // namespace tilescope
