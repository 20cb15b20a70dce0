// SPDX-License-Identifier: MIT
#include "report/state.hpp"

#include <algorithm>
#include <cmath>

#include "core/order.hpp"

namespace vbo {
namespace {

constexpr std::size_t kFewest = 20;      // results with values before improvement is judged
constexpr std::size_t kWindowShare = 3;  // the last third of them
constexpr double kMostlyNoise = 0.5;     // of the variance

// The evaluations, counted from 1, that gave values: a failure says nothing about improvement.
std::vector<std::int64_t> evaluations_with_values(const StudyReport& report) {
  std::vector<std::int64_t> evaluations;
  for (std::size_t i = 0; i < report.results.size(); ++i) {
    if (report.trials[report.results[i]].values.empty()) continue;
    evaluations.push_back(static_cast<std::int64_t>(i) + 1);
  }
  return evaluations;
}

// Whether most of the last third of all evaluations failed. Points that the evaluator calls
// infeasible were evaluated.
bool mostly_fails_now(const StudyReport& report) {
  const std::size_t window = report.results.size() / kWindowShare;
  const auto failed = std::count_if(report.results.end() - static_cast<std::ptrdiff_t>(window),
                                    report.results.end(), [&](std::size_t i) {
                                      const auto& failure = report.trials[i].failure;
                                      return failure && failure->cause != FailureCause::infeasible;
                                    });
  return 2 * static_cast<std::size_t>(failed) > window;
}

// What the last results brought, as a share of the spread; of several objectives, of the
// hypervolume. REQUIRES: results with values.
double recent_gain(const StudyReport& report, const std::vector<std::int64_t>& with_values) {
  const std::size_t window = with_values.size() / kWindowShare;
  const std::int64_t before = with_values[with_values.size() - window - 1];
  if (report.front) {
    if (report.front_steps.empty()) return 0.0;
    double earlier = 0.0;
    for (const FrontStep& step : report.front_steps) {
      if (step.evaluation <= before) earlier = step.hypervolume;
    }
    const double now = report.front_steps.back().hypervolume;
    return now > 0.0 ? (now - earlier) / now : 0.0;
  }
  const Improvement* earlier = nullptr;
  for (const Improvement& step : report.curve) {
    if (step.evaluation <= before) earlier = &step;
  }
  if (report.curve.empty()) return 0.0;
  if (!earlier) return 1.0;  // the first feasible result is among the last
  const double gain = std::abs(report.curve.back().value - earlier->value);
  const double spread = spread_of(report);
  return gain == 0.0 ? 0.0 : spread > 0.0 ? gain / spread : 1.0;
}

}  // namespace

std::string_view to_string(StudyState state) {
  switch (state) {
    case StudyState::too_early:
      return "too early to say";
    case StudyState::every_evaluation_fails:
      return "every evaluation fails";
    case StudyState::nothing_feasible:
      return "no feasible point yet";
    case StudyState::noise_dominates:
      return "noise dominates";
    case StudyState::still_improving:
      return "still improving";
    case StudyState::converged:
      return "converged";
  }
  return "";
}

std::string explained(StudyState state, bool has_front) {
  std::string text(to_string(state));
  if (state != StudyState::converged) return text;
  return text + ": the last third of the results brought less than 1% of the " +
         (has_front ? "hypervolume" : "spread");
}

double spread_of(const StudyReport& report) {
  const Order order(report.record.objectives, report.record.space.limits());
  std::vector<double> values;
  for (const Trial& trial : report.trials) {
    if (order.feasible(trial)) values.push_back(trial.values.front());
  }
  if (values.empty()) return 0.0;
  std::sort(values.begin(), values.end(), [&](double a, double b) { return order.better(a, b); });
  return std::abs(values[3 * (values.size() - 1) / 4] - values.front());
}

StudyState state_of(const StudyReport& report) {
  const TrialCounts& counts = report.counts;
  if (counts.failed > 0 && counts.completed + counts.stopped == 0) {
    return StudyState::every_evaluation_fails;
  }
  if (counts.completed > 0 && report.feasible == 0) return StudyState::nothing_feasible;
  const std::vector<std::int64_t> evaluations = evaluations_with_values(report);
  if (evaluations.size() < kFewest) return StudyState::too_early;
  const NoiseEstimate& noise = report.estimate.noise;
  if (noise.verdict == Noise::present && noise.share > kMostlyNoise) {
    return StudyState::noise_dominates;
  }
  if (recent_gain(report, evaluations) > kNegligibleShare) return StudyState::still_improving;
  return mostly_fails_now(report) ? StudyState::too_early : StudyState::converged;
}

}  // namespace vbo
