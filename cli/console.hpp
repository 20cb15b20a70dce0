// SPDX-License-Identifier: MIT
// How the program prints: results on standard output, everything else on standard error; exit
// codes; colours only where somebody sees them.
#pragma once

#include <string>
#include <string_view>

#include "vbo/error.hpp"

namespace vbo::cli {

enum ExitCode : int {
  kDone = 0,
  kFailed = 1,
  kWrongUsage = 2,  // arguments or study file
  kNoSuccess = 3,   // no evaluation succeeded
  kStorage = 5,     // busy or damaged
  kInterrupted = 130,
};

enum class Style { plain, bold, dim, good, bad };

// What the options common to all commands say. One per program.
struct Console {
  bool quiet = false;          // --quiet: no progress, no hints
  std::string color = "auto";  // --color: auto | always | never

  bool colors(int fd) const;  // NO_COLOR, TERM=dumb and "is it a terminal" considered
  std::string paint(int fd, Style style, std::string_view text) const;
};

bool is_terminal(int fd);  // and one that can move its cursor

void print_out(std::string_view text);  // to standard output
void print_err(std::string_view text);  // to standard error

// Says what is wrong on standard error; the exit code that belongs to it.
int fail(const Error& error);
int fail(int exit_code, std::string_view message);

}  // namespace vbo::cli
