# What makes a mistake with memory end a program instead of handing it over to somebody: checks of stack frames,
# of the C library's buffers and of the standard library's indexes, addresses that differ in every process, tables
# of the linker that cannot be written, a stack that cannot be executed. What it costs is in research/performance.md.
include(CheckCXXSourceCompiles)
include(CheckPIESupported)
check_pie_supported(LANGUAGES CXX)

# Level 3 knows sizes that are computed; older compilers and C libraries have 2.
set(CMAKE_REQUIRED_FLAGS "-O2 -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=3")
check_cxx_source_compiles("#include <cstring>
#if !defined(__USE_FORTIFY_LEVEL) || __USE_FORTIFY_LEVEL < 3
#error not known
#endif
int main() { return 0; }" VBO_HAVE_FORTIFY_3)
unset(CMAKE_REQUIRED_FLAGS)
set(VBO_FORTIFY 2)
if(VBO_HAVE_FORTIFY_3)
  set(VBO_FORTIFY 3)
endif()

# Sanitizers check more, and counters are not for users.
set(VBO_HARDENED OFF)
if(VBO_HARDEN AND NOT VBO_SANITIZE AND NOT CMAKE_CXX_FLAGS MATCHES "-fsanitize|--coverage")
  set(VBO_HARDENED ON)
endif()

function(vbo_harden target)
  if(NOT VBO_HARDENED)
    return()
  endif()
  target_compile_options(${target} PRIVATE -fstack-protector-strong)
  target_compile_definitions(${target} PRIVATE _GLIBCXX_ASSERTIONS)
  # It needs an optimizing compiler.
  if(NOT CMAKE_BUILD_TYPE STREQUAL "Debug" OR CMAKE_CXX_FLAGS_DEBUG MATCHES "-O[g123s]")
    target_compile_options(${target} PRIVATE -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=${VBO_FORTIFY})
  endif()
  get_target_property(type ${target} TYPE)
  if(type MATCHES "EXECUTABLE|SHARED_LIBRARY|MODULE_LIBRARY")
    target_link_options(${target} PRIVATE -Wl,-z,relro -Wl,-z,now -Wl,-z,noexecstack)
  endif()
  if(type STREQUAL "EXECUTABLE")
    set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE ON)
  endif()
endfunction()
