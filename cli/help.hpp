// SPDX-License-Identifier: MIT
// What --help prints, and the pieces of it that docs/reference/command-line.md is made of too.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "cli/commands.hpp"

namespace vbo::cli {

std::string help_of_program(const CLI::App& app);
// How the help of the program arranges the commands. Each that is not hidden is in one group.
struct CommandGroup {
  std::string title;
  std::vector<std::string> commands;
};
const std::vector<CommandGroup>& command_groups();
std::string help_of_command(const Command& command, const CLI::App& app);
// For a command below a command, e.g. `vbo bench run`; its examples are those of the command that
// begin with its name, or the first paragraph of its footer.
std::string help_of_nested(const Command& command, const CLI::App& app);

// Everything an app accepts, one row each.
struct OptionRow {
  std::string name;  // "FILE", "-n, --count N", "--json"
  std::string note;
  bool positional = false;
};
std::vector<OptionRow> option_rows(const CLI::App& app);

// "vbo run FILE [OPTIONS]"
std::string usage_of(const CLI::App& app, std::string_view name);

// Broken at spaces so that no line is longer than `width` (words that are stay whole).
std::string wrapped(std::string_view text, std::size_t width, std::string_view indent);

}  // namespace vbo::cli
