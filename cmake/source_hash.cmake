# cmake -DROOT=... -DOUT=... -P source_hash.cmake: a header with a hash of every source that decides what a stored result
# holds: models, instruction sources, engine, results and their views, and of the studies how a point becomes a launch.
file(GLOB_RECURSE sources RELATIVE ${ROOT} ${ROOT}/models/*.h ${ROOT}/models/*.cpp ${ROOT}/traces/*.h ${ROOT}/traces/*.cpp
     ${ROOT}/sim/*.h ${ROOT}/sim/*.cpp ${ROOT}/traces/samples/sass/gpu/gemm_*.sm_90.sass)
set(points ${sources})
list(FILTER points INCLUDE REGEX "^sim/studies/sweep/(point_run|relaunched_kernel)\\.")
list(FILTER sources EXCLUDE REGEX "^sim/(main\\.cpp|cli/|studies/)")
list(APPEND sources ${points})
list(SORT sources)
foreach(source IN LISTS sources)
  file(SHA256 ${ROOT}/${source} hash)
  string(APPEND all "${source} ${hash}\n")
endforeach()
string(SHA256 hash "${all}")
string(SUBSTRING ${hash} 0 12 hash)
file(WRITE ${OUT} "#define TILESCOPE_SOURCE_HASH \"${hash}\"\n")
