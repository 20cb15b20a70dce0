// SPDX-License-Identifier: MIT
// What every fuzz target shares. A target is one function of bytes that must end; whatever it finds
// wrong it says through REQUIRE_THAT. libFuzzer calls it with bytes of its own (make fuzz), the
// driver with the files of the corpus (a unit test).
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string_view>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace vbo::fuzz {

inline std::string_view text_of(const std::uint8_t* data, std::size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

}  // namespace vbo::fuzz

#define REQUIRE_THAT(condition)                                                      \
  do {                                                                               \
    if (!(condition)) {                                                              \
      std::fprintf(stderr, "%s:%d: not true: %s\n", __FILE__, __LINE__, #condition); \
      std::abort();                                                                  \
    }                                                                                \
  } while (false)
