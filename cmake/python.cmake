# The Python package tilescope: ${PROJECT_BINARY_DIR}/python holds it as a wheel does, for PYTHONPATH; the target
# tilescope_wheel makes the wheel. The library is
# compiled position-independent for it (cmake/options.cmake).
if(NOT DEFINED Python3_EXECUTABLE AND EXISTS /usr/bin/python3) # whose packages tools/setup installs, whatever else is on the PATH
  set(Python3_EXECUTABLE /usr/bin/python3)
endif()
find_package(Python3 3.9 REQUIRED COMPONENTS Interpreter Development.Module)
find_package(pybind11 2.10 REQUIRED)

set(python_package ${PROJECT_BINARY_DIR}/python/tilescope)
file(GLOB binding_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/python/bindings/*.cpp)
pybind11_add_module(tilescope_python MODULE NO_EXTRAS ${binding_sources})
tilescope_compile_options(tilescope_python)
set_target_properties(tilescope_python PROPERTIES OUTPUT_NAME _core LIBRARY_OUTPUT_DIRECTORY ${python_package}
                                                  CXX_VISIBILITY_PRESET hidden)
target_link_libraries(tilescope_python PRIVATE tilescope_cli)
target_link_options(tilescope_python PRIVATE LINKER:--exclude-libs,ALL) # the library's symbols are nobody else's
if(TILESCOPE_QUICK_BUILD)
  target_compile_options(tilescope_python PRIVATE -O0)
  tilescope_optimised_first(tilescope_python)
endif()

# What is no code: the package's own files, and the GPUs.
file(GLOB python_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/python/tilescope/*.py ${PROJECT_SOURCE_DIR}/python/tilescope/*.pyi
     ${PROJECT_SOURCE_DIR}/python/tilescope/py.typed)
file(GLOB gpu_files CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/configs/gpus/*.yaml)
add_custom_command(
  OUTPUT ${PROJECT_BINARY_DIR}/python/copied
  COMMAND ${CMAKE_COMMAND} -E make_directory ${python_package}/configs/gpus
  COMMAND ${CMAKE_COMMAND} -E copy_if_different ${python_sources} ${python_package}
  COMMAND ${CMAKE_COMMAND} -E copy_if_different ${gpu_files} ${python_package}/configs/gpus
  COMMAND ${CMAKE_COMMAND} -E touch ${PROJECT_BINARY_DIR}/python/copied
  DEPENDS ${python_sources} ${gpu_files})
add_custom_target(tilescope_python_files ALL DEPENDS ${PROJECT_BINARY_DIR}/python/copied)
add_dependencies(tilescope_python tilescope_python_files)

add_custom_target(
  tilescope_wheel
  COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/tools/wheel ${python_package} --version ${PROJECT_VERSION} -o
          ${PROJECT_BINARY_DIR}/wheel
  DEPENDS tilescope_python
  USES_TERMINAL)

if(TILESCOPE_TESTS)
  file(GLOB python_tests CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/python/tests/test_*.py)
  foreach(test IN LISTS python_tests)
    get_filename_component(name ${test} NAME_WE)
    add_test(NAME python_${name} COMMAND ${Python3_EXECUTABLE} -W error -B -m unittest -q ${name}
             WORKING_DIRECTORY ${PROJECT_SOURCE_DIR}/python/tests)
    set_tests_properties(
      python_${name}
      PROPERTIES TIMEOUT 300 LABELS python
                 ENVIRONMENT "PYTHONPATH=${PROJECT_BINARY_DIR}/python;TILESCOPE_PROGRAM=$<TARGET_FILE:tilescope_program>")
  endforeach()
endif()
