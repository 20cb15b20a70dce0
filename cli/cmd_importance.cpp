// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>

#include "cli/commands.hpp"
#include "cli/target.hpp"
#include "cli/trial_json.hpp"
#include "core/one_line.hpp"
#include "report/json.hpp"
#include "vbo/report.hpp"

namespace vbo::cli {
namespace {

constexpr std::size_t kShownPairs = 5;

std::vector<ParameterImportance> strongest_first(std::vector<ParameterImportance> parameters) {
  std::stable_sort(parameters.begin(), parameters.end(),
                   [](const auto& a, const auto& b) { return a.nats > b.nats; });
  return parameters;
}

std::string pairs_text(const Importance& importance) {
  std::string text;
  std::size_t shown = 0;
  for (const PairImportance& pair : importance.pairs) {
    if (pair.low <= 0.0 || shown == kShownPairs) continue;
    text += shown++ == 0 ? "Together they tell more than each alone:\n" : "";
    text += fmt::format("  {} and {}: {:.3f} nats more  ({:.3f} to {:.3f})\n", one_line(pair.first),
                        one_line(pair.second), pair.nats, pair.low, pair.high);
  }
  return text;
}

std::string importance_text(const Importance& importance) {
  if (importance.parameters.empty()) return {};
  std::size_t width = 9;
  for (const ParameterImportance& entry : importance.parameters) {
    width = std::max(width, one_line(entry.parameter).size());
  }
  std::string text = fmt::format("{:<{}}   nats   95% interval\n", "parameter", width);
  for (const ParameterImportance& entry : strongest_first(importance.parameters)) {
    text += fmt::format("{:<{}}  {:.3f}   {:.3f} to {:.3f}\n", one_line(entry.parameter), width,
                        entry.nats, entry.low, entry.high);
  }
  text += pairs_text(importance);
  text += fmt::format("From {} of {} results.\n", importance.used, importance.results);
  return text;
}

// Why there is no or little evidence: once where it holds for all objectives, else of each that it
// holds for.
std::string remarks_text(const std::vector<Objective>& objectives,
                         const std::vector<Importance>& found) {
  const std::string& first = found.front().remark;
  const auto same = [&](const Importance& importance) { return importance.remark == first; };
  if (std::ranges::all_of(found, same)) {
    return first.empty() ? "" : "note: " + one_line(first) + "\n";
  }
  std::string text;
  for (std::size_t m = 0; m < found.size(); ++m) {
    if (found[m].remark.empty()) continue;
    text += fmt::format("note: about {}: {}\n", one_line(objectives[m].name),
                        one_line(found[m].remark));
  }
  return text;
}

int show_importance(const std::string& argument, bool json, const Console& console) {
  Result<OpenedStudy> study = open_to_read(argument);
  if (!study) return fail(study.error());
  const Result<std::vector<Trial>> trials = study->storage->load_history();
  if (!trials) return fail(trials.error());
  const std::vector<Objective>& objectives = study->record.objectives;
  const std::vector<Importance> found = importances(study->record, *trials);
  if (json) print_json(importances_json(objectives, found));
  for (std::size_t m = 0; m < found.size() && !json; ++m) {
    const std::string text = importance_text(found[m]);
    if (objectives.size() > 1 && !text.empty()) {
      print_out(fmt::format("{}About {}:\n", m > 0 ? "\n" : "", one_line(objectives[m].name)));
    }
    print_out(text);
  }
  if (!console.quiet) print_err(remarks_text(objectives, found));
  return kDone;
}

}  // namespace

Action define_importance(CLI::App& app, const Console& console) {
  auto study = std::make_shared<std::string>();
  auto json = std::make_shared<bool>(false);
  Arguments arguments(app);
  arguments.positional("STUDY", *study, "Storage (.db) or study file (.toml)");
  arguments.flag("--json", *json, "Print JSON");
  return [study, json, &console] { return show_importance(*study, *json, console); };
}

}  // namespace vbo::cli
