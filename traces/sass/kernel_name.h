// Names of kernels as people and profilers write them.
#pragma once

#include <string>

namespace tilescope::sass {

// "void ns::gemm<32>(float*, int)" -> "ns::gemm<32>"; of a mangled name, of its readable form.
std::string name_without_parameters(const std::string& name);

// The same without namespaces and template arguments: "gemm". Profilers write template arguments each in their own way
// ("<(int)32>", "<32>"), this part alike.
std::string base_name(const std::string& name);

// At most `most` characters of name_without_parameters(), "..." at its end where more were left out.
std::string shortened_name(const std::string& name, std::size_t most);

}  // namespace tilescope::sass
