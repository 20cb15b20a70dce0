# The kinds of code in this tree: their flags, and the headers that are parsed once for each.
set(standard_headers <algorithm> <cmath> <cstdint> <functional> <limits> <map> <memory> <optional> <span>
                     <string> <string_view> <utility> <variant> <vector>)

# The sanitizers' own checks make -O3 a waste of time, and g++ 12 fails on it in places.
set(fast -O3)
# Eigen writes its own vector instructions. Plain loops become such as with -O3, without the time the rest of
# -O3 takes to compile.
set(numeric $<IF:$<CXX_COMPILER_ID:GNU>,-fvect-cost-model=dynamic,-O3>)
set(plain -O1)
if(VBO_SANITIZE OR CMAKE_BUILD_TYPE STREQUAL "Debug")
  set(fast "")
  set(numeric "")
  set(plain "")
endif()

# Linear algebra and networks; speed counts.
vbo_headers(numeric PIC OPTIONS ${numeric} LINK Eigen3::Eigen HEADERS ${standard_headers} <Eigen/Core>)
# The kernels of src/nn: a*b+c as one fused operation; sqrt and selects in loops become vector
# instructions. None of the three reorders a sum. Too few files for headers of their own.
vbo_headers(kernel PIC OPTIONS ${fast} -ffp-contract=fast -fno-math-errno -fno-trapping-math -Wno-psabi LINK
            Eigen3::Eigen)
# Files, processes, storage, JSON, the command line: they wait for disks and programs.
vbo_headers(plain PIC OPTIONS ${plain} LINK nlohmann_json::nlohmann_json HEADERS ${standard_headers} <chrono>
            <filesystem> <nlohmann/json.hpp>)
if(VBO_BUILD_TESTS)
  vbo_headers(test OPTIONS -O1 LINK Eigen3::Eigen GTest::gtest GTest::gmock HEADERS ${standard_headers}
              <Eigen/Core> <gmock/gmock.h> <gtest/gtest.h>)
endif()
