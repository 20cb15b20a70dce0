# Helpers that keep every folder's CMakeLists.txt to a few lines.

# Compile settings every target of this tree shares. PRIVATE: nothing is forced on consumers.
function(vbo_compile_settings target)
  target_compile_features(${target} PUBLIC cxx_std_20)
  target_compile_options(${target} PRIVATE -Wall -Wextra -Wpedantic)
  # Options structs have a default for every field; designated initializers name only some.
  target_compile_options(${target} PRIVATE -Wno-missing-field-initializers)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
    # False alarms of g++ 12: on `"text" + std::string` (GCC bug 105329) and inside its own AVX-512
    # intrinsics (GCC bug 105593).
    target_compile_options(${target} PRIVATE -Wno-restrict -Wno-uninitialized -Wno-maybe-uninitialized)
  endif()
  if(VBO_WERROR)
    target_compile_options(${target} PRIVATE -Werror)
  endif()
  if(VBO_NATIVE)
    target_compile_options(${target} PRIVATE -march=native)
  endif()
  if(VBO_SANITIZE)
    target_compile_options(${target} PRIVATE -fsanitize=${VBO_SANITIZE} -fno-omit-frame-pointer)
    target_link_options(${target} PUBLIC -fsanitize=${VBO_SANITIZE})
  endif()
endfunction()

# vbo_library(NAME SOURCES... [LINK lower layers and packages...])
# One folder of src/ = one static library, so a call against the layering does not link.
function(vbo_library name)
  cmake_parse_arguments(arg "" "" "SOURCES;LINK" ${ARGN})
  add_library(${name} STATIC ${arg_SOURCES})
  vbo_compile_settings(${name})
  set_target_properties(${name} PROPERTIES POSITION_INDEPENDENT_CODE ON)
  target_include_directories(
    ${name} PUBLIC $<BUILD_INTERFACE:${vbo_SOURCE_DIR}/include>
                   $<BUILD_INTERFACE:${vbo_SOURCE_DIR}/src> ${vbo_BINARY_DIR}/generated)
  target_link_libraries(${name} PUBLIC ${arg_LINK})
endfunction()

# vbo_test(NAME SOURCES... [LINK ...] [LABELS ...] [TIMEOUT s])
# One GoogleTest program = one CTest test; LABELS "slow" are started last.
function(vbo_test name)
  if(NOT VBO_BUILD_TESTS)
    return()
  endif()
  cmake_parse_arguments(arg "" "TIMEOUT" "SOURCES;LINK;LABELS" ${ARGN})
  add_executable(${name} ${arg_SOURCES})
  vbo_compile_settings(${name})
  target_include_directories(${name} PRIVATE ${vbo_SOURCE_DIR}/tests)
  target_link_libraries(${name} PRIVATE ${arg_LINK} GTest::gtest GTest::gmock GTest::gtest_main)
  add_test(NAME ${name} COMMAND ${name})
  if(NOT arg_TIMEOUT)
    set(arg_TIMEOUT 300)
  endif()
  set_tests_properties(${name} PROPERTIES TIMEOUT ${arg_TIMEOUT} LABELS "${arg_LABELS}")
endfunction()
