// SPDX-License-Identifier: MIT
// docs/reference/command-line.md, made from the same table as the help; a test compares the two.
#include "cli/app.hpp"
#include "cli/exit_codes.hpp"
#include "cli/help.hpp"

namespace vbo::cli {
namespace {

std::string options_table(const CLI::App& app) {
  std::string rows;
  for (const OptionRow& row : option_rows(app)) {
    if (!row.name.ends_with("--help")) rows += "| `" + row.name + "` | " + row.note + " |\n";
  }
  return rows.empty() ? "" : "| | |\n|---|---|\n" + rows + "\n";
}

std::string section(const Command& command, const CLI::App& app) {
  std::string text = "## vbo " + command.name + "\n\n" + command.summary + ".\n\n```\n";
  for (const std::string& example : command.examples) text += example + "\n";
  text += "```\n\n";
  if (!command.details.empty()) text += command.details + "\n\n";
  text += "Usage: `" + usage_of(app, "vbo " + command.name) + "`\n\n" + options_table(app);
  for (const CLI::App* nested : app.get_subcommands({})) {
    const std::string name = "vbo " + command.name + " " + nested->get_name();
    text += "### " + name + "\n\n" + nested->get_description() + "\n\nUsage: `" +
            usage_of(*nested, name) + "`\n\n" + options_table(*nested);
  }
  if (!command.json.empty()) text += "JSON: `" + command.json + "`\n\n";
  return text;
}

constexpr const char* kOpening =
    "# The command line\n\n"
    "This page is printed by `vbo reference`, from the same source as `--help`.\n\n"
    "Results go to standard output, progress, hints and errors to standard error. `STUDY` is the "
    "storage of a study (its `.db` file) or its study file (`.toml`). JSON fields may be added in "
    "later versions, never renamed or removed.\n\n"
    "| exit code | meaning |\n|---|---|\n";

constexpr const char* kSignals =
    "\nSignals to `vbo run`: the first Ctrl-C (SIGINT) starts nothing new, waits for the running "
    "evaluations and says how to resume; the second kills them and stops at once. SIGTERM and "
    "SIGHUP are like the "
    "first Ctrl-C, with a deadline (`--grace`) after which they are like the second. `kill -9` "
    "loses "
    "nothing that was told.\n\n";

std::string reference() {
  Console console;
  Action chosen;
  const std::unique_ptr<CLI::App> app = make_app(console, chosen);
  std::string text = kOpening;
  for (const ExitCodeInfo& exit : kExitCodes) {
    text += "| " + std::to_string(exit.code) + " | " + std::string(exit.meaning) + " |\n";
  }
  text += kSignals;
  text += "## Options of every command\n\n" + options_table(*app);
  for (const Command& command : commands()) {
    if (!command.hidden) text += section(command, *app->get_subcommand(command.name));
  }
  text.pop_back();  // one newline at the end is enough
  return text;
}

}  // namespace

Action define_reference(CLI::App&, const Console&) {
  return [] {
    print_out(reference());
    return int{kDone};
  };
}

}  // namespace vbo::cli
