// SPDX-License-Identifier: MIT
#include "exec/program_files.hpp"

#include <algorithm>
#include <filesystem>
#include <set>

#include "core/json.hpp"
#include "core/pattern.hpp"

namespace vbo::exec {
namespace {

namespace fs = std::filesystem;

std::string in_quotes(const std::string& text) { return "\"" + text + "\""; }

// nullopt: a path inside whatever folder it is relative to.
std::optional<std::string> path_problem(const std::string& text) {
  const fs::path path(text);
  const bool leaves = std::ranges::find(path, fs::path("..")) != path.end();
  if (!text.empty() && text.find('\0') == std::string::npos && !path.is_absolute() && !leaves &&
      path.has_filename() && path.filename() != ".") {
    return std::nullopt;
  }
  return "found " + in_quotes(text) + ", expected a file inside the trial's folder, without \"..\"";
}

std::optional<FileFlaw> template_flaw(const ProgramFiles& files) {
  if (files.templates.size() > kMostTemplates) {
    return FileFlaw{"template", kMostTemplates, "to",
                    "found more than " + std::to_string(kMostTemplates) + " templates"};
  }
  std::set<fs::path> written;
  for (std::size_t i = 0; i < files.templates.size(); ++i) {
    const InputTemplate& file = files.templates[i];
    if (file.from.empty() || file.from.find('\0') != std::string::npos) {
      return FileFlaw{"template", i, "from",
                      "found " + in_quotes(file.from) + ", expected the path of a file"};
    }
    if (const auto problem = path_problem(file.to)) return FileFlaw{"template", i, "to", *problem};
    if (!written.insert(fs::path(file.to).lexically_normal()).second) {
      return FileFlaw{"template", i, "to",
                      "found " + in_quotes(file.to) + " a second time, expected another file"};
    }
  }
  return std::nullopt;
}

std::optional<FileFlaw> extraction_flaw(const ProgramFiles& files, std::size_t i) {
  const Extraction& e = files.extractions[i];
  const auto flaw = [&](const char* key, const std::string& problem) {
    return FileFlaw{"extract", i, key, problem};
  };
  if (e.metric.empty() || e.metric.size() > kLongestMetricName) {
    return flaw("metric", "found " + in_quotes(e.metric.substr(0, kLongestMetricName)) +
                              ", expected the name of a metric or objective, 1 to 128 bytes");
  }
  for (std::size_t before = 0; before < i; ++before) {
    if (files.extractions[before].metric == e.metric) {
      return flaw("metric",
                  "found " + in_quotes(e.metric) + " a second time, expected all to be different");
    }
  }
  const int ways =
      (e.pattern.empty() ? 0 : 1) + (e.json.empty() ? 0 : 1) + (e.column.empty() ? 0 : 1);
  if (ways != 1) {
    return flaw(ways == 0         ? "metric"
                : !e.json.empty() ? "json"
                                  : "column",
                std::string(ways == 0 ? "found no way" : "found several ways") +
                    " to the value, expected one of pattern, json and column");
  }
  if (!e.pattern.empty()) {
    if (const auto made = core::Pattern::make(e.pattern); !made) {
      return flaw("pattern", made.error().message + ", in " + e.pattern);
    }
  }
  if (!e.json.empty() && (e.json.starts_with('.') || e.json.ends_with('.') ||
                          e.json.find("..") != std::string::npos)) {
    return flaw("json", "found " + in_quotes(e.json) +
                            ", expected keys and indices with one dot between them");
  }
  if (!e.file.empty()) {
    if (const auto problem = path_problem(e.file)) return flaw("file", *problem);
  }
  return std::nullopt;
}

// A value for each objective, or for none.
std::optional<FileFlaw> objective_flaw(const ProcessOptions& options) {
  const std::vector<Extraction>& extractions = options.files.extractions;
  std::set<std::size_t> found;
  for (const Extraction& e : extractions) {
    if (const auto index = objective_named(e.metric, options)) found.insert(*index);
  }
  for (std::size_t i = 0; !found.empty() && i < options.objectives.size(); ++i) {
    if (found.contains(i)) continue;
    return FileFlaw{"extract", extractions.size() - 1, "metric",
                    "the objective " + in_quotes(options.objectives[i].name) +
                        " has no [[extract]] table, expected one for each objective or for none"};
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::size_t> objective_named(const std::string& name, const ProcessOptions& options) {
  if (options.objectives.size() < 2) {
    return name == "value" ? std::optional<std::size_t>(0) : std::nullopt;
  }
  const auto at = std::ranges::find(options.objectives, name, &Objective::name);
  if (at == options.objectives.end()) return std::nullopt;
  return static_cast<std::size_t>(at - options.objectives.begin());
}

bool is_templated_program(const ProcessOptions& options) {
  const fs::path program = fs::path(options.command.front()).lexically_normal();
  return options.command.front().find('/') != std::string::npos &&
         std::ranges::any_of(options.files.templates, [&](const InputTemplate& file) {
           return fs::path(file.to).lexically_normal() == program;
         });
}

std::optional<FileFlaw> file_flaw_of(const ProcessOptions& options) {
  const ProgramFiles& files = options.files;
  if (const auto flaw = template_flaw(files)) return flaw;
  if (files.extractions.size() > kMostMetrics) {
    return FileFlaw{"extract", kMostMetrics, "metric",
                    "found more than " + std::to_string(kMostMetrics) + " values"};
  }
  for (std::size_t i = 0; i < files.extractions.size(); ++i) {
    if (const auto flaw = extraction_flaw(files, i)) return flaw;
    if (options.mode == EvaluatorMode::serve) {
      return FileFlaw{"extract", i, "metric",
                      "found a value to extract beside mode \"serve\", expected none: such a "
                      "program answers with its values and metrics"};
    }
    if (files.folder.empty() && !files.extractions[i].file.empty()) {
      return FileFlaw{"extract", i, "file", "found a file, but trials have no folders"};
    }
  }
  if (files.folder.empty() && !files.templates.empty()) {
    return FileFlaw{"template", 0, "to", "found a file, but trials have no folders"};
  }
  if (!files.input.empty()) {
    const fs::path input = fs::path(files.input).lexically_normal();
    const bool is_written = std::ranges::any_of(files.templates, [&](const InputTemplate& file) {
      return fs::path(file.to).lexically_normal() == input;
    });
    if (!is_written) {
      return FileFlaw{
          "evaluate", 0, "stdin",
          "found " + in_quotes(files.input) + ", expected what a [[template]] table has as its to"};
    }
    if (options.mode == EvaluatorMode::serve) {
      return FileFlaw{"evaluate", 0, "stdin",
                      "found a file beside mode \"serve\", whose standard input has the requests"};
    }
  }
  return objective_flaw(options);
}

}  // namespace vbo::exec
