// SPDX-License-Identifier: MIT
// Turns the table of commands into a CLI11 program.
#include "cli/app.hpp"

#include "cli/help.hpp"
#include "vbo/version.hpp"

namespace vbo::cli {
namespace {

class CommandHelp final : public CLI::Formatter {
 public:
  explicit CommandHelp(const Command& command) : command_(command) {}
  std::string make_help(const CLI::App* app, std::string, CLI::AppFormatMode) const override {
    return app->get_name() == command_.name ? help_of_command(command_, *app)
                                            : help_of_nested(command_, *app);
  }

 private:
  const Command& command_;
};

class ProgramHelp final : public CLI::Formatter {
 public:
  std::string make_help(const CLI::App* app, std::string, CLI::AppFormatMode) const override {
    return help_of_program(*app);
  }
};

}  // namespace

std::unique_ptr<CLI::App> make_app(Console& console, Action& chosen) {
  auto app = std::make_unique<CLI::App>(
      "vbo: high-throughput Bayesian optimization of any program.", "vbo");
  app->formatter(std::make_shared<ProgramHelp>());
  app->set_version_flag("--version", "vbo " VBO_VERSION);
  app->add_flag("-q,--quiet", console.quiet, "No progress and no hints on standard error");
  app->add_option("--color", console.color, "auto, always or never; NO_COLOR is respected")
      ->check(CLI::IsMember({"auto", "always", "never"}))
      ->type_name("WHEN");
  app->fallthrough();
  app->require_subcommand(1);
  for (const Command& command : commands()) {
    CLI::App* sub = app->add_subcommand(command.name, command.summary);
    sub->formatter(std::make_shared<CommandHelp>(command));
    if (command.hidden) sub->group("");
    Action action = command.define(*sub, console);
    sub->final_callback([&chosen, action] { chosen = action; });
  }
  return app;
}

}  // namespace vbo::cli
