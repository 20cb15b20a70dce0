// SPDX-License-Identifier: MIT
// Completion for bash, zsh and fish, made from the same table as the help.
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

std::vector<const CLI::App*> shown(const CLI::App& app) {
  std::vector<const CLI::App*> all;
  for (const CLI::App* sub : app.get_subcommands({})) {
    if (!sub->get_group().empty()) all.push_back(sub);
  }
  return all;
}

std::string without_space(const std::string& text) { return text.empty() ? text : text.substr(1); }

// "run) words=... ;;" for every command, and "bench/table) words=... ;;" for those inside one.
std::string cases_of(const CLI::App& app, const std::string& common) {
  std::string cases;
  for (const CLI::App* sub : shown(app)) {
    std::string nested;
    for (const CLI::App* inner : sub->get_subcommands({})) {
      nested += " " + inner->get_name();
      cases += "    " + sub->get_name() + "/" + inner->get_name() + ") words=\"" +
               without_space(option_names(*inner) + common) + "\" ;;\n";
    }
    cases += "    " + sub->get_name() + "/*) words=\"" +
             without_space(option_names(*sub) + common) + "\" nested=\"" + without_space(nested) +
             "\" ;;\n";
  }
  return cases;
}

// Needs neither extglob nor the bash-completion package. `vbo trials --state f` and the like are
// answered from the choices an option has.
std::string bash_script(const CLI::App& app) {
  std::string commands_line;
  for (const CLI::App* sub : shown(app)) commands_line += " " + sub->get_name();
  return "# bash completion for vbo. Load it with: source <(vbo completion bash)\n"
         "_vbo() {\n"
         "  local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]}\n"
         "  local command= inner= words= nested= i file\n"
         "  for ((i = 1; i < COMP_CWORD; i++)); do\n"
         "    [[ ${COMP_WORDS[i]} == -* || ${COMP_WORDS[i-1]} == --color ]] && continue\n"
         "    if [[ -z $command ]]; then command=${COMP_WORDS[i]}\n"
         "    else inner=${COMP_WORDS[i]}; break; fi\n"
         "  done\n"
         "  case $previous in\n"
         "    --color) COMPREPLY=($(compgen -W \"auto always never\" -- \"$current\")); return ;;\n"
         "    --state) COMPREPLY=($(compgen -W \"waiting running completed failed\" -- "
         "\"$current\")); return ;;\n"
         "  esac\n"
         "  case $command in\n"
         "    \"\") COMPREPLY=($(compgen -W \"" +
         without_space(commands_line + option_names(app)) +
         "\" -- \"$current\")); return ;;\n"
         "    methods) if [[ $current != -* ]]; then\n"
         "      COMPREPLY=($(compgen -W \"$(vbo methods 2>/dev/null | cut -d' ' -f1)\" -- "
         "\"$current\")); return; fi ;;\n"
         "    completion) COMPREPLY=($(compgen -W \"bash zsh fish\" -- \"$current\")); return ;;\n"
         "  esac\n"
         "  case $command/$inner in\n" +
         cases_of(app, option_names(app)) +
         "  esac\n"
         "  if [[ $current == -* ]]; then\n"
         "    COMPREPLY=($(compgen -W \"$words\" -- \"$current\"))\n"
         "  elif [[ -n $nested ]]; then\n"
         "    COMPREPLY=($(compgen -W \"$nested\" -- \"$current\"))\n"
         "  else\n"
         "    compopt -o filenames 2>/dev/null\n"
         "    COMPREPLY=($(compgen -d -- \"$current\"))\n"
         "    while IFS= read -r file; do\n"
         "      case $file in *.toml | *.db | *.csv) COMPREPLY+=(\"$file\") ;; esac\n"
         "    done < <(compgen -f -- \"$current\")\n"
         "  fi\n"
         "}\n"
         "complete -F _vbo vbo\n";
}

// What an option or the argument of a command can be; empty where anything can.
std::string words_of(const std::string& name) {
  if (name == "color") return "auto always never";
  if (name == "state") return "waiting running completed failed";
  if (name == "completion") return "bash zsh fish";
  return {};
}

constexpr const char* kMethodNames = "$(vbo methods 2>/dev/null | cut -d\" \" -f1)";

// Inside single quotes.
std::string quoted(const std::string& text) {
  std::string result;
  for (const char c : text) result += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return result;
}

// Inside the brackets of a specification of _arguments.
std::string zsh_note(const std::string& note) {
  std::string result;
  for (const char c : quoted(note)) {
    if (c == '[' || c == ']' || c == ':') result += '\\';
    result += c;
  }
  return result;
}

std::string zsh_options(const CLI::App& app) {
  std::string text;
  for (const CLI::Option* option : app.get_options()) {
    const std::string note = zsh_note(option->get_description());
    for (const std::string& name : option->get_lnames()) {
      const std::string words = words_of(name);
      const std::string value = option->get_type_size() == 0 ? ""
                                : words.empty()              ? ":value:_files"
                                                             : ":value:(" + words + ")";
      text += " '*--" + name + "[" + note + "]" + value + "'";
    }
  }
  return text;
}

std::string zsh_list(const std::vector<const CLI::App*>& apps) {
  std::string text;
  for (const CLI::App* app : apps) {
    text += " '" + app->get_name() + ":" + quoted(app->get_description()) + "'";
  }
  return text;
}

std::string zsh_argument(const CLI::App& sub) {
  const std::string& name = sub.get_name();
  if (name == "methods") return std::string(" \"*:method:(") + kMethodNames + ")\"";
  const std::string words = words_of(name);
  return words.empty() ? " '*:file:_files'" : " '1:value:(" + words + ")'";
}

std::string zsh_script(const CLI::App& app) {
  std::string cases;
  for (const CLI::App* sub : shown(app)) {
    const auto inner = sub->get_subcommands({});
    cases += "    " + sub->get_name() + ")\n";
    if (inner.empty()) {
      cases += "      _arguments" + zsh_options(*sub) + zsh_argument(*sub) + "\n";
    } else {
      std::vector<const CLI::App*> list(inner.begin(), inner.end());
      cases += "      if (( CURRENT == 2 )); then\n        local -a nested=(" + zsh_list(list) +
               ")\n        _describe command nested\n      else\n"
               "        shift words; (( CURRENT-- ))\n        case $words[1] in\n";
      for (const CLI::App* nested : list) {
        cases += "          " + nested->get_name() + ") _arguments" + zsh_options(*nested) +
                 " '*:file:_files' ;;\n";
      }
      cases += "        esac\n      fi\n";
    }
    cases += "      ;;\n";
  }
  return "#compdef vbo\n"
         "# zsh completion for vbo: put it as _vbo into a folder of fpath.\n"
         "_vbo() {\n"
         "  local -a commands=(" +
         zsh_list(shown(app)) +
         ")\n"
         "  if [[ $words[CURRENT-1] == --color ]]; then compadd " +
         words_of("color") +
         "; return; fi\n"
         "  while (( CURRENT > 2 )) && [[ $words[2] == -* ]]; do\n"
         "    if [[ $words[2] == --color ]]; then words[2]=(); (( CURRENT-- )); fi\n"
         "    words[2]=(); (( CURRENT-- ))\n"
         "  done\n"
         "  if (( CURRENT == 2 )); then\n"
         "    if [[ $words[2] == -* ]]; then _arguments" +
         zsh_options(app) +
         "; else _describe command commands; fi\n"
         "    return\n"
         "  fi\n"
         "  shift words; (( CURRENT-- ))\n"
         "  case $words[1] in\n" +
         cases +
         "  esac\n"
         "}\n"
         "if [[ $funcstack[1] == _vbo ]]; then _vbo \"$@\"; else compdef _vbo vbo; fi\n";
}

std::string fish_note(const std::string& text) {
  std::string result;
  for (const char c : text) {
    if (c == '\'' || c == '\\') result += '\\';
    result += c;
  }
  return result;
}

std::string fish_options(const CLI::App& app, const std::string& condition) {
  std::string text;
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) {
      const std::string words = words_of(name);
      text += "complete -c vbo" + condition + " -l " + name +
              (option->get_type_size() == 0 ? ""
               : words.empty()              ? " -r"
                                            : " -x -a '" + words + "'") +
              " -d '" + fish_note(option->get_description()) + "'\n";
    }
  }
  return text;
}

std::string fish_script(const CLI::App& app) {
  std::string text =
      std::string("# fish completion for vbo: put it into ~/.config/fish/completions.\n") +
      // fish's own __fish_use_subcommand takes the value of --color for one.
      "function __vbo_has_no_command\n"
      "  set -l given (commandline -opc)[2..-1]\n"
      "  while set -q given[1]\n"
      "    if test $given[1] = --color\n"
      "      set -e given[1]\n"
      "    else if not string match -q -- '-*' $given[1]\n"
      "      return 1\n"
      "    end\n"
      "    set -e given[1]\n"
      "  end\n"
      "end\n" +
      fish_options(app, "");
  for (const CLI::App* sub : shown(app)) {
    const std::string& name = sub->get_name();
    text += "complete -c vbo -n __vbo_has_no_command -f -a " + name + " -d '" +
            fish_note(sub->get_description()) + "'\n";
    const auto inner = sub->get_subcommands({});
    std::string names;
    for (const CLI::App* nested : inner) names += " " + nested->get_name();
    const std::string inside = "__fish_seen_subcommand_from " + name;
    for (const CLI::App* nested : inner) {
      text += "complete -c vbo -n '" + inside + "; and not __fish_seen_subcommand_from" + names +
              "' -f -a " + nested->get_name() + " -d '" + fish_note(nested->get_description()) +
              "'\n";
      text += fish_options(*nested, " -n '" + inside + "; and __fish_seen_subcommand_from " +
                                        nested->get_name() + "'");
    }
    text += fish_options(*sub, " -n '" + inside + "'");
    const std::string words =
        name == "methods" ? "(vbo methods 2>/dev/null | string split -f1 \" \")" : words_of(name);
    if (!words.empty()) {
      text += "complete -c vbo -n '" + inside + "' -f -a '" + words + "'\n";
    }
  }
  return text;
}

}  // namespace

Action define_completion(CLI::App& app, const Console&) {
  auto shell = std::make_shared<std::string>();
  Arguments(app).positional("SHELL", *shell, "bash, zsh or fish", {"bash", "zsh", "fish"});
  return [shell] {
    Console console;
    Action chosen;
    const std::unique_ptr<CLI::App> program = make_app(console, chosen);
    print_out(*shell == "bash"  ? bash_script(*program)
              : *shell == "zsh" ? zsh_script(*program)
                                : fish_script(*program));
    return int{kDone};
  };
}

}  // namespace vbo::cli
