// SPDX-License-Identifier: MIT
// I(x_i; rank of y) by nearest neighbours on normal scores, minus what the same estimate says when
// the outcomes are shuffled within stretches of the study:
//   nats = I(x; y) - mean_p I(x; y shuffled by p).
// Shuffling takes away what x tells at its moment, and keeps what x and y share only because both
// moved while the search went on: a parameter that matters to nobody also ends where the search
// ends. What is left of the estimator's bias at independence goes with it.
#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "core/axis.hpp"
#include "core/normal.hpp"
#include "information/neighbours.hpp"
#include "numerics/parallel.hpp"
#include "numerics/scores.hpp"
#include "vbo/random.hpp"
#include "vbo/report.hpp"

namespace vbo {
namespace {

constexpr int kShuffles = 8;
constexpr std::int64_t kFewForSure = 100;  // below it the intervals are wide, and we say so
constexpr std::size_t kStretch = 16;       // results per stretch at least ...
constexpr std::size_t kMostStretches = 16;
constexpr double kTwoSided95 = 1.96;

// More neighbours scatter less and blur more: at 20 results 5 already lose a third of a strong
// dependence (0.52 of 0.83 nats), from 100 on they lose nothing that shows.
int neighbours_for(std::size_t n) { return n < 100 ? 3 : 5; }

struct Sample {
  std::vector<NeighbourColumn> columns;  // one per parameter
  std::vector<double> y;                 // normal scores of the outcomes
  std::vector<std::vector<double>> shuffled;
  int k = 3;
};

std::vector<double> scores_of(const std::vector<double>& values) {
  const Vector z = normal_scores(
      Eigen::Map<const Vector>(values.data(), static_cast<Eigen::Index>(values.size())));
  return {z.data(), z.data() + z.size()};
}

NeighbourColumn column_of(const Parameter& parameter, std::size_t index,
                          const std::vector<const Trial*>& trials) {
  NeighbourColumn column{{}, parameter.kind == ParameterKind::categorical};
  const Axis axis(parameter);
  for (const Trial* trial : trials) column.values.push_back(axis.number_of(trial->point[index]));
  if (!column.categorical) column.values = scores_of(column.values);
  return column;
}

// A copy of y whose order is random within each of a few stretches of equal length.
std::vector<double> shuffled_within(std::vector<double> y, Rng rng) {
  const std::size_t stretches = std::clamp<std::size_t>(y.size() / kStretch, 1, kMostStretches);
  for (std::size_t s = 0; s < stretches; ++s) {
    const std::size_t first = s * y.size() / stretches;
    const std::size_t last = (s + 1) * y.size() / stretches;
    rng.shuffle(std::span(y).subspan(first, last - first));
  }
  return y;
}

Sample sample_of(const Space& space, const std::vector<const Trial*>& trials, std::size_t objective,
                 std::uint64_t seed) {
  Sample sample;
  for (std::size_t i = 0; i < space.size(); ++i) {
    sample.columns.push_back(column_of(space[i], i, trials));
  }
  std::vector<double> values;
  values.reserve(trials.size());
  for (const Trial* trial : trials) values.push_back(trial->values[objective]);
  sample.y = scores_of(values);
  for (int p = 0; p < kShuffles; ++p) {
    sample.shuffled.push_back(
        shuffled_within(sample.y, Rng(seed, "importance-shuffle", static_cast<std::uint64_t>(p))));
  }
  sample.k = neighbours_for(trials.size());
  return sample;
}

// An estimate with its shuffled counterpart taken away, and what its error is made of.
struct Corrected {
  double nats = 0.0;
  std::vector<double> local;
  double null_variance = 0.0;  // of one shuffled estimate
};

Corrected corrected(const Sample& sample, std::span<const NeighbourColumn* const> x) {
  NeighbourEstimate estimate = neighbour_information(x, sample.y, sample.k);
  double sum = 0.0, squares = 0.0;
  for (const std::vector<double>& y : sample.shuffled) {
    const double null = neighbour_information(x, y, sample.k).nats;
    sum += null;
    squares += null * null;
  }
  const double mean = sum / kShuffles;
  return {estimate.nats - mean, std::move(estimate.local),
          std::max(0.0, squares - kShuffles * mean * mean) / (kShuffles - 1)};
}

double variance_of_mean(const std::vector<double>& terms) {
  const auto n = static_cast<double>(terms.size());
  const double mean = std::accumulate(terms.begin(), terms.end(), 0.0) / n;
  double squares = 0.0;
  for (const double term : terms) squares += (term - mean) * (term - mean);
  return squares / (n - 1.0) / n;
}

// Terms of neighbouring samples go up and down together, so the scatter of the terms alone is too
// small an error; that of the shuffled estimates, added, makes up for it (see the test of
// coverage).
double half_width(const std::vector<double>& local, double null_variance) {
  return kTwoSided95 * std::sqrt(variance_of_mean(local) + null_variance);
}

std::vector<const Trial*> chosen(const std::vector<Trial>& trials, const ImportanceOptions& options,
                                 std::int64_t& results) {
  std::vector<const Trial*> all;
  for (const Trial& trial : trials) {
    if (trial.state == TrialState::completed) all.push_back(&trial);
  }
  results = static_cast<std::int64_t>(all.size());
  const auto most = static_cast<std::size_t>(std::max<std::int64_t>(options.most_results, 2));
  if (all.size() <= most) return all;
  // Selection sampling keeps the order, which the stretches need.
  Rng rng(options.seed, "importance-sample");
  std::vector<const Trial*> some;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (rng.below(all.size() - i) < most - some.size()) some.push_back(all[i]);
  }
  return some;
}

bool constant(const std::vector<double>& values) {
  return std::all_of(values.begin(), values.end(), [&](double v) { return v == values.front(); });
}

std::vector<PairImportance> pairs_of(const Space& space, const Sample& sample,
                                     const std::vector<Corrected>& single,
                                     const ImportanceOptions& options) {
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < space.size(); ++i) {
    if (!single[i].local.empty()) order.push_back(i);
  }
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return single[a].nats > single[b].nats; });
  order.resize(
      std::min(order.size(), static_cast<std::size_t>(std::max(options.pair_parameters, 0))));
  std::sort(order.begin(), order.end());
  std::vector<std::array<std::size_t, 2>> asked;
  for (std::size_t a = 0; a < order.size(); ++a) {
    for (std::size_t b = a + 1; b < order.size(); ++b) asked.push_back({order[a], order[b]});
  }
  std::vector<PairImportance> pairs(asked.size());
  parallel_for(options.threads, static_cast<int>(asked.size()), [&](int index) {
    const auto [a, b] = asked[static_cast<std::size_t>(index)];
    const std::array<const NeighbourColumn*, 2> x = {&sample.columns[a], &sample.columns[b]};
    Corrected both = corrected(sample, x);
    for (std::size_t i = 0; i < both.local.size(); ++i) {
      both.local[i] -= single[a].local[i] + single[b].local[i];
    }
    const double nats = both.nats - single[a].nats - single[b].nats;
    const double half = half_width(
        both.local, both.null_variance + single[a].null_variance + single[b].null_variance);
    pairs[static_cast<std::size_t>(index)] = {space[a].name, space[b].name, nats, nats - half,
                                              nats + half};
  });
  std::stable_sort(pairs.begin(), pairs.end(),
                   [](const auto& a, const auto& b) { return a.nats > b.nats; });
  return pairs;
}

// Whether no parameter and no pair tells more than chance would among so many: the largest ratio of
// an estimate to its error is within what 95% of studies without any dependence show (Bonferroni).
bool nothing_stands_out(const Importance& found) {
  double largest = 0.0;
  const auto look = [&](double nats, double high) {
    if (high > nats && nats > 0.0) largest = std::max(largest, kTwoSided95 * nats / (high - nats));
  };
  for (const ParameterImportance& entry : found.parameters) look(entry.nats, entry.high);
  for (const PairImportance& pair : found.pairs) look(pair.nats, pair.high);
  const auto compared = static_cast<double>(found.parameters.size() + found.pairs.size());
  return largest < normal_quantile(1.0 - 0.05 / std::max(compared, 1.0));
}

// Noise is not attributed to parameters: they keep the upper ends of their intervals alone.
void say_nothing_is_known(Importance& found) {
  for (ParameterImportance& entry : found.parameters) entry.nats = entry.low = 0.0;
  found.pairs.clear();
  found.remark =
      "nothing is known yet: no parameter tells more about the outcome than chance would, in " +
      std::to_string(found.results) + " results";
}

}  // namespace

Importance importance(const Space& space, const std::vector<Trial>& trials,
                      const ImportanceOptions& options) {
  Importance result;
  const std::vector<const Trial*> used = chosen(trials, options, result.results);
  if (result.results < kFewestForImportance) {
    result.remark = "too few results to say what matters: " + std::to_string(result.results) +
                    " completed, at least " + std::to_string(kFewestForImportance) + " are needed";
    return result;
  }
  result.used = static_cast<std::int64_t>(used.size());
  const Sample sample = sample_of(space, used, options.objective, options.seed);
  if (constant(sample.y)) result.remark = "all results are equal, so no parameter tells anything";
  std::vector<Corrected> single(space.size());
  parallel_for(options.threads, static_cast<int>(space.size()), [&](int index) {
    const auto i = static_cast<std::size_t>(index);
    const NeighbourColumn* column = &sample.columns[i];
    if (constant(column->values) || constant(sample.y)) return;
    single[i] = corrected(sample, std::span(&column, 1));
  });
  for (std::size_t i = 0; i < space.size(); ++i) {
    const Corrected& found = single[i];
    const double half = found.local.empty() ? 0.0 : half_width(found.local, found.null_variance);
    result.parameters.push_back({space[i].name, std::max(0.0, found.nats),
                                 std::max(0.0, found.nats - half),
                                 std::max(0.0, found.nats + half)});
  }
  result.pairs = pairs_of(space, sample, single, options);
  if (result.remark.empty() && nothing_stands_out(result)) {
    say_nothing_is_known(result);
    return result;
  }
  if (result.remark.empty() && result.results < kFewForSure) {
    result.remark = "few results (" + std::to_string(result.results) +
                    "): the intervals are wide, and below " + std::to_string(kFewForSure) +
                    " results a strong dependence is shown too small";
  }
  return result;
}

std::vector<Importance> importances(const StudyRecord& record, const std::vector<Trial>& trials,
                                    ImportanceOptions options) {
  std::vector<Importance> all;
  for (options.objective = 0; options.objective < record.objectives.size(); ++options.objective) {
    all.push_back(importance(record.space, trials, options));
  }
  return all;
}

}  // namespace vbo
