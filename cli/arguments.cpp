// SPDX-License-Identifier: MIT
#include "cli/arguments.hpp"

#include <CLI/CLI.hpp>

namespace vbo::cli {

void Arguments::positional(const std::string& name, std::string& target, const std::string& help) {
  app_.add_option(name, target, help)->required();
}

void Arguments::positional(const std::string& name, std::int64_t& target, const std::string& help) {
  app_.add_option(name, target, help)->required();
}

void Arguments::positional(const std::string& name, std::vector<std::string>& target,
                           const std::string& help) {
  app_.add_option(name, target, help)->required()->expected(1, 64);
}

void Arguments::positional(const std::string& name, std::string& target, const std::string& help,
                           const std::vector<std::string>& choices) {
  app_.add_option(name, target, help)->required()->check(CLI::IsMember(choices));
}

void Arguments::optional_positional(const std::string& name, std::string& target,
                                    const std::string& help) {
  app_.add_option(name, target, help)->capture_default_str();
}

void Arguments::optional_positional(const std::string& name, std::vector<std::string>& target,
                                    const std::string& help) {
  app_.add_option(name, target, help)->expected(0, 64);
}

void Arguments::flag(const std::string& names, bool& target, const std::string& help) {
  app_.add_flag(names, target, help);
}

void Arguments::option(const std::string& names, std::int64_t& target, const std::string& type,
                       const std::string& help, std::int64_t low, std::int64_t high) {
  CLI::Option* option = app_.add_option(names, target, help);
  option->check(CLI::Range(low, high))->type_name(type);
  // A default outside the range means "not given" and is nothing to show.
  if (target >= low && target <= high) option->capture_default_str();
}

void Arguments::option(const std::string& names, std::string& target, const std::string& type,
                       const std::string& help, const std::vector<std::string>& choices) {
  CLI::Option* option = app_.add_option(names, target, help)->type_name(type);
  if (!choices.empty()) option->check(CLI::IsMember(choices));
}

void Arguments::option(const std::string& names, double& target, const std::string& type,
                       const std::string& help, double low, double high) {
  app_.add_option(names, target, help)
      ->check(CLI::Range(low, high))
      ->type_name(type)
      ->capture_default_str();
}

void Arguments::required(const std::string& names, std::string& target, const std::string& type,
                         const std::string& help) {
  app_.add_option(names, target, help)->required()->type_name(type);
}

void Arguments::repeated(const std::string& names, std::vector<std::string>& target,
                         const std::string& type, const std::string& help) {
  app_.add_option(names, target, help)->type_name(type)->allow_extra_args(false);
}

void Arguments::list(const std::string& names, std::vector<std::string>& target,
                     const std::string& type, const std::string& help, Need need) {
  app_.add_option(names, target, help)
      ->required(need == Need::required)
      ->delimiter(',')
      ->type_name(type);
}

}  // namespace vbo::cli
