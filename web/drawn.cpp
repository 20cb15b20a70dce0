// SPDX-License-Identifier: MIT
#include "web/drawn.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace vbo::web {
namespace {

constexpr double kPixels = 512.0;   // steps of a parameter's axis
constexpr double kValues = 2048.0;  // steps of the axis of values, and of a value's own size

// The largest power of two that is not above.
double power_below(double step) { return std::exp2(std::floor(std::log2(step))); }

double nearest(double value, double step) {
  if (!(step > 0.0) || !std::isfinite(step) || !std::isfinite(value)) return value;
  return power_below(step) * std::round(value / power_below(step));
}

double spread_of(const StudyReport& report, const std::vector<std::size_t>& positions,
                 std::size_t objective) {
  double low = std::numeric_limits<double>::infinity(), high = -low;
  for (const std::size_t position : positions) {
    const std::vector<double>& values = report.trials[position].values;
    if (objective >= values.size()) continue;
    low = std::min(low, values[objective]);
    high = std::max(high, values[objective]);
  }
  return high - low;
}

}  // namespace

Drawn::Drawn(const StudyReport& report, const std::vector<std::size_t>& positions) {
  if (positions.size() <= kWhole) return;
  exact_.assign(positions.size(), false);
  thinned_ = (positions.size() + kWhole - 1) / kWhole;
  for (std::size_t m = 0; m < report.record.objectives.size(); ++m) {
    minimize_.push_back(report.record.objectives[m].goal == Goal::minimize);
    spread_.push_back(spread_of(report, positions, m));
  }
  std::vector<std::size_t> done;
  std::vector<TrialId> front;
  if (report.front) {
    for (const Trial& trial : report.front->trials) front.push_back(trial.id);
  }
  for (std::size_t row = 0; row < positions.size(); ++row) {
    const Trial& trial = report.trials[positions[row]];
    if (!trial.has_ended() || row + kLatest >= positions.size()) exact_[row] = true;
    if (report.best && trial.id == report.best->id) exact_[row] = true;
    if (report.luckiest && trial.id == report.luckiest->id) exact_[row] = true;
    if (std::ranges::binary_search(front, trial.id)) exact_[row] = true;
    length_ = std::max(length_, trial.finished_at - report.pace.first_asked);
    if (trial.value() && !report.front) done.push_back(row);
  }
  const auto best = done.begin() + static_cast<std::ptrdiff_t>(std::min(kBest, done.size()));
  std::partial_sort(done.begin(), best, done.end(), [&](std::size_t a, std::size_t b) {
    const double first = *report.trials[positions[a]].value();
    const double second = *report.trials[positions[b]].value();
    return minimize_.front() ? first < second : first > second;
  });
  for (auto row = done.begin(); row != best; ++row) exact_[*row] = true;
}

double Drawn::value(std::size_t row, double value, std::size_t objective) const {
  if (exact(row)) return value;
  const double step = std::min(std::abs(value), spread_[objective]) / kValues;
  if (!(step > 0.0) || !std::isfinite(step)) return value;
  const double power = power_below(step);
  return power * (minimize_[objective] ? std::ceil(value / power) : std::floor(value / power));
}

double Drawn::parameter(std::size_t row, const Parameter& parameter, double value) const {
  if (exact(row)) return value;
  const double step = parameter.log
                          ? std::abs(value) * std::log(parameter.high / parameter.low) / kPixels
                          : (parameter.high - parameter.low) / kPixels;
  const double rounded = std::clamp(nearest(value, step), parameter.low, parameter.high);
  return parameter.kind == ParameterKind::integer ? std::round(rounded) : rounded;
}

double Drawn::seconds_since(std::size_t row, double seconds) const {
  return exact(row) ? seconds : nearest(seconds, length_ / kPixels);
}

}  // namespace vbo::web
