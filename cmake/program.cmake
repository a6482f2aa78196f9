# The program: sim/cli/ holds the command line as a library (so that tests can call it), sim/main.cpp starts it.
find_package(Boost 1.74 REQUIRED COMPONENTS program_options)

include(cmake/report.cmake)
file(GLOB_RECURSE cli_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/sim/cli/*.cpp)
add_library(tilescope_cli STATIC ${cli_sources})
tilescope_compile_options(tilescope_cli)
tilescope_unity(tilescope_cli)
target_link_libraries(tilescope_cli PUBLIC tilescope::tilescope Boost::program_options PRIVATE tilescope_report_page)
set_source_files_properties(${PROJECT_SOURCE_DIR}/sim/cli/find_config.cpp PROPERTIES COMPILE_DEFINITIONS
                            TILESCOPE_SOURCE_CONFIGS="${PROJECT_SOURCE_DIR}/configs")

add_executable(tilescope_program sim/main.cpp)
set_target_properties(tilescope_program PROPERTIES OUTPUT_NAME tilescope)
tilescope_compile_options(tilescope_program)
target_link_libraries(tilescope_program PRIVATE tilescope_cli)
if(TILESCOPE_QUICK_BUILD)
  tilescope_optimised_first(tilescope_program)
endif()
install(TARGETS tilescope_program RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT program)

# Manual pages and completion scripts: the program writes them from its option tables.
set(written ${PROJECT_BINARY_DIR}/share)
add_custom_command(
  TARGET tilescope_program POST_BUILD
  COMMAND ${CMAKE_COMMAND} -E rm -rf ${written}
  COMMAND ${CMAKE_COMMAND} -E make_directory ${written}
  COMMAND tilescope_program man --all ${written}/man1
  COMMAND tilescope_program completion bash -o ${written}/tilescope
  COMMAND tilescope_program completion zsh -o ${written}/_tilescope
  VERBATIM)
set(zsh_completions ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)
if(EXISTS /etc/debian_version)
  set(zsh_completions ${CMAKE_INSTALL_DATADIR}/zsh/vendor-completions)
endif()
install(DIRECTORY ${written}/man1 DESTINATION ${CMAKE_INSTALL_MANDIR} COMPONENT program)
install(FILES ${written}/tilescope DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions COMPONENT program)
install(FILES ${written}/_tilescope DESTINATION ${zsh_completions} COMPONENT program)
install(FILES LICENSE RENAME copyright DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT program)
