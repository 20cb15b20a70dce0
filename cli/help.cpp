// SPDX-License-Identifier: MIT
#include "cli/help.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>

namespace vbo::cli {
namespace {

constexpr std::size_t kWidth = 80;

std::string list_of(const std::vector<OptionRow>& rows, bool positional) {
  std::size_t column = 0;
  for (const OptionRow& row : rows) column = std::max(column, row.name.size());
  std::string text;
  for (const OptionRow& row : rows) {
    if (row.positional != positional) continue;
    const std::string indent(column + 4, ' ');
    std::string note = wrapped(row.note, kWidth, indent);
    text += fmt::format("  {:<{}}  {}", row.name, column,
                        note.substr(std::min(note.size(), indent.size())));
  }
  return text;
}

std::string examples_of(const std::vector<std::string>& examples) {
  std::string text = examples.size() > 1 ? "Examples:\n" : "Example:\n";
  for (const std::string& example : examples) text += "  " + example + "\n";
  return text + "\n";
}

}  // namespace

std::string wrapped(std::string_view text, std::size_t width, std::string_view indent) {
  std::istringstream words{std::string(text)};
  std::string result;
  std::string line(indent);
  bool empty = true;
  for (std::string word; words >> word; empty = false) {
    if (!empty && line.size() + 1 + word.size() > width) {
      result += line + "\n";
      line = std::string(indent);
      empty = true;
    }
    line += (empty ? "" : " ") + word;
  }
  return result + line + "\n";
}

std::vector<OptionRow> option_rows(const CLI::App& app) {
  std::vector<OptionRow> rows;
  for (const CLI::Option* option : app.get_options()) {
    OptionRow row;
    row.positional = option->get_positional();
    if (row.positional) {
      row.name = option->get_name(true);
    } else {
      for (const std::string& name : option->get_snames()) {
        row.name += (row.name.empty() ? "-" : ", -") + name;
      }
      for (const std::string& name : option->get_lnames()) {
        row.name += (row.name.empty() ? "--" : ", --") + name;
      }
      // CLI11 appends what its checks accept, after a colon.
      const std::string type = option->get_type_size() == 0 ? "" : option->get_type_name();
      if (!type.empty()) row.name += " " + type.substr(0, type.find(':'));
    }
    row.note = option->check_lname("help") ? "Show this help" : option->get_description();
    if (option->check_lname("version")) row.note = "Show the version";
    if (!option->get_default_str().empty())
      row.note += " (default " + option->get_default_str() + ")";
    rows.push_back(std::move(row));
  }
  return rows;
}

std::string usage_of(const CLI::App& app, std::string_view name) {
  std::string usage(name);
  for (const CLI::Option* option : app.get_options()) {
    if (!option->get_positional()) continue;
    const std::string positional = option->get_name(true);
    usage += option->get_required() ? " " + positional : " [" + positional + "]";
  }
  const bool nested = !app.get_subcommands({}).empty();
  return usage + (nested ? " COMMAND" : "") + " [OPTIONS]";
}

std::string help_of_nested(const Command& command, const CLI::App& app) {
  const std::string name = "vbo " + command.name + " " + app.get_name();
  std::vector<std::string> examples = command.examples;
  std::erase_if(examples, [&](const std::string& text) { return !text.starts_with(name); });
  // A footer may bring examples as its first paragraph.
  const std::string footer = app.get_footer();
  const std::size_t first_end = std::min(footer.find("\n\n"), footer.size());
  std::string text = examples.empty() ? "" : examples_of(examples);
  if (examples.empty() && !footer.empty()) text = footer.substr(0, first_end) + "\n\n";
  text +=
      wrapped(app.get_description() + ".", kWidth, "") + "\nUsage: " + usage_of(app, name) + "\n";
  const std::vector<OptionRow> rows = option_rows(app);
  const std::string positionals = list_of(rows, true);
  if (!positionals.empty()) text += "\n" + positionals;
  text += "\nOptions:\n" + list_of(rows, false);
  const std::string rest = footer.substr(examples.empty() ? first_end : 0);
  const std::size_t rest_start = std::min(rest.find_first_not_of('\n'), rest.size());
  return text + (rest_start < rest.size() ? "\n" + rest.substr(rest_start) + "\n" : "");
}

std::string help_of_command(const Command& command, const CLI::App& app) {
  std::string text = examples_of(command.examples);
  text += wrapped(command.summary + ".", kWidth, "");
  if (!command.details.empty()) text += "\n" + wrapped(command.details, kWidth, "");
  text += "\nUsage: " + usage_of(app, "vbo " + command.name) + "\n";
  const std::vector<OptionRow> rows = option_rows(app);
  const std::string positionals = list_of(rows, true);
  if (!positionals.empty()) text += "\n" + positionals;
  text += "\nOptions (vbo --help lists those of every command):\n" + list_of(rows, false);
  const std::vector<const CLI::App*> nested = app.get_subcommands({});
  if (!nested.empty()) text += "\nCommands:\n";
  for (const CLI::App* sub : nested) {
    const std::string indent(14, ' ');
    text += fmt::format("  {:<12}{}", sub->get_name(),
                        wrapped(sub->get_description(), kWidth, indent).substr(indent.size()));
  }
  if (!command.json.empty()) text += "\nJSON:\n" + wrapped(command.json, kWidth, "  ");
  return text;
}

const std::vector<CommandGroup>& command_groups() {
  static const std::vector<CommandGroup> groups = {
      {"Run a study", {"init", "check", "run"}},
      {"Look",
       {"status", "studies", "best", "front", "serve", "report", "trials", "explain", "export",
        "importance", "plot"}},
      {"Work by hand", {"ask", "tell", "import", "drop", "retry"}},
      {"Many machines", {"work", "workers"}},
      {"Research", {"methods", "tasks", "bench", "mi"}},
      {"Storage", {"verify", "upgrade"}},
      {"Shell", {"completion"}}};
  return groups;
}

std::string help_of_program(const CLI::App& app) {
  std::string text =
      "vbo: high-throughput Bayesian optimization of any program.\n\n"
      "Usage: vbo COMMAND [OPTIONS]\n\nMost used:\n"
      "  vbo init study.toml     write a study file to start from\n"
      "  vbo run study.toml      run it; run it again to resume\n"
      "  vbo status study.db     how far it is\n"
      "  vbo best study.db       the answer\n"
      "  vbo serve study.db      the study in the browser\n"
      "\nvbo COMMAND --help shows each command.\n";
  for (const CommandGroup& group : command_groups()) {
    text += "\n" + group.title + ":\n";
    for (const std::string& name : group.commands) {
      const auto& all = commands();
      const auto found = std::ranges::find(all, name, &Command::name);
      text += fmt::format("  {:<12}{}\n", name, found->summary);
    }
  }
  return text + "\nOptions of every command:\n" + list_of(option_rows(app), false);
}

}  // namespace vbo::cli
