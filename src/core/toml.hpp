// SPDX-License-Identifier: MIT
// toml++, whose assertions are wrong about some texts ("[!]", "[1,,2]"): here one that does not
// hold ends the parsing by an exception, in every build, instead of the program or of all promises.
#pragma once

namespace vbo {

struct TomlAssertion {};

[[noreturn]] inline void fail_toml_assertion() { throw TomlAssertion{}; }

}  // namespace vbo

#pragma push_macro("NDEBUG")
#undef NDEBUG
#define TOML_ASSERT(...) ((__VA_ARGS__) ? void() : ::vbo::fail_toml_assertion())
#include <toml++/toml.h>
#pragma pop_macro("NDEBUG")
