# tilescope_report_page: the page of `tilescope report` with the chart library that it carries, as bytes in the program.
#
# Bundled when the program is built, once: again when a part of the page changes. Without npm, node or a network the build passes,
# the page is empty, and `tilescope report` says so; configuring again makes the next build try again.
enable_language(ASM)
find_program(TILESCOPE_NPM npm)
find_program(TILESCOPE_NODE node)

set(report_folder ${PROJECT_SOURCE_DIR}/tools/report)
set(report_page ${PROJECT_BINARY_DIR}/generated/report_page.html)
if(EXISTS ${report_page})
  file(SIZE ${report_page} report_page_bytes)
  if(report_page_bytes EQUAL 0)
    file(REMOVE ${report_page})
  endif()
endif()
file(GLOB report_sources CONFIGURE_DEPENDS ${report_folder}/*.js ${report_folder}/*.mjs ${report_folder}/*.css
     ${report_folder}/*.html ${report_folder}/*.json)
add_custom_command(
  OUTPUT ${report_page}
  COMMAND ${CMAKE_COMMAND} -DNPM=${TILESCOPE_NPM} -DNODE=${TILESCOPE_NODE} -DFOLDER=${report_folder}
          -DWORK=${PROJECT_BINARY_DIR}/report -DOUT=${report_page} -P ${PROJECT_SOURCE_DIR}/cmake/report_page.cmake
  DEPENDS ${report_sources} ${PROJECT_SOURCE_DIR}/cmake/report_page.cmake
  COMMENT "Bundling the page of tilescope report"
  VERBATIM)
set(report_assembly ${PROJECT_SOURCE_DIR}/sim/cli/report_page.S)
add_library(tilescope_report_page STATIC ${report_assembly} ${report_page})
set_source_files_properties(${report_assembly} PROPERTIES OBJECT_DEPENDS ${report_page} COMPILE_DEFINITIONS
                                                          TILESCOPE_REPORT_PAGE="${report_page}")
set_target_properties(tilescope_report_page PROPERTIES LINKER_LANGUAGE CXX UNITY_BUILD OFF INTERPROCEDURAL_OPTIMIZATION OFF)
