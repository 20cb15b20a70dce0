// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>

#include "cli/braille.hpp"
#include "cli/commands.hpp"
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

std::string importance_bars(const Importance& found) {
  std::vector<ParameterImportance> entries = found.parameters;
  std::stable_sort(entries.begin(), entries.end(),
                   [](const auto& a, const auto& b) { return a.nats > b.nats; });
  std::size_t width = 0;
  double most = 0.01;
  for (const ParameterImportance& entry : entries) {
    width = std::max(width, entry.parameter.size());
    most = std::max(most, entry.nats);
  }
  std::string text;
  for (const ParameterImportance& entry : entries) {
    text += fmt::format("{:<{}}  {}  {:.3f} ({:.3f} to {:.3f})\n", entry.parameter, width,
                        block_bar(entry.nats / most, kBar), entry.nats, entry.low, entry.high);
  }
  return text.empty() ? text : "\nWhat matters, in nats:\n" + text;
}

int plot(const std::string& argument, const Console& console) {
  Result<OpenedStudy> study = open_to_read(argument);
  if (!study) return fail(study.error());
  const Result<StudyReport> report = make_report(*study->storage);
  if (!report) return fail(report.error());
  if (report->curve.empty()) {
    return fail(kNoSuccess, "no evaluation of \"" + report->record.name + "\" has succeeded yet");
  }
  print_out(console.paint(1, Style::bold, one_line(report->record.name)) +
            fmt::format("  best {} (trial {}), {}\n", short_number(*report->best->value()),
                        report->best->id, to_string(report->record.goal())) +
            curve_text(*report));
  const Importance found = importance(report->record.space, report->trials, {.pair_parameters = 0});
  print_out(importance_bars(found));
  if (!found.remark.empty() && !console.quiet) print_err("note: " + found.remark + "\n");
  return kDone;
}

}  // namespace

Action define_plot(CLI::App& app, const Console& console) {
  auto study = std::make_shared<std::string>();
  Arguments(app).positional("STUDY", *study, "Storage (.db) or study file (.toml)");
  return [study, &console] { return plot(*study, console); };
}

}  // namespace vbo::cli
