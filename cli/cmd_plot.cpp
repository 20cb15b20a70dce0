// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>

#include "cli/braille.hpp"
#include "cli/commands.hpp"
#include "cli/front_picture.hpp"
#include "cli/target.hpp"
#include "cli/trial_json.hpp"
#include "core/one_line.hpp"
#include "vbo/report.hpp"

namespace vbo::cli {
namespace {

constexpr int kCurveWidth = 60, kCurveHeight = 12;  // of the curve, in characters
constexpr int kBar = 30;                            // longest bar, in characters

// The scale goes from the best to what was reached after a tenth of the evaluations: the first
// results would flatten everything that came after them.
std::string curve_text(const StudyReport& report) {
  const auto evaluations = static_cast<double>(report.results.size());
  const double best = report.curve.back().value;
  double early = report.curve.front().value;
  for (const Improvement& step : report.curve) {
    if (static_cast<double>(step.evaluation) <= std::max(1.0, evaluations / 10.0))
      early = step.value;
  }
  if (early == best) early = report.curve.front().value;
  if (early == best) early = best + 1.0;
  const double low = std::min(best, early), high = std::max(best, early);
  BrailleCanvas canvas(kCurveWidth, kCurveHeight);
  const auto x = [&](double evaluation) { return evaluation / std::max(evaluations, 1.0); };
  const auto y = [&](double value) { return std::clamp((value - low) / (high - low), 0.0, 1.0); };
  for (const std::size_t position : report.results) {
    const Trial& trial = report.trials[position];
    if (trial.value() && *trial.value() >= low && *trial.value() <= high) {
      canvas.dot(x(static_cast<double>(&position - report.results.data())), y(*trial.value()));
    }
  }
  for (std::size_t i = 0; i < report.curve.size(); ++i) {
    const Improvement& step = report.curve[i];
    const double next = i + 1 < report.curve.size()
                            ? static_cast<double>(report.curve[i + 1].evaluation)
                            : evaluations;
    canvas.line(x(static_cast<double>(step.evaluation)), y(step.value), x(next), y(step.value));
    if (i + 1 < report.curve.size()) {
      canvas.line(x(next), y(step.value), x(next), y(report.curve[i + 1].value));
    }
  }
  const std::string top = fmt::format("{:.4g}", high), bottom = fmt::format("{:.4g}", low);
  const std::size_t margin = std::max(top.size(), bottom.size());
  std::string text;
  for (int row = 0; row < kCurveHeight; ++row) {
    const std::string& label = row == 0 ? top : row == kCurveHeight - 1 ? bottom : std::string();
    text += fmt::format("{:>{}} ┤{}\n", label, margin, canvas.row(row));
  }
  return text + fmt::format("{:>{}} └{:─<{}}\n{:>{}} 0{:>{}}\n", "", margin, "", kCurveWidth, "",
                            margin, fmt::format("{} evaluations", report.results.size()),
                            kCurveWidth - 1);
}

std::string importance_bars(const Importance& found, const std::string& about) {
  std::vector<ParameterImportance> entries = found.parameters;
  std::stable_sort(entries.begin(), entries.end(),
                   [](const auto& a, const auto& b) { return a.nats > b.nats; });
  std::size_t width = 0;
  double most = 0.01;
  for (const ParameterImportance& entry : entries) {
    width = std::max(width, one_line(entry.parameter).size());
    most = std::max(most, entry.nats);
  }
  std::string text;
  for (const ParameterImportance& entry : entries) {
    text += fmt::format("{:<{}}  {}  {:.3f} ({:.3f} to {:.3f})\n", one_line(entry.parameter), width,
                        block_bar(entry.nats / most, kBar), entry.nats, entry.low, entry.high);
  }
  return text.empty() ? text : "\nWhat matters" + about + ", in nats:\n" + text;
}

// About each objective.
void print_importance(const StudyReport& report, const Console& console) {
  const std::vector<Objective>& objectives = report.record.objectives;
  const std::vector<Importance> found =
      importances(report.record, report.trials, {.pair_parameters = 0});
  for (std::size_t m = 0; m < found.size(); ++m) {
    print_out(importance_bars(found[m],
                              objectives.size() > 1 ? " for " + one_line(objectives[m].name) : ""));
  }
  const std::string& remark = found.front().remark;
  if (!remark.empty() && !console.quiet) print_err("note: " + one_line(remark) + "\n");
}

int plot_front(const StudyReport& report, const std::vector<std::string>& names,
               const Console& console) {
  const Result<std::array<std::size_t, 2>> pair = pair_of(report.record.objectives, names);
  if (!pair) return fail(pair.error());
  const Front& front = *report.front;
  if (front.trials.empty()) {
    return fail(kNoSuccess, "no evaluation of \"" + report.record.name + "\" has succeeded yet" +
                                (report.feasible ? " within all limits" : ""));
  }
  const TradeOffs trade_offs = trade_offs_of(front);
  print_out(console.paint(1, Style::bold, one_line(report.record.name)) +
            fmt::format("  {} on the front, hypervolume {}{}\n", front.trials.size(),
                        front.exact ? "" : "about ", short_number(front.hypervolume)) +
            front_picture(report, trade_offs, *pair, console) +
            trade_off_text(front, trade_offs, *pair));
  print_importance(report, console);
  return kDone;
}

int plot(const std::string& argument, const std::vector<std::string>& names,
         const Console& console) {
  Result<OpenedStudy> study = open_to_read(argument);
  if (!study) return fail(study.error());
  Result<StudyReport> report = make_report(*study->storage);
  if (!report) return fail(report.error());
  if (report->front) return plot_front(*report, names, console);
  if (!names.empty()) return fail(kWrongUsage, "--objectives: the study has a single objective");
  if (report->curve.empty()) {
    return fail(kNoSuccess, "no evaluation of \"" + report->record.name + "\" has succeeded yet");
  }
  add_estimate(*report);
  const auto& estimated = report->estimate.best;
  print_out(console.paint(1, Style::bold, one_line(report->record.name)) +
            fmt::format("  best {} (trial {}), {}\n",
                        estimated ? "by its estimate " + short_number(estimated->mean)
                                  : short_number(*report->best->value()),
                        report->best->id, to_string(report->record.goal())) +
            (estimated
                 ? estimate_lines(report->estimate, "") + "The line is the best single result:\n"
                 : "") +
            curve_text(*report));
  print_importance(*report, console);
  return kDone;
}

}  // namespace

Action define_plot(CLI::App& app, const Console& console) {
  auto study = std::make_shared<std::string>();
  auto names = std::make_shared<std::vector<std::string>>();
  Arguments arguments(app);
  arguments.positional("STUDY", *study, "Storage (.db) or study file (.toml)");
  arguments.list("--objectives", *names, "A,B", "Which two of several objectives to show",
                 Arguments::Need::optional);
  return [study, names, &console] { return plot(*study, *names, console); };
}

}  // namespace vbo::cli
