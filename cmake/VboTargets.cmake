# Helpers that keep every folder's CMakeLists.txt to a few lines.

# g++ collects its garbage whenever 128 MiB have grown to twice as much. Left to grow to 800 MB (in KiB here) a
# file takes 20% more memory, 1.8 GB at most, and 8% less time: for machines that have it.
set(VBO_COMPILER_HEAP "")
cmake_host_system_information(RESULT memory_mib QUERY TOTAL_PHYSICAL_MEMORY)
if(PROJECT_IS_TOP_LEVEL AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND memory_mib GREATER 7000)
  set(VBO_COMPILER_HEAP 800000)
endif()

# Compile settings every target of this tree shares. PRIVATE: nothing is forced on consumers.
function(vbo_compile_settings target)
  target_compile_features(${target} PUBLIC cxx_std_20)
  target_compile_options(${target} PRIVATE -Wall -Wextra -Wpedantic)
  # Options structs have a default for every field; designated initializers name only some.
  target_compile_options(${target} PRIVATE -Wno-missing-field-initializers)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
    # False alarms of g++ 12: on texts put together by + and append (GCC bugs 105329, 105651; more of
    # them with precompiled headers) and inside its own AVX-512 intrinsics (GCC bug 105593).
    target_compile_options(
      ${target} PRIVATE -Wno-restrict -Wno-array-bounds -Wno-stringop-overflow -Wno-stringop-overread
                        -Wno-uninitialized -Wno-maybe-uninitialized)
  endif()
  if(VBO_COMPILER_HEAP)
    target_compile_options(${target} PRIVATE --param=ggc-min-heapsize=${VBO_COMPILER_HEAP})
  endif()
  if(VBO_WERROR)
    # A precompiled header that cannot be used costs time, nothing else.
    target_compile_options(${target} PRIVATE -Werror -Wno-error=invalid-pch)
  endif()
  if(VBO_ARCH)
    target_compile_options(${target} PRIVATE -march=${VBO_ARCH})
  endif()
  vbo_harden(${target})
  if(VBO_SANITIZE)
    target_compile_options(${target} PRIVATE -fsanitize=${VBO_SANITIZE} -fno-omit-frame-pointer)
    target_link_options(${target} PUBLIC -fsanitize=${VBO_SANITIZE})
    if(VBO_SANITIZE STREQUAL "thread")
      # g++ warns that the sanitizer does not follow fences; Boost.Asio's queues have one beside their locks.
      target_compile_options(${target} PRIVATE -Wno-tsan)
    endif()
  endif()
endfunction()

# Parsing Eigen, JSON or GoogleTest takes longer than compiling most of what includes them, so those
# headers are parsed once for all targets of a kind. A kind is a set of compiler flags: a precompiled
# header is only valid for the flags it was made with.
#   vbo_headers(KIND [PIC] [OPTIONS flags...] [LINK packages...] [HEADERS ...])
function(vbo_headers kind)
  cmake_parse_arguments(arg "PIC" "" "OPTIONS;LINK;HEADERS" ${ARGN})
  set(name vbo_headers_${kind})
  file(WRITE ${vbo_BINARY_DIR}/headers/${kind}.cpp "// Only here to own the precompiled headers.\n")
  add_library(${name} OBJECT EXCLUDE_FROM_ALL ${vbo_BINARY_DIR}/headers/${kind}.cpp)
  vbo_compile_settings(${name})
  target_compile_options(${name} PRIVATE ${arg_OPTIONS})
  target_link_libraries(${name} PRIVATE ${arg_LINK})
  set_target_properties(${name} PROPERTIES POSITION_INDEPENDENT_CODE ${arg_PIC})
  if(arg_HEADERS)
    target_precompile_headers(${name} PRIVATE ${arg_HEADERS})
  endif()
endfunction()

# Compile `target` with the flags of a kind, and with its precompiled headers where they are wanted.
function(vbo_use_headers target kind)
  get_target_property(options vbo_headers_${kind} COMPILE_OPTIONS)
  set_target_properties(${target} PROPERTIES COMPILE_OPTIONS "${options}")
  get_target_property(headers vbo_headers_${kind} PRECOMPILE_HEADERS)
  if(VBO_PRECOMPILE AND headers)
    target_precompile_headers(${target} REUSE_FROM vbo_headers_${kind})
  endif()
endfunction()

# So many files as one: what they instantiate alike (JSON, Eigen, the standard library) is compiled
# once, which takes a third of the time. Somebody who edits files one by one turns it off.
function(vbo_compile_together target files)
  if(VBO_UNITY)
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE ${files})
    # A type of the file's own namespace inside another one is fine: the file is included once.
    target_compile_options(${target} PRIVATE $<$<CXX_COMPILER_ID:GNU>:-Wno-subobject-linkage>)
  endif()
endfunction()

# vbo_library(NAME [KIND numeric|plain|...] SOURCES... [LINK lower layers and packages...])
# One folder of src/ = one static library. `numeric` code sees Eigen.
function(vbo_library name)
  cmake_parse_arguments(arg "" "KIND" "SOURCES;LINK" ${ARGN})
  add_library(${name} STATIC ${arg_SOURCES})
  set_property(GLOBAL APPEND PROPERTY VBO_LIBRARIES ${name})
  vbo_compile_settings(${name})
  set_target_properties(${name} PROPERTIES POSITION_INDEPENDENT_CODE ON)
  if(arg_KIND)
    vbo_use_headers(${name} ${arg_KIND})
  endif()
  # Linear algebra is rarely the same in two files, so that more of them together save little.
  if(arg_KIND MATCHES "numeric|kernel")
    vbo_compile_together(${name} 16)
  else()
    vbo_compile_together(${name} 48)
  endif()
  # Public is include/ alone; what stands in src/ is for the tree itself.
  target_include_directories(${name} PUBLIC ${vbo_SOURCE_DIR}/include ${vbo_BINARY_DIR}/generated)
  vbo_sees_sources(${name})
  target_link_libraries(${name} PUBLIC ${arg_LINK})
endfunction()

function(vbo_sees_sources target)
  target_include_directories(${target} PRIVATE ${vbo_SOURCE_DIR}/src ${vbo_SOURCE_DIR})
endfunction()

# vbo_executable(NAME SOURCES... [LINK ...]): a program of this tree that may look inside.
function(vbo_executable name)
  cmake_parse_arguments(arg "" "" "SOURCES;LINK" ${ARGN})
  add_executable(${name} ${arg_SOURCES})
  vbo_compile_settings(${name})
  vbo_sees_sources(${name})
  target_link_libraries(${name} PRIVATE ${arg_LINK})
endfunction()

# Programs with sanitizers or counters are slow and large; tests see it in the environment, too.
set(VBO_INSTRUMENTED ${VBO_SANITIZE})
if(CMAKE_CXX_FLAGS MATCHES "--coverage")
  set(VBO_INSTRUMENTED coverage)
endif()

# A test may take so many seconds; five times as many in instrumented programs.
function(vbo_timeout test seconds)
  if(VBO_INSTRUMENTED)
    math(EXPR seconds "5 * ${seconds}")
  endif()
  set_tests_properties(${test} PROPERTIES TIMEOUT ${seconds})
endfunction()

# vbo_test(NAME SOURCES... [LINK ...] [LABELS ...] [TIMEOUT s])
# One GoogleTest program = one CTest test. LABELS: "slow" are started last; "unit" are also built with assertions
# (make debug; target unit_tests); "threads" run under the thread sanitizer too; "unsanitized" under none, and its
# reason stands beside it.
function(vbo_test name)
  if(NOT VBO_BUILD_TESTS)
    return()
  endif()
  cmake_parse_arguments(arg "" "TIMEOUT" "SOURCES;LINK;LABELS" ${ARGN})
  add_executable(${name} ${arg_SOURCES})
  vbo_compile_settings(${name})
  # With what the precompiled headers were made with: the compiler's own choice.
  set_property(TARGET ${name} PROPERTY POSITION_INDEPENDENT_CODE)
  vbo_use_headers(${name} test)
  vbo_compile_together(${name} 8)
  vbo_sees_sources(${name})
  target_include_directories(${name} PRIVATE ${vbo_SOURCE_DIR}/tests)
  target_link_libraries(${name} PRIVATE ${arg_LINK} GTest::gtest GTest::gmock GTest::gtest_main)
  add_test(NAME ${name} COMMAND ${name})
  if("unit" IN_LIST arg_LABELS)
    add_dependencies(unit_tests ${name})
  endif()
  if(NOT arg_TIMEOUT)
    set(arg_TIMEOUT 300)
  endif()
  vbo_timeout(${name} ${arg_TIMEOUT})
  set_tests_properties(${name} PROPERTIES LABELS "${arg_LABELS}")
endfunction()
