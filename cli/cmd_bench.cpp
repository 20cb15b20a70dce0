// SPDX-License-Identifier: MIT
#include "cli/bench/commands.hpp"
#include "cli/commands.hpp"

namespace vbo::cli {

Action define_bench(CLI::App& app, const Console&) {
  auto exit_code = std::make_shared<int>(0);
  add_bench_commands(app, *exit_code);
  return [exit_code] { return *exit_code; };
}

}  // namespace vbo::cli
