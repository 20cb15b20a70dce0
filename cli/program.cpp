// SPDX-License-Identifier: MIT
#include "cli/program.hpp"

#include <algorithm>
#include <cstdio>
#include <string>

#include "cli/app.hpp"
#include "core/spelling.hpp"
#include "exec/value_line.hpp"

namespace vbo::cli {
namespace {

// The first argument that is not an option, when it is no command: what CLI11 would call
// "an argument that was not expected".
std::string misspelt_command(int argc, char** argv) {
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    if (argument == "--color") ++i;
    if (argument.starts_with('-')) continue;
    const auto named = [&](const Command& command) { return command.name == argument; };
    const bool known = std::any_of(commands().begin(), commands().end(), named);
    return known ? std::string() : argument;
  }
  return {};
}

int wrong_command(const std::string& word) {
  std::vector<std::string> names;
  for (const Command& command : commands()) {
    if (!command.hidden) names.push_back(command.name);
  }
  if (word == "stop" || word == "pause" || word == "kill") {
    return fail(kWrongUsage,
                "there is no command \"" + word +
                    "\": Ctrl-C or SIGTERM ends vbo run after what is being evaluated, "
                    "a second one at once, and vbo run resumes");
  }
  return fail(kWrongUsage, "unknown command \"" + word + "\"" + suggestion(word, names));
}

// The option in CLI11's list of what was not expected, with the one it may have meant.
std::string about_unknown(const std::string& list, const CLI::App& command) {
  const std::size_t start = list.find("--");
  if (start == std::string::npos) return {};
  const std::string name = list.substr(start, list.find_first_of(" =", start) - start);
  std::vector<std::string> names;
  for (const CLI::App* app = &command; app; app = app->get_parent()) {
    for (const CLI::Option* option : app->get_options()) {
      for (const std::string& known : option->get_lnames()) names.push_back("--" + known);
    }
  }
  return "unknown option " + name + suggestion(name, names);
}

int wrong_usage(const CLI::App& app, const CLI::ParseError& error) {
  std::string command = "vbo";
  const CLI::App* last = &app;
  for (const CLI::App* sub : app.get_subcommands()) {
    command += " " + sub->get_name();
    last = sub;
  }
  const bool is_extra = error.get_exit_code() == static_cast<int>(CLI::ExitCodes::ExtrasError);
  std::string text = is_extra ? about_unknown(error.what(), *last) : "";
  if (text.empty()) text = error.what();
  if (!text.ends_with('.') && !text.ends_with('?')) text += ".";
  return fail(kWrongUsage, text + " Try \"" + command + " --help\" for an example.");
}

// A negative value such as -inf or -.5 looks like an option to CLI11; behind a space it does not.
std::vector<std::string> with_plain_numbers(int argc, char** argv) {
  std::vector<std::string> arguments(argv + 1, argv + argc);
  for (std::string& argument : arguments) {
    if (argument.starts_with('-') && parse_value_line(argument)) argument.insert(0, " ");
  }
  return arguments;
}

}  // namespace

int run_program(int argc, char** argv) {
  if (const std::string word = misspelt_command(argc, argv); !word.empty()) {
    return wrong_command(word);
  }
  Console console;
  Action chosen;
  const std::unique_ptr<CLI::App> app = make_app(console, chosen);
  if (argc == 1) {
    print_err(app->help());
    return kWrongUsage;
  }
  try {
    std::vector<std::string> arguments = with_plain_numbers(argc, argv);
    std::reverse(arguments.begin(), arguments.end());  // the order CLI11 wants
    app->parse(std::move(arguments));
  } catch (const CLI::ParseError& error) {
    const bool is_request = error.get_exit_code() == 0;  // --help and --version
    if (is_request) return app->exit(error);
    return wrong_usage(*app, error);
  }
  const int code = chosen();
  // A full disk or a closed pipe behind standard output must not look like success.
  if (std::fflush(stdout) != 0 && code == kDone) {
    return fail(kFailed, "cannot write to standard output");
  }
  return code;
}

}  // namespace vbo::cli
