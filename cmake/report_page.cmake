# cmake -DNPM=... -DNODE=... -DFOLDER=tools/report -DWORK=... -DOUT=... -P report_page.cmake: the page of `tilescope report` in OUT,
# with the packages that FOLDER's package-lock.json names, fetched into WORK where they are not there yet. An empty OUT where that
# can not be; never an error.
function(without_page why)
  message(STATUS "tilescope report will have no page: ${why}")
  file(WRITE ${OUT} "")
endfunction()

if(NOT NPM OR NOT NODE)
  without_page("npm or node is not installed (Debian: apt-get install npm)")
  return()
endif()

file(SHA256 ${FOLDER}/package-lock.json lock)
set(fetched "")
if(EXISTS ${WORK}/fetched)
  file(READ ${WORK}/fetched fetched)
endif()
if(NOT fetched STREQUAL lock)
  file(REMOVE_RECURSE ${WORK})
  file(MAKE_DIRECTORY ${WORK})
  file(COPY ${FOLDER}/package.json ${FOLDER}/package-lock.json DESTINATION ${WORK})
  execute_process(COMMAND ${NPM} ci --ignore-scripts --no-audit --no-fund --fetch-retries=1 WORKING_DIRECTORY ${WORK}
                  RESULT_VARIABLE failed OUTPUT_VARIABLE said ERROR_VARIABLE said TIMEOUT 300)
  if(failed)
    without_page("npm ci failed (${failed})\n${said}")
    return()
  endif()
  file(WRITE ${WORK}/fetched ${lock})
endif()

execute_process(COMMAND ${NODE} ${FOLDER}/bundle.mjs ${FOLDER} ${WORK}/node_modules ${OUT} RESULT_VARIABLE failed
                ERROR_VARIABLE said)
if(failed)
  without_page("${said}")
endif()
