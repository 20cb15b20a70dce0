// SPDX-License-Identifier: MIT
#include "vbo/front.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "core/order.hpp"
#include "core/spelling.hpp"
#include "numerics/pareto.hpp"
#include "numerics/sobol.hpp"
#include "report/repeated.hpp"

namespace vbo {
namespace {

using Eigen::Index;

constexpr double kMargin = 0.1;  // of the range, beyond the worst value
constexpr int kSamples = 1 << 16;
constexpr int kSamplesOfSteps = 1 << 13;
constexpr std::size_t kMostSteps = 1000;
// An exact hypervolume of n points in M objectives takes about n^(M-2) operations on points.
constexpr double kMostOperations = 2e5;

// Results as points to be minimized in every coordinate.
struct Minimized {
  Matrix Y;                       // (M,n)
  std::vector<std::size_t> from;  // (n): positions of the trials
};

double sign_of(const Objective& objective) { return objective.goal == Goal::minimize ? 1.0 : -1.0; }

// In the order of `results`, positions of trials.
Minimized feasible_of(const StudyRecord& record, std::span<const Trial> trials,
                      std::span<const std::size_t> results) {
  const Order order(record.objectives, record.space.limits());
  const std::size_t objectives = record.objectives.size();
  Minimized found;
  for (const std::size_t i : results) {
    if (trials[i].values.size() == objectives && order.feasible(trials[i])) found.from.push_back(i);
  }
  found.Y.resize(static_cast<Index>(objectives), std::ssize(found.from));
  for (std::size_t n = 0; n < found.from.size(); ++n) {
    for (std::size_t m = 0; m < objectives; ++m) {
      found.Y(static_cast<Index>(m), static_cast<Index>(n)) =
          sign_of(record.objectives[m]) * trials[found.from[n]].values[m];
    }
  }
  return found;
}

// REQUIRES: a point.
Vector reference_of(const std::vector<Objective>& objectives, ConstMatrixRef Y) {
  const Vector worst = Y.rowwise().maxCoeff();
  const Vector best = Y.rowwise().minCoeff();
  Vector reference = worst;
  for (Index m = 0; m < Y.rows(); ++m) {
    const Objective& objective = objectives[static_cast<std::size_t>(m)];
    if (objective.reference) {
      reference[m] = sign_of(objective) * *objective.reference;
    } else if (worst[m] > best[m]) {
      reference[m] += kMargin * (worst[m] - best[m]);
    } else {  // no range yet: a part of the value itself
      reference[m] += kMargin * (worst[m] == 0.0 ? 1.0 : std::abs(worst[m]));
    }
  }
  return reference;
}

bool is_exact(Index points, Index objectives) {
  return std::pow(static_cast<double>(points), static_cast<double>(objectives - 2)) <=
         kMostOperations;
}

// Points of the box between the best of all coordinates and the reference that no point dominates
// yet; what has been dominated is the hypervolume.
class Samples {
 public:
  Samples(ConstVectorRef best, ConstVectorRef reference, int n)
      : box_((reference - best).cwiseMax(0.0).prod()),
        n_(n),
        left_(SobolSequence(static_cast<int>(best.size()), 1).draw(n)) {
    left_ = ((reference - best).cwiseMax(0.0).asDiagonal() * left_).colwise() + best;
    count_ = left_.cols();
  }
  void add(ConstVectorRef y) {
    for (Index i = 0; i < count_;) {
      if ((left_.col(i).array() >= y.array()).all()) {
        left_.col(i) = left_.col(--count_);
      } else {
        ++i;
      }
    }
  }
  double volume() const {
    return box_ * static_cast<double>(n_ - count_) / static_cast<double>(n_);
  }

 private:
  double box_;
  Index n_, count_ = 0;
  Matrix left_;  // (M,n): the first count_ are not dominated
};

Matrix columns(ConstMatrixRef Y, const std::vector<Index>& which) {
  Matrix found(Y.rows(), std::ssize(which));
  for (Index i = 0; i < found.cols(); ++i) found.col(i) = Y.col(which[static_cast<std::size_t>(i)]);
  return found;
}

double estimated_volume(ConstMatrixRef Y, ConstVectorRef reference, int samples) {
  Samples box(Y.rowwise().minCoeff(), reference, samples);
  for (Index i = 0; i < Y.cols(); ++i) box.add(Y.col(i));
  return box.volume();
}

std::vector<std::size_t> all_of(std::span<const Trial> trials) {
  std::vector<std::size_t> positions(trials.size());
  std::iota(positions.begin(), positions.end(), std::size_t{0});
  return positions;
}

// Whether point i is nowhere larger than point j.
bool covers(const Matrix& Y, Index i, Index j) {
  const double* const a = Y.col(i).data();
  const double* const b = Y.col(j).data();
  for (Index m = 0; m < Y.rows(); ++m) {
    if (a[m] > b[m]) return false;
  }
  return true;
}

// A point that was on the front from some step on, and until the step `left`.
struct Member {
  Index point = 0;
  std::size_t left = std::numeric_limits<std::size_t>::max();
};

// At most `most` of n, evenly spaced, with the last.
std::vector<std::size_t> spaced(std::size_t n, std::size_t most) {
  std::vector<std::size_t> chosen;
  const std::size_t count = std::min(n, most);
  for (std::size_t k = 1; k <= count; ++k) chosen.push_back(n * k / count - 1);
  return chosen;
}

}  // namespace

Front make_front(const StudyRecord& record, std::span<const Trial> trials) {
  const std::optional<MeanResults> means = mean_results(trials);
  if (means) trials = means->trials;
  Front front{.objectives = record.objectives};
  const Minimized results = feasible_of(record, trials, all_of(trials));
  if (results.from.empty()) return front;
  const std::vector<Index> best = non_dominated(results.Y);
  for (const Index i : best) {
    front.trials.push_back(trials[results.from[static_cast<std::size_t>(i)]]);
    front.trials.back().stderr_tail.clear();
  }
  std::ranges::sort(front.trials, {}, &Trial::id);
  for (const Trial& trial : front.trials) {
    const bool repeated = means && means->counts.contains(trial.id);
    front.evaluations.push_back(repeated ? means->counts.at(trial.id) : 1);
  }
  const Vector reference = reference_of(record.objectives, results.Y);
  for (std::size_t m = 0; m < record.objectives.size(); ++m) {
    front.reference.push_back(sign_of(record.objectives[m]) * reference[static_cast<Index>(m)]);
  }
  const Matrix Y = columns(results.Y, best);
  front.exact = is_exact(Y.cols(), Y.rows());
  front.hypervolume =
      front.exact ? hypervolume(Y, reference) : estimated_volume(Y, reference, kSamples);
  return front;
}

std::vector<FrontStep> front_steps(const StudyRecord& record, std::span<const Trial> trials,
                                   std::span<const std::size_t> results) {
  const std::optional<MeanResults> means = mean_results(trials);
  const std::span<const Trial> single = trials;
  if (means) trials = means->trials;
  const auto [Y, from] = feasible_of(record, trials, results);
  if (from.empty()) return {};
  std::vector<std::int64_t> evaluations(trials.size());
  for (std::size_t k = 0; k < results.size(); ++k) {
    evaluations[results[k]] = static_cast<std::int64_t>(k) + 1;
  }
  std::vector<FrontStep> steps;
  std::vector<Member> members;   // one per step
  std::vector<std::size_t> now;  // positions of members on the front
  for (Index i = 0; i < Y.cols(); ++i) {
    const auto found =
        std::ranges::find_if(now, [&](std::size_t k) { return covers(Y, members[k].point, i); });
    if (found != now.end() && !covers(Y, i, members[*found].point)) {
      // What dominates one result often dominates the next ones, too.
      std::iter_swap(found, now.begin() + (found - now.begin()) / 2);
      continue;
    }
    if (found == now.end()) {
      std::erase_if(now, [&](std::size_t k) {
        if (!covers(Y, i, members[k].point)) return false;
        members[k].left = steps.size();
        return true;
      });
    }
    now.push_back(members.size());
    members.push_back({i});
    const std::size_t trial = from[static_cast<std::size_t>(i)];
    steps.push_back({evaluations[trial], trials[trial].id, std::ssize(now)});
  }

  const Vector reference = reference_of(record.objectives, Y);
  const bool sampled = Y.rows() > 2;
  Samples samples(Y.rowwise().minCoeff(), reference, sampled ? kSamplesOfSteps : 1);
  std::size_t entered = 0;
  std::vector<FrontStep> shown;
  for (const std::size_t k : spaced(steps.size(), kMostSteps)) {
    FrontStep& step = shown.emplace_back(steps[k]);
    if (sampled) {
      for (; entered <= k; ++entered) samples.add(Y.col(members[entered].point));
      step.hypervolume = samples.volume();
      continue;
    }
    std::vector<Index> points;
    for (std::size_t member = 0; member <= k; ++member) {
      if (members[member].left > k) points.push_back(members[member].point);
    }
    step.hypervolume = hypervolume(columns(Y, points), reference);
  }
  if (sampled && shown.back().hypervolume > 0.0) {
    // Each step as a share of the whole, which is known better.
    const double scale = make_front(record, single).hypervolume / shown.back().hypervolume;
    for (FrontStep& step : shown) step.hypervolume *= scale;
  }
  return shown;
}

Result<std::vector<double>> weights_of(const std::vector<Objective>& objectives,
                                       const std::map<std::string, double>& by_name) {
  std::vector<std::string> names;
  for (const Objective& objective : objectives) names.push_back(objective.name);
  std::vector<double> weights(objectives.size(), 0.0);
  for (const auto& [name, weight] : by_name) {
    const auto found = std::ranges::find(names, name);
    if (found == names.end()) {
      return Error{ErrorKind::invalid_input,
                   "no objective is called \"" + name + "\"" + suggestion(name, names), "weights"};
    }
    if (!std::isfinite(weight) || weight < 0.0) {
      return Error{ErrorKind::invalid_input,
                   "the weight of \"" + name + "\" is " + to_string(Value(weight)) +
                       ", expected a finite number, 0 or more",
                   "weights"};
    }
    weights[static_cast<std::size_t>(found - names.begin())] = weight;
  }
  if (std::ranges::all_of(weights, [](double w) { return w == 0.0; })) {
    return Error{ErrorKind::invalid_input, "all weights are 0, expected one above 0", "weights"};
  }
  return weights;
}

std::optional<Trial> best_by_weights(const Front& front, const std::vector<double>& weights) {
  std::optional<Trial> best;
  double lowest = 0.0;
  for (const Trial& trial : front.trials) {
    double sum = 0.0;
    for (std::size_t m = 0; m < weights.size(); ++m) {
      sum += weights[m] * sign_of(front.objectives[m]) * trial.values[m];
    }
    if (best && !(sum < lowest)) continue;
    best = trial;
    lowest = sum;
  }
  return best;
}

}  // namespace vbo
