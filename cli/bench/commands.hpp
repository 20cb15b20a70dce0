// SPDX-License-Identifier: MIT
// The commands below `vbo bench`, for a CLI11 program: results on standard output, progress on
// standard error.
#pragma once

#include <CLI/CLI.hpp>

namespace vbo::cli {

// Adds run, table, ... to `bench`. The command that was called leaves its exit code in
// `exit_code`: 0 done, 1 failed, 2 wrong usage, 130 interrupted.
void add_bench_commands(CLI::App& bench, int& exit_code);

}  // namespace vbo::cli
