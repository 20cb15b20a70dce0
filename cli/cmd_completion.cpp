// SPDX-License-Identifier: MIT
// Completion for bash, made from the same table as the help.
#include "cli/app.hpp"

namespace vbo::cli {
namespace {

std::string option_names(const CLI::App& app) {
  std::string names;
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) names += " --" + name;
  }
  return names;
}

std::string bash_script() {
  Console console;
  Action chosen;
  const std::unique_ptr<CLI::App> app = make_app(console, chosen);
  std::string commands_line, cases;
  for (const CLI::App* sub : app->get_subcommands({})) {
    if (sub->get_group().empty()) continue;
    commands_line += " " + sub->get_name();
    std::string words = option_names(*sub);
    for (const CLI::App* nested : sub->get_subcommands({})) words += " " + nested->get_name();
    cases +=
        "    " + sub->get_name() + ") words=\"" + words.substr(words.empty() ? 0 : 1) + "\" ;;\n";
  }
  return "# bash completion for vbo. Load it with: source <(vbo completion bash)\n"
         "_vbo() {\n"
         "  local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]}\n"
         "  local command= words= i\n"
         "  for ((i = 1; i < COMP_CWORD; i++)); do\n"
         "    if [[ ${COMP_WORDS[i]} != -* ]]; then command=${COMP_WORDS[i]}; break; fi\n"
         "  done\n"
         "  case $previous in\n"
         "    --color) COMPREPLY=($(compgen -W \"auto always never\" -- \"$current\")); return ;;\n"
         "    --state) COMPREPLY=($(compgen -W \"waiting running completed failed\" -- "
         "\"$current\")); "
         "return ;;\n"
         "  esac\n"
         "  case $command in\n"
         "    \"\") COMPREPLY=($(compgen -W \"" +
         commands_line.substr(1) + option_names(*app) +
         "\" -- \"$current\")); return ;;\n"
         "    methods) if [[ $current != -* ]]; then\n"
         "      COMPREPLY=($(compgen -W \"$(vbo methods 2>/dev/null | cut -d' ' -f1)\" -- "
         "\"$current\")); return; fi ;;\n"
         "  esac\n"
         "  case $command in\n" +
         cases +
         "  esac\n"
         "  if [[ $current == -* ]]; then\n"
         "    COMPREPLY=($(compgen -W \"$words" +
         option_names(*app) +
         "\" -- \"$current\"))\n"
         "  elif [[ $command == bench ]]; then\n"
         "    COMPREPLY=($(compgen -W \"$words\" -- \"$current\") $(compgen -f -- \"$current\"))\n"
         "  else\n"
         "    compopt -o filenames 2>/dev/null\n"
         "    COMPREPLY=($(compgen -f -X '!*.@(toml|db)' -- \"$current\") $(compgen -d -- "
         "\"$current\"))\n"
         "  fi\n"
         "}\n"
         "complete -F _vbo vbo\n";
}

}  // namespace

Action define_completion(CLI::App& app, const Console&) {
  auto shell = std::make_shared<std::string>();
  Arguments(app).positional("SHELL", *shell, "bash", {"bash"});
  return [] {
    print_out(bash_script());
    return int{kDone};
  };
}

}  // namespace vbo::cli
