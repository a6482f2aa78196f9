# Sources that are compiled together where CMAKE_UNITY_BUILD is on, which takes half of the time: a group of files as one.
# Names in anonymous namespaces are therefore unique among the files of a group. Compiled file by file (preset dev) every source
# still includes what it uses.

# Groups in which no test spends its time: with TILESCOPE_QUICK_BUILD they are compiled without optimisation, in less time.
set(unoptimised_groups
    "sim|sim_cli|sim_results|sim_results_(banks|views|walk)|sim_studies_(bundle|calibrate|compare|measured|report)|traces_bundle")

# tilescope_unity(TARGET): the files of a folder are a group. The engine is one, with the models that it asks once per instruction:
# calls between its files are inlined without link-time optimisation.
function(tilescope_unity target)
  get_target_property(sources ${target} SOURCES)
  foreach(source IN LISTS sources)
    get_filename_component(folder ${source} DIRECTORY)
    file(RELATIVE_PATH folder ${PROJECT_SOURCE_DIR} ${folder})
    if(source MATCHES "/ops_[a-z]+\\.cpp$") # the same operations, of each type of number
      set_source_files_properties(${source} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
    endif()
    if(folder MATCHES "^(models|models/isa|models/replacement|sim/engine(/.*)?)$")
      set(folder engine)
    endif()
    string(MAKE_C_IDENTIFIER "${folder}" group)
    set_source_files_properties(${source} PROPERTIES UNITY_GROUP ${group})
    if(TILESCOPE_QUICK_BUILD AND group MATCHES "^(${unoptimised_groups})$")
      set_source_files_properties(${PROJECT_BINARY_DIR}/CMakeFiles/${target}.dir/Unity/unity_${group}_cxx.cxx
                                  PROPERTIES COMPILE_OPTIONS -O0)
    endif()
  endforeach()
  set_target_properties(${target} PROPERTIES UNITY_BUILD_MODE GROUP)
endfunction()

# tilescope_unity_tests(TARGET): test files whose names begin with the same word are a group, and so are those of parts of the
# models; the others stay by themselves.
function(tilescope_unity_tests target)
  get_target_property(sources ${target} SOURCES)
  foreach(source IN LISTS sources)
    get_filename_component(name ${source} NAME_WE)
    if(name MATCHES "^(address_hash|atomic|instruction_cache|l1_cache|port|replacement|request_order|scheduler|scoreboards|tag_stage)_")
      set_source_files_properties(${source} PROPERTIES UNITY_GROUP models)
    elseif(name MATCHES "^(bundle|by_line|calibrate|cli|compare|config|engine|kernels|measured|microbench|sass|sweep|trace)_")
      set_source_files_properties(${source} PROPERTIES UNITY_GROUP ${CMAKE_MATCH_1})
    else()
      set_source_files_properties(${source} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
    endif()
  endforeach()
  set_target_properties(${target} PROPERTIES UNITY_BUILD_MODE GROUP)
endfunction()

# Of an inline function that several files have, a program gets the copy that the linker meets first. tilescope_optimised_first(TARGET):
# the library's optimised files ahead of all others. Otherwise the engine runs on the copies of test files, which are not optimised.
function(tilescope_optimised_first target)
  set(objects $<TARGET_OBJECTS:tilescope>)
  set(unoptimised "unity_(${unoptimised_groups})_cxx")
  target_link_options(${target} PRIVATE $<FILTER:${objects},EXCLUDE,${unoptimised}> $<FILTER:${objects},INCLUDE,${unoptimised}>)
endfunction()
