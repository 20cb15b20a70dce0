// SPDX-License-Identifier: MIT
#include "report/outlook.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "report/state.hpp"

namespace vbo::report {
namespace {

constexpr std::size_t kFewestBatches = 3;  // the one with the first result included
// Logistic regression of whether a batch brought a better result, on the discounted share of those
// before it that did, and on how many at the end did not; b = log2(batch / 8), for a large batch
// says more. research/information.md has the data and how well it holds elsewhere.
constexpr double kIntercept = -0.05, kOfSize = 0.08;  // intercept + of_size b
constexpr double kOfShare = 0.59, kGrowth = 0.32;     // + of_share exp(growth b) log odds
constexpr double kOfFlat = -0.51;                     // + of_flat log(1 + flat batches)
constexpr double kDiscount = 0.5;                     // a batch
// A gain over the discounted geometric mean of those before, roughly.
constexpr double kShrinkage = 0.2, kGainDiscount = 0.6;

// Of a better result in a batch; half a batch that brought one and half a one that did not count
// beforehand.
double log_odds(const std::vector<double>& gains) {
  double weight = 1.0, better = 0.5, worse = 0.5;
  for (auto gain = gains.rbegin(); gain != gains.rend(); ++gain, weight *= kDiscount) {
    (*gain > 0.0 ? better : worse) += weight;
  }
  return std::log(better / worse);
}

double chance_of(const std::vector<double>& gains, std::int64_t batch) {
  const double b = std::log2(static_cast<double>(batch) / 8.0);
  const auto last = std::find_if(gains.rbegin(), gains.rend(), [](double g) { return g > 0.0; });
  const auto flat = static_cast<double>(last - gains.rbegin());
  const double z = kIntercept + kOfSize * b + kOfShare * std::exp(kGrowth * b) * log_odds(gains) +
                   kOfFlat * std::log1p(flat);
  return 1.0 / (1.0 + std::exp(-z));
}

}  // namespace

std::optional<Outlook> outlook_of(const StudyReport& report) {
  if (report.front || report.curve.empty() || report.feasible == 0) return std::nullopt;
  const std::int64_t batch = std::max<std::int64_t>(1, report.record.optimizer.batch);
  const auto results = static_cast<std::int64_t>(report.results.size());
  // Of whole batches, the last of which ends with the last result; the one with the first value is
  // left out.
  const std::int64_t first = report.curve.front().evaluation + batch - 1;
  const std::int64_t count = (results - first) / batch;
  if (count + 1 < static_cast<std::int64_t>(kFewestBatches)) return std::nullopt;
  std::vector<double> gains(static_cast<std::size_t>(count), 0.0);
  for (std::size_t i = 1; i < report.curve.size(); ++i) {
    const std::int64_t from_end = (results - report.curve[i].evaluation) / batch;
    if (from_end >= count) continue;
    gains[static_cast<std::size_t>(count - 1 - from_end)] +=
        std::abs(report.curve[i].value - report.curve[i - 1].value);
  }
  Outlook outlook{.batch = batch};
  outlook.chance = chance_of(gains, batch);
  double weight = 1.0, total = 0.0, sum = 0.0;
  for (auto gain = gains.rbegin(); gain != gains.rend(); ++gain) {
    if (*gain <= 0.0) continue;
    sum += weight * std::log(*gain);
    total += weight;
    weight *= kGainDiscount;
  }
  outlook.gain = total > 0.0 ? kShrinkage * std::exp(sum / total) : 0.0;
  const double spread = spread_of(report);
  outlook.share = spread > 0.0 ? outlook.gain / spread : 0.0;
  return outlook;
}

}  // namespace vbo::report
