// SPDX-License-Identifier: MIT
// What a command accepts on its command line, without the weight of the parser's headers. Each call
// binds one argument to a variable that must outlive parsing; its value before the call is the
// default.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace vbo::cli {

class Arguments {
 public:
  explicit Arguments(CLI::App& app) : app_(app) {}

  void positional(const std::string& name, std::string& target, const std::string& help);
  void positional(const std::string& name, std::int64_t& target, const std::string& help);
  void optional_positional(const std::string& name, std::string& target, const std::string& help);
  void optional_positional(const std::string& name, std::vector<std::string>& target,
                           const std::string& help);
  // One or more.
  void positional(const std::string& name, std::vector<std::string>& target,
                  const std::string& help);
  // One of a few words.
  void positional(const std::string& name, std::string& target, const std::string& help,
                  const std::vector<std::string>& choices);

  void flag(const std::string& names, bool& target, const std::string& help);
  // `type` stands for the value in the help: "N", "STATE". The default is shown unless it is
  // hidden.
  void option(const std::string& names, std::int64_t& target, const std::string& type,
              const std::string& help, std::int64_t low, std::int64_t high);
  void option(const std::string& names, std::string& target, const std::string& type,
              const std::string& help, const std::vector<std::string>& choices = {});
  void option(const std::string& names, double& target, const std::string& type,
              const std::string& help, double low, double high);
  void required(const std::string& names, std::string& target, const std::string& type,
                const std::string& help);
  // May be given any number of times, one value each.
  void repeated(const std::string& names, std::vector<std::string>& target, const std::string& type,
                const std::string& help);
  // Names separated by commas.
  enum class Need { optional, required };
  void list(const std::string& names, std::vector<std::string>& target, const std::string& type,
            const std::string& help, Need need);

 private:
  CLI::App& app_;
};

}  // namespace vbo::cli
