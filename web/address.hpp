// SPDX-License-Identifier: MIT
// Texts of a request that say where it goes and who sends it.
#pragma once

#include <string>
#include <string_view>

namespace vbo::web {

// "%61" and "+" as the characters they stand for; what stands for none stays as it is.
std::string decoded(std::string_view in);

// "name:8080", "[::1]:8080", "127.0.0.1" without the port.
std::string host_without_port(std::string host);

// Compares in a time that does not depend on where the difference is.
bool same_secret(std::string_view a, std::string_view b);

}  // namespace vbo::web
