// SPDX-License-Identifier: MIT
// `vbo bench` as a program of its own, without storage or executors, for machines that only run
// benchmarks.
#include "cli/bench/commands.hpp"
#include "vbo/version.hpp"

int main(int argc, char** argv) {
  CLI::App app("Benchmarks of vbo: fair, resumable, recomputable", "vbo-bench");
  app.set_version_flag("--version", "vbo " VBO_VERSION);
  app.require_subcommand(1);
  int exit_code = 0;
  vbo::cli::add_bench_commands(app, exit_code);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& e) {
    return app.exit(e) == 0 ? 0 : 2;
  }
  return exit_code;
}
