// SPDX-License-Identifier: MIT
// The manual page, made from the same table as the help: man 7 man.
#include "cli/app.hpp"
#include "cli/exit_codes.hpp"
#include "cli/help.hpp"
#include "vbo/version.hpp"

namespace vbo::cli {
namespace {

// Text that troff takes literally: no escapes, no requests at the start of a line, and hyphens that
// can be copied.
std::string literal(std::string_view text) {
  std::string result;
  for (const char c : text) {
    if (c == '\\') {
      result += "\\e";
    } else if (c == '-') {
      result += "\\-";
    } else {
      result += c;
    }
  }
  if (result.starts_with('.') || result.starts_with('\'')) result.insert(0, "\\&");
  return result;
}

std::string options_of(const CLI::App& app) {
  std::string text;
  for (const OptionRow& row : option_rows(app)) {
    text += ".TP\n\\fB" + literal(row.name) + "\\fR\n" + literal(row.note) + "\n";
  }
  return text;
}

std::string manual_of_examples(const std::vector<std::string>& examples) {
  std::string text = ".PP\n.nf\n";
  for (const std::string& example : examples) text += literal("    " + example) + "\n";
  return text + ".fi\n";
}

std::string section_of_manual(const Command& command, const CLI::App& app) {
  std::string text = ".SS \"" + literal(usage_of(app, "vbo " + command.name)) + "\"\n" +
                     literal(command.summary) + ".\n" + manual_of_examples(command.examples);
  if (!command.details.empty()) text += ".PP\n" + literal(command.details) + "\n";
  text += options_of(app);
  for (const CLI::App* nested : app.get_subcommands({})) {
    const std::string name = "vbo " + command.name + " " + nested->get_name();
    text += ".SS \"" + literal(usage_of(*nested, name)) + "\"\n" +
            literal(nested->get_description()) + "\n" + options_of(*nested);
  }
  if (!command.json.empty()) text += ".PP\nJSON:\n" + literal(command.json) + "\n";
  return text;
}

std::string manual() {
  Console console;
  Action chosen;
  const std::unique_ptr<CLI::App> app = make_app(console, chosen);
  std::string text =
      ".TH VBO 1 \"\" \"vbo " VBO_VERSION
      "\" \"User Commands\"\n"
      ".SH NAME\nvbo \\- high\\-throughput Bayesian optimization of any program\n"
      ".SH SYNOPSIS\n\\fBvbo\\fR \\fICOMMAND\\fR [\\fIOPTIONS\\fR]\n"
      ".SH DESCRIPTION\n"
      "Results go to standard output, progress, hints and errors to standard error. STUDY is the "
      "storage of a study (its .db file) or its study file (.toml).\n"
      ".SH OPTIONS OF EVERY COMMAND\n" +
      options_of(*app) + ".SH COMMANDS\n";
  for (const Command& command : commands()) {
    if (!command.hidden) text += section_of_manual(command, *app->get_subcommand(command.name));
  }
  text += ".SH EXIT STATUS\n";
  for (const ExitCodeInfo& exit : kExitCodes) {
    text += ".TP\n" + std::to_string(exit.code) + "\n" + literal(exit.meaning) + "\n";
  }
  return text;
}

}  // namespace

Action define_man(CLI::App&, const Console&) {
  return [] {
    print_out(manual());
    return int{kDone};
  };
}

}  // namespace vbo::cli
