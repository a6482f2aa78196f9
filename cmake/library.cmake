# tilescope::tilescope: the models, the engine and the instruction sources. Everything but the command line.
list(APPEND CMAKE_MODULE_PATH ${PROJECT_SOURCE_DIR}/cmake)
find_package(Boost 1.74 REQUIRED)
find_package(Eigen3 REQUIRED NO_MODULE)
find_package(fmt REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(re2 REQUIRED)
find_package(SQLite3 REQUIRED)
find_package(Threads REQUIRED)
find_package(tl-expected REQUIRED)
find_package(yaml-cpp REQUIRED)
find_package(zstd REQUIRED)
find_path(XXHASH_INCLUDE_DIR xxhash.h REQUIRED)

file(GLOB_RECURSE library_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/models/*.cpp ${PROJECT_SOURCE_DIR}/sim/*.cpp
     ${PROJECT_SOURCE_DIR}/traces/*.cpp)
list(FILTER library_sources EXCLUDE REGEX "/sim/(main\\.cpp|cli/)")

add_library(tilescope STATIC ${library_sources})
add_library(tilescope::tilescope ALIAS tilescope)
tilescope_compile_options(tilescope)
tilescope_unity(tilescope)
# Counters that lie side by side are added to one at a time and in pairs: a pair's load would wait for the single store.
target_compile_options(tilescope PRIVATE -fno-tree-slp-vectorize)
target_compile_definitions(tilescope PRIVATE $<$<CONFIG:Debug>:XXH_NO_INLINE_HINTS=1>) # it insists on what -Og does not inline
set_source_files_properties(${PROJECT_SOURCE_DIR}/sim/results/version.cpp PROPERTIES COMPILE_DEFINITIONS
                            TILESCOPE_VERSION="${PROJECT_VERSION}")
# The listings that generators read are parts of the library.
set(listings ${PROJECT_SOURCE_DIR}/traces/samples/sass/gpu)
file(GLOB embedded_listings CONFIGURE_DEPENDS ${listings}/gemm_*.sass ${listings}/gemm_*.elf)
set_source_files_properties(${PROJECT_SOURCE_DIR}/traces/kernels/compiled_listings.cpp PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON
                            COMPILE_DEFINITIONS TILESCOPE_LISTINGS="${listings}" COMPILE_OPTIONS -fno-lto
                            OBJECT_DEPENDS "${embedded_listings}")
file(GLOB_RECURSE hashed_sources CONFIGURE_DEPENDS models/*.h models/*.cpp traces/*.h traces/*.cpp sim/*.h sim/*.cpp)
set(source_hash ${PROJECT_BINARY_DIR}/generated/source_hash.h)
add_custom_command(
  OUTPUT ${source_hash}
  COMMAND ${CMAKE_COMMAND} -DROOT=${PROJECT_SOURCE_DIR} -DOUT=${source_hash} -P ${PROJECT_SOURCE_DIR}/cmake/source_hash.cmake
  DEPENDS ${hashed_sources} cmake/source_hash.cmake)
target_sources(tilescope PRIVATE ${source_hash})
add_custom_target(tilescope_source_hash DEPENDS ${source_hash}) # for tools that read sources and compile nothing
set_property(SOURCE ${PROJECT_SOURCE_DIR}/sim/results/version.cpp PROPERTY INCLUDE_DIRECTORIES ${PROJECT_BINARY_DIR}/generated)
target_include_directories(tilescope PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}>
                                            $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}/tilescope>)
# Boost.Math and xxHash are used as headers, by sources alone: who uses the library needs neither.
target_include_directories(tilescope SYSTEM PRIVATE ${Boost_INCLUDE_DIRS} ${XXHASH_INCLUDE_DIR})
target_link_libraries(
  tilescope
  PUBLIC nlohmann_json::nlohmann_json tl::expected fmt::fmt
  PRIVATE Eigen3::Eigen re2::re2 SQLite::SQLite3 Threads::Threads yaml-cpp zstd::zstd)

# An installed user writes `#include "models/x.h"` as the sources do: include/tilescope is the include root.
include(CMakePackageConfigHelpers)
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/tilescope)
install(TARGETS tilescope EXPORT tilescope ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT development)
install(EXPORT tilescope NAMESPACE tilescope:: DESTINATION ${package_dir} FILE tilescope-targets.cmake
        COMPONENT development)
install(DIRECTORY models sim traces DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/tilescope COMPONENT development
        FILES_MATCHING PATTERN "*.h"
        PATTERN sim/cli EXCLUDE
        PATTERN sim/engine/timing EXCLUDE
        PATTERN sim/engine/counting EXCLUDE
        PATTERN sim/engine/sampling EXCLUDE
        PATTERN window_engine.h EXCLUDE
        PATTERN worker_pool.h EXCLUDE)
# configs/tune names listings of the sources.
install(DIRECTORY configs DESTINATION ${CMAKE_INSTALL_DATADIR}/tilescope COMPONENT program PATTERN tune EXCLUDE)
configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/tilescope-config.cmake.in
                              ${PROJECT_BINARY_DIR}/tilescope-config.cmake INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/tilescope-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/tilescope-config.cmake ${PROJECT_BINARY_DIR}/tilescope-config-version.cmake
              ${PROJECT_SOURCE_DIR}/cmake/Findre2.cmake ${PROJECT_SOURCE_DIR}/cmake/Findzstd.cmake DESTINATION ${package_dir}
        COMPONENT development)
