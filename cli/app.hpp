// SPDX-License-Identifier: MIT
#pragma once

#include <CLI/CLI.hpp>
#include <memory>

#include "cli/commands.hpp"

namespace vbo::cli {

// The program with all its commands; `chosen` becomes the action of the command that was parsed.
std::unique_ptr<CLI::App> make_app(Console& console, Action& chosen);

}  // namespace vbo::cli
