// SPDX-License-Identifier: MIT
#include <algorithm>
#include <string>

#include "exec/process_options.hpp"
#include "exec/program_files.hpp"
#include "vbo/random.hpp"

namespace vbo {

bool is_own_variable(std::string_view name) {
  return name == "VBO_PARAMS" || name == "VBO_TRIAL_ID" || name == "VBO_SEED" ||
         name == "VBO_REPEAT" || name == "VBO_WORK_DIR" || name == "VBO_STUDY_DIR";
}

Job job_of(const Trial& trial, std::uint64_t study_seed) {
  Rng rng(study_seed, "evaluation", static_cast<std::uint64_t>(trial.id));
  return {trial.id, trial.point, static_cast<std::int64_t>(rng.below(std::uint64_t{1} << 31U)),
          trial.rationale.repeat};
}

std::optional<OptionFlaw> flaw_of(const ProcessOptions& o) {
  if (o.command.empty() || o.command.front().empty()) {
    return OptionFlaw{"command", "is empty, expected a program and its arguments"};
  }
  const auto has_nul = [](const std::string& text) { return text.find('\0') != std::string::npos; };
  if (std::any_of(o.command.begin(), o.command.end(), has_nul)) {
    return OptionFlaw{"command", "has a NUL character, which no program can get"};
  }
  for (const auto& [name, value] : o.environment) {
    if (name.empty() || name.find('=') != std::string::npos || has_nul(name)) {
      return OptionFlaw{"env", "has the name \"" + name + "\", expected that of a variable"};
    }
    if (has_nul(value)) return OptionFlaw{"env", "has a NUL character in " + name};
    if (is_own_variable(name)) {
      return OptionFlaw{"env", "sets " + name + ", which is vbo's to set"};
    }
  }
  if (o.workers < 1) return OptionFlaw{"workers", "is 0, expected at least 1"};
  if (!(o.timeout_seconds >= 0.0))
    return OptionFlaw{"timeout", "is negative, expected seconds >= 0"};
  if (!(o.grace_seconds >= 0.0)) return OptionFlaw{"grace", "is negative, expected seconds >= 0"};
  if (!(o.retry_delay_seconds >= 0.0))
    return OptionFlaw{"retry_delay", "is negative, expected >= 0"};
  if (std::min({o.retries, o.temporary_retries, o.lost_retries}) < 0) {
    return OptionFlaw{"retries", "is negative, expected at least 0"};
  }
  return std::nullopt;
}

Result<void> ProcessOptions::validate() const {
  if (const auto flaw = flaw_of(*this)) {
    return Error{ErrorKind::invalid_input, flaw->option + " " + flaw->problem, flaw->option};
  }
  if (const auto flaw = exec::file_flaw_of(*this)) {
    const std::string name =
        flaw->table == "evaluate"
            ? flaw->key
            : flaw->table + " " + std::to_string(flaw->index + 1) + "." + flaw->key;
    return Error{ErrorKind::invalid_input, name + ": " + flaw->problem, name};
  }
  return {};
}

}  // namespace vbo
