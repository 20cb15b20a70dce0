// SPDX-License-Identifier: MIT
// Reads a task's spec, "ackley?dim=20&shift=3", in the style of a URL. A factory asks for the
// options it knows, which also documents them; finish() reports the first wrong or unknown one.
// A getter never fails: it returns the preset and remembers the first error.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tasks/task.hpp"

namespace vbo::tasks {

class TaskOptions {
 public:
  static Result<TaskOptions> parse(std::string_view spec);

  const std::string& spec() const { return spec_; }
  const std::string& name() const { return name_; }

  std::int64_t integer(std::string_view name, std::int64_t preset, std::int64_t low,
                       std::int64_t high, std::string_view summary);
  // An option that is off unless given.
  std::optional<std::int64_t> optional_integer(std::string_view name, std::int64_t low,
                                               std::int64_t high, std::string_view summary);
  double number(std::string_view name, double preset, double low, double high,
                std::string_view summary);
  bool flag(std::string_view name, bool preset, std::string_view summary);

  // For constraints between options; the first reported error wins.
  void wrong(std::string message);

  Result<std::vector<TaskOption>> finish() const;

 private:
  const std::string* take(std::string_view name, std::string preset, std::string range,
                          std::string_view summary);
  void wrong_value(std::string_view name, const std::string& found, const std::string& expected);

  std::string spec_, name_;
  std::map<std::string, std::string, std::less<>> given_;
  std::vector<TaskOption> known_;
  std::string first_error_;
};

}  // namespace vbo::tasks
