// SPDX-License-Identifier: MIT
#include "cli/console.hpp"
#include "core/one_line.hpp"

#include <unistd.h>

#include <cstdio>
#include <cstdlib>

namespace vbo::cli {
namespace {

int exit_code_of(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::invalid_input:
    case ErrorKind::not_found:
    case ErrorKind::conflict:
    case ErrorKind::unsupported:
      return kWrongUsage;
    case ErrorKind::busy:
    case ErrorKind::damaged:
    case ErrorKind::io:
      return kStorage;
  }
  return kFailed;
}

std::string_view variable(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

const char* escape_of(Style style) {
  switch (style) {
    case Style::plain:
      return "";
    case Style::bold:
      return "\x1b[1m";
    case Style::dim:
      return "\x1b[2m";
    case Style::good:
      return "\x1b[32m";
    case Style::bad:
      return "\x1b[31m";
  }
  return "";
}

}  // namespace

bool is_terminal(int fd) { return isatty(fd) && variable("TERM") != "dumb"; }

bool Console::colors(int fd) const {
  if (color != "auto") return color == "always";
  return variable("NO_COLOR").empty() && is_terminal(fd);
}

std::string Console::paint(int fd, Style style, std::string_view text) const {
  if (style == Style::plain || !colors(fd)) return std::string(text);
  return escape_of(style) + std::string(text) + "\x1b[0m";
}

void print_out(std::string_view text) { std::fwrite(text.data(), 1, text.size(), stdout); }
void print_err(std::string_view text) { std::fwrite(text.data(), 1, text.size(), stderr); }

int fail(int exit_code, std::string_view message) {
  std::fflush(stdout);
  print_err("vbo: " + one_line(message) + "\n");
  return exit_code;
}

int fail(const Error& error) { return fail(exit_code_of(error.kind), error.message); }

}  // namespace vbo::cli
