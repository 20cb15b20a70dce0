// SPDX-License-Identifier: MIT
#include <algorithm>
#include <string>

#include "vbo/executor.hpp"
#include "vbo/random.hpp"

namespace vbo {
namespace {

Error invalid(const std::string& field, const std::string& problem) {
  return {ErrorKind::invalid_input, field + " " + problem, field};
}

}  // namespace

bool is_own_variable(std::string_view name) {
  return name == "VBO_PARAMS" || name == "VBO_TRIAL_ID" || name == "VBO_SEED" ||
         name == "VBO_REPEAT";
}

Job job_of(const Trial& trial, std::uint64_t study_seed) {
  Rng rng(study_seed, "evaluation", static_cast<std::uint64_t>(trial.id));
  return {trial.id, trial.point, static_cast<std::int64_t>(rng.below(std::uint64_t{1} << 31U)),
          trial.rationale.repeat};
}

Result<void> ProcessOptions::validate() const {
  if (command.empty() || command.front().empty()) {
    return invalid("command", "is empty, expected a program and its arguments");
  }
  const auto has_nul = [](const std::string& text) { return text.find('\0') != std::string::npos; };
  if (std::any_of(command.begin(), command.end(), has_nul)) {
    return invalid("command", "has a NUL character, which no program can get");
  }
  for (const auto& [name, value] : environment) {
    if (name.empty() || name.find('=') != std::string::npos || has_nul(name)) {
      return invalid("env", "has the name \"" + name + "\", expected that of a variable");
    }
    if (has_nul(value)) return invalid("env", "has a NUL character in " + name);
    if (is_own_variable(name)) {
      return invalid("env", "sets " + name + ", which is vbo's to set");
    }
  }
  if (workers < 1) return invalid("workers", "is 0, expected at least 1");
  if (!(timeout_seconds >= 0.0)) return invalid("timeout", "is negative, expected seconds >= 0");
  if (!(grace_seconds >= 0.0)) return invalid("grace", "is negative, expected seconds >= 0");
  if (!(retry_delay_seconds >= 0.0)) return invalid("retry_delay", "is negative, expected >= 0");
  if (std::min({retries, temporary_retries, lost_retries}) < 0) {
    return invalid("retries", "is negative, expected at least 0");
  }
  return {};
}

}  // namespace vbo
