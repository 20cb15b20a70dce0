// SPDX-License-Identifier: MIT
// Turns the table of commands into a CLI11 program.
#include "cli/commands.hpp"
#include "vbo/version.hpp"

namespace vbo::cli {
namespace {

// Help that begins with examples: most readers came for one.
class HelpText final : public CLI::Formatter {
 public:
  explicit HelpText(const Command& command) : command_(command) { column_width(34); }

  std::string make_help(const CLI::App* app, std::string name,
                        CLI::AppFormatMode mode) const override {
    std::string text = command_.examples.size() > 1 ? "Examples:\n" : "Example:\n";
    for (const std::string& example : command_.examples) text += "  " + example + "\n";
    text += "\n" + CLI::Formatter::make_help(app, std::move(name), mode);
    if (!command_.json.empty()) text += "\nJSON:\n  " + command_.json + "\n";
    return text;
  }

 private:
  const Command& command_;
};

// The same for the program itself.
class Overview final : public CLI::Formatter {
 public:
  Overview() { column_width(20); }
  std::string make_help(const CLI::App* app, std::string name,
                        CLI::AppFormatMode mode) const override {
    return "Example:\n"
           "  vbo init study.toml     write a study file to start from\n"
           "  vbo run study.toml      run it; run it again to resume\n"
           "  vbo best study.db       the answer\n\n" +
           CLI::Formatter::make_help(app, std::move(name), mode);
  }
};

}  // namespace

std::unique_ptr<CLI::App> make_app(Console& console, Action& chosen) {
  auto app = std::make_unique<CLI::App>(
      "vbo: high-throughput Bayesian optimization of any program.", "vbo");
  app->formatter(std::make_shared<Overview>());
  app->set_version_flag("--version", "vbo " VBO_VERSION);
  app->add_flag("-q,--quiet", console.quiet, "No progress and no hints on standard error");
  app->add_option("--color", console.color, "auto, always or never; NO_COLOR is respected")
      ->check(CLI::IsMember({"auto", "always", "never"}))
      ->type_name("WHEN");
  app->fallthrough();
  app->require_subcommand(1);
  for (const Command& command : commands()) {
    std::string description = command.summary + ".";
    if (!command.details.empty()) description += "\n\n" + command.details;
    CLI::App* sub = app->add_subcommand(command.name, description);
    sub->formatter(std::make_shared<HelpText>(command));
    if (command.hidden) sub->group("");
    Action action = command.define(*sub, console);
    sub->final_callback([&chosen, action] { chosen = action; });
  }
  return app;
}

}  // namespace vbo::cli
