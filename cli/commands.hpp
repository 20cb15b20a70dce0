// SPDX-License-Identifier: MIT
// All commands of the program. A new one is a file cmd_NAME.cpp with one function define_NAME, its
// declaration here and one row of the table in commands.cpp; help, documentation, completion and
// suggestions for misspelt names follow from the table.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "cli/arguments.hpp"
#include "cli/console.hpp"

namespace vbo::cli {

using Action = std::function<int()>;  // runs the command; returns its exit code

struct Command {
  std::string name;
  std::string summary;                // one line
  std::vector<std::string> examples;  // the help begins with them
  std::string details;                // paragraphs for the help; may be empty
  std::string json;                   // what --json prints; empty when there is no --json
  // Adds the command's options to its app, usually by way of Arguments. The variables they fill
  // live as long as the action.
  Action (*define)(CLI::App& app, const Console& console);
  bool hidden = false;
};

const std::vector<Command>& commands();

Action define_init(CLI::App& app, const Console& console);
Action define_check(CLI::App& app, const Console& console);
Action define_run(CLI::App& app, const Console& console);
Action define_ask(CLI::App& app, const Console& console);
Action define_tell(CLI::App& app, const Console& console);
Action define_import(CLI::App& app, const Console& console);
Action define_drop(CLI::App& app, const Console& console);
Action define_retry(CLI::App& app, const Console& console);
Action define_work(CLI::App& app, const Console& console);
Action define_workers(CLI::App& app, const Console& console);
Action define_status(CLI::App& app, const Console& console);
Action define_studies(CLI::App& app, const Console& console);
Action define_best(CLI::App& app, const Console& console);
Action define_front(CLI::App& app, const Console& console);
Action define_verify(CLI::App& app, const Console& console);
Action define_upgrade(CLI::App& app, const Console& console);
Action define_trials(CLI::App& app, const Console& console);
Action define_export(CLI::App& app, const Console& console);
Action define_explain(CLI::App& app, const Console& console);
Action define_importance(CLI::App& app, const Console& console);
Action define_plot(CLI::App& app, const Console& console);
Action define_report(CLI::App& app, const Console& console);
Action define_serve(CLI::App& app, const Console& console);
Action define_methods(CLI::App& app, const Console& console);
Action define_tasks(CLI::App& app, const Console& console);
Action define_bench(CLI::App& app, const Console& console);
Action define_mi(CLI::App& app, const Console& console);
Action define_completion(CLI::App& app, const Console& console);
Action define_man(CLI::App& app, const Console& console);
Action define_reference(CLI::App& app, const Console& console);

}  // namespace vbo::cli
