# re2::re2, for distributions whose RE2 has no CMake package of its own (Debian 12).
find_path(re2_INCLUDE_DIR re2/re2.h)
find_library(re2_LIBRARY re2)
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(re2 REQUIRED_VARS re2_LIBRARY re2_INCLUDE_DIR)
if(re2_FOUND AND NOT TARGET re2::re2)
  add_library(re2::re2 UNKNOWN IMPORTED)
  set_target_properties(re2::re2 PROPERTIES IMPORTED_LOCATION ${re2_LIBRARY} INTERFACE_INCLUDE_DIRECTORIES
                                                                            ${re2_INCLUDE_DIR})
endif()
