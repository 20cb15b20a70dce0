cmake_minimum_required(VERSION 3.23)
# Writes the commit the sources are at into OUTPUT, touching it only when that changed.
execute_process(COMMAND git -C ${SOURCE} rev-parse --short=12 HEAD OUTPUT_VARIABLE commit
                OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE failed)
if(failed)
  set(commit "unknown")
else()
  execute_process(COMMAND git -C ${SOURCE} status --porcelain --untracked-files=no
                  OUTPUT_VARIABLE changes ERROR_QUIET)
  if(changes)
    string(APPEND commit "+")
  endif()
endif()
file(CONFIGURE OUTPUT ${OUTPUT} CONTENT "// Generated at build time.
#pragma once
#define VBO_COMMIT \"@commit@\"
#define VBO_BUILD_TYPE \"@BUILD_TYPE@\"
" @ONLY)
