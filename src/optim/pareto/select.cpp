// SPDX-License-Identifier: MIT
// How a batch is chosen among the candidates of the round.
#include <algorithm>
#include <array>
#include <cmath>
#include <queue>

#include "optim/pareto/pareto.hpp"

namespace vbo::pareto {
namespace {

using Eigen::Index;

constexpr double kSelectionReference = 1.2;  // of the hypervolume: so many widths below the ideal
constexpr double kExtremeShare = 0.08;       // of suggestions that aim at the best of one objective
constexpr double kLargestGain = 0.5;         // over the ideal that a prediction is believed
constexpr int kDraws = 8;                    // of a predicted outcome

constexpr TermInfo kGain{"hypervolume_gain", Unit::number, TermRole::adds_up,
                         "hypervolume that the result is expected to add, over that of the front"};
constexpr TermInfo kLogGain{"log_hypervolume_gain", Unit::number, TermRole::adds_up,
                            "logarithm of the hypervolume that the result is expected to add, "
                            "times the probability that it is feasible"};
constexpr TermInfo kFeasible{"feasible", Unit::probability, TermRole::beside,
                             "probability that the point succeeds and satisfies the constraints"};
constexpr TermInfo kElites{"elites", Unit::count, TermRole::beside,
                           "results on the front that the search looks at"};
constexpr TermInfo kCandidates{"candidates", Unit::count, TermRole::beside,
                               "points the batches of this round are chosen from"};
constexpr TermInfo kPoints{"points", Unit::count, TermRole::beside, "results the models look at"};

// Standard normal draws (M,kDraws), each with its negative: expectations of linear functions are
// exact.
const Matrix& normals_of(Index objectives) {
  static const std::array<Matrix, kMostObjectives + 1> all = [] {
    std::array<Matrix, kMostObjectives + 1> made;
    for (std::size_t M = 1; M < made.size(); ++M) {
      Rng rng(1, "pareto-draws", M);
      Matrix half(static_cast<Index>(M), kDraws / 2);
      for (double& z : half.reshaped()) z = rng.normal();
      made[M].resize(half.rows(), kDraws);
      made[M] << half, -half;
    }
    return made;
  }();
  return all[static_cast<std::size_t>(objectives)];
}

// The weights for which a point at these distances is the best on its ray.
Vector weights_towards(ConstVectorRef outcome) {
  constexpr double nearest = 0.02, farthest = 2.0;
  const Vector w = (-outcome).cwiseMax(nearest).cwiseMin(farthest).cwiseInverse();
  return w / w.sum();
}

}  // namespace

struct Pareto::Selection {
  HypervolumeRays rays;
  std::vector<bool> taken;  // candidates that are known or pending
  double whole = 1.0;       // the volume at the start
  // Upper bounds of the gains, the largest first: what a point adds falls as others are added.
  std::priority_queue<std::pair<double, Index>> bounds = {};
};

// Expected over the predictions of the models.
double Pareto::gain_of(Index candidate, const HypervolumeRays& rays) const {
  const auto& p = candidates_.predicted;
  const Vector height = p.mean.col(candidate).array() + kSelectionReference;
  const Vector deviation = p.deviation.col(candidate);
  if (!((height + 3.0 * deviation).minCoeff() > 0.0)) return 0.0;
  Matrix heights = (deviation.asDiagonal() * normals_of(objectives_)).colwise() + height;
  heights = heights.cwiseMin(kSelectionReference + kLargestGain);
  return candidates_.feasible[candidate] * rays.mean_gain(heights);
}

Pareto::Selection Pareto::selection() const {
  Selection s{.rays = HypervolumeRays(
                  objectives_, HypervolumeRays::rays_for(objectives_),
                  Rng(common_.seed, "pareto-rays", static_cast<std::uint64_t>(rounds_))())};
  const auto raised = [](Matrix V) { return Matrix(V.array() + kSelectionReference); };
  if (elites_.feasible()) {
    s.rays.add(raised(scaled_outcomes(ranges_, elites_.values())));
  }
  s.whole = std::max(s.rays.volume(), 1e-9);
  if (!history_.open().empty()) s.rays.add(raised(models_.mean(history_.pending())));
  for (Index i = 0; i < candidates_.codes.cols(); ++i) {
    s.taken.push_back(history_.contains(candidates_.codes.col(i)));
    if (!s.taken.back()) s.bounds.emplace(gain_of(i, s.rays), -i);
  }
  return s;
}

// Once in a while, a candidate that is predicted to be better in one objective than anything known:
// hypervolume alone hardly values what lies beyond the ends of the front.
std::optional<Index> Pareto::extreme_candidate(TrialId id, const Selection& selection) const {
  Rng rng(common_.seed, "pareto-extreme", static_cast<std::uint64_t>(id));
  if (objectives_ == 1 || rng.uniform() >= kExtremeShare) return std::nullopt;
  const auto m = static_cast<Index>(rng.below(static_cast<std::uint64_t>(objectives_)));
  Vector w = Vector::Constant(objectives_, 0.02);
  w[m] = 1.0;
  std::optional<Index> best;
  double highest = 0.0;
  const auto& p = candidates_.predicted;
  for (Index i = 0; i < candidates_.codes.cols(); ++i) {
    if (selection.taken[static_cast<std::size_t>(i)] || candidates_.feasible[i] < 0.5) continue;
    if (!(p.mean(m, i) + 0.5 * p.deviation(m, i) > 1e-4)) continue;
    const double score = chebyshev(-(p.mean.col(i) + 0.5 * p.deviation.col(i)), w);
    if (best && !(score > highest)) continue;
    best = i;
    highest = score;
  }
  return best;
}

Suggestion Pareto::select(TrialId id, Selection& s) {
  std::optional<Index> chosen = extreme_candidate(id, s);
  double gain = chosen ? gain_of(*chosen, s.rays) : 0.0;
  while (!chosen && !s.bounds.empty()) {
    const Index candidate = -s.bounds.top().second;
    s.bounds.pop();
    if (s.taken[static_cast<std::size_t>(candidate)]) continue;
    gain = gain_of(candidate, s.rays);
    const double next = s.bounds.empty() ? 0.0 : s.bounds.top().first;
    if (gain >= next) {
      chosen = candidate;
    } else {
      s.bounds.emplace(gain, -candidate);
    }
  }
  if (chosen && !(gain > 0.0)) {
    // Nothing adds to the front: the best for a trade-off of its own, deviation included.
    Rng rng(common_.seed, "pareto-weights", static_cast<std::uint64_t>(id));
    const Vector w = random_weights(objectives_, rng);
    double highest = 0.0;
    std::optional<Index> best;
    const auto& p = candidates_.predicted;
    for (Index i = 0; i < candidates_.codes.cols(); ++i) {
      if (s.taken[static_cast<std::size_t>(i)]) continue;
      const double score = chebyshev(-(p.mean.col(i) + p.deviation.col(i)), w) +
                           std::log(std::max(candidates_.feasible[i], 1e-9));
      if (best && !(score > highest)) continue;
      best = i;
      highest = score;
    }
    if (best && *best != *chosen) s.bounds.emplace(gain, -*chosen);
    chosen = best;
  }
  if (!chosen) return suggest(id, new_code(id), {.source = "nearby"});
  s.taken[static_cast<std::size_t>(*chosen)] = true;
  const Vector mean = candidates_.predicted.mean.col(*chosen);
  const Vector code = candidates_.codes.col(*chosen);
  s.rays.add(Matrix(mean.array() + kSelectionReference));
  Rationale why{.source = label(candidates_.sources[static_cast<std::size_t>(*chosen)])};
  why.acquisition = gain / s.whole;
  why.add(kGain, *why.acquisition);
  add_weights(why, weights_towards(mean));
  if (feasibility_.knows_anything()) why.add(kFeasible, candidates_.feasible[*chosen]);
  // Two candidates may be the same point.
  if (history_.contains(code)) return suggest(id, new_code(id), {.source = "nearby"});
  return suggest(id, code, std::move(why));
}

// A code that is neither known nor pending, near a result of the elite if possible.
Vector Pareto::new_code(TrialId id) {
  Rng rng(common_.seed, "pareto-new", static_cast<std::uint64_t>(id));
  if (elites_.size() > 0) {
    for (const double length : {1e-3, 1e-2, 0.1, 0.5}) {
      for (int i = 0; i < 20; ++i) {
        const auto k = rng.below(static_cast<std::uint64_t>(elites_.size()));
        Vector x = varied(encoding_, history_.code(elites_.indices()[k]), length, rng);
        encoding_.snap(x);
        if (!history_.contains(x)) return x;
      }
    }
  }
  Vector x;
  for (int i = 0; i < 512; ++i) {
    x = design_.code(designed_++);
    encoding_.snap(x);
    if (!history_.contains(x)) break;
  }
  return x;
}

Suggestion Pareto::suggest(TrialId id, ConstVectorRef code, Rationale rationale) {
  Suggestion suggestion{encoding_.decode(code), std::move(rationale)};
  history_.asked(id, suggestion.point);
  return suggestion;
}

std::vector<Suggestion> Pareto::ask(std::span<const TrialId> ids) {
  std::vector<Suggestion> made;
  std::optional<Selection> s;
  for (const TrialId id : ids) {
    if (rounds_ == 0) {
      Vector code = design_.code(designed_++);
      encoding_.snap(code);
      if (encoding_.dimension() > 0 && history_.contains(code)) code = new_code(id);
      made.push_back(suggest(id, code, {.source = "design"}));
      continue;
    }
    if (by_ehvi_) {
      for (Suggestion& suggestion : ask_by_ehvi(ids)) made.push_back(std::move(suggestion));
      return made;
    }
    if (!s) s.emplace(selection());
    made.push_back(select(id, *s));
  }
  return made;
}

void Pareto::add_log_gain(Rationale& why, double log_gain, ConstVectorRef mean) {
  why.add(kLogGain, log_gain);
  add_weights(why, weights_towards(mean));
}

AskReport Pareto::report() const {
  AskReport report;
  report.round = rounds_;
  if (rounds_ == 0) return report;
  report.values = {kElites.of(static_cast<double>(elites_.size())),
                   kCandidates.of(static_cast<double>(candidates_.codes.cols())),
                   kPoints.of(static_cast<double>(X_.cols()))};
  return report;
}

const Ledger& Pareto::declared() {
  static const Ledger all = [] {
    Ledger ledger{{kGain, kLogGain, kFeasible}, {kElites, kCandidates, kPoints}};
    ledger.terms.insert(ledger.terms.end(), weight_terms().begin(), weight_terms().end());
    return ledger;
  }();
  return all;
}

}  // namespace vbo::pareto
