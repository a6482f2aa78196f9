# cmake -DROOT=... -DOUT=... -P source_hash.cmake: a header with a hash of every source that decides results.
file(GLOB_RECURSE sources RELATIVE ${ROOT} ${ROOT}/models/*.h ${ROOT}/models/*.cpp ${ROOT}/traces/*.h ${ROOT}/traces/*.cpp
     ${ROOT}/sim/*.h ${ROOT}/sim/*.cpp)
list(FILTER sources EXCLUDE REGEX "^sim/(cli|studies)/")
list(SORT sources)
foreach(source IN LISTS sources)
  file(SHA256 ${ROOT}/${source} hash)
  string(APPEND all "${source} ${hash}\n")
endforeach()
string(SHA256 hash "${all}")
string(SUBSTRING ${hash} 0 12 hash)
file(WRITE ${OUT} "#define TILESCOPE_SOURCE_HASH \"${hash}\"\n")
