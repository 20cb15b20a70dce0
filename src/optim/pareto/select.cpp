// SPDX-License-Identifier: MIT
// How a batch is chosen among the candidates of the round.
#include <algorithm>
#include <array>
#include <cmath>
#include <queue>
#include <utility>

#include "optim/pareto/pareto.hpp"

namespace vbo::pareto {
namespace {

using Eigen::Index;

constexpr double kSelectionReference = 1.2;  // of the hypervolume: so many widths below the ideal
constexpr double kLeastShare = 0.08;         // of the batch for each kind
constexpr double kLargestGain = 0.5;         // over the ideal that a prediction counts
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

// What rationales call suggestions, by their kind.
constexpr std::array<std::string_view, kKinds> kLabels = {"lower-bound", "predicted-mean",
                                                          "mutation"};

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
  // Upper bounds of the gains, by lower bounds and by means, the largest first: what a point adds
  // falls as others are added.
  std::array<std::priority_queue<std::pair<double, Index>>, 2> bounds = {};
};

// Above the reference, in widths of the predicted front.
Matrix Pareto::heights(ConstMatrixRef V) const {
  return kSelectionReference - candidates_.ranges.distances(V).array();
}

HypervolumeRays Pareto::rays_above_front() const {
  HypervolumeRays rays(objectives_, HypervolumeRays::rays_for(objectives_),
                       Rng(common_.seed, "pareto-rays", static_cast<std::uint64_t>(rounds_))());
  if (elites_.feasible()) rays.add(heights(scaling_.outcomes(elites_.values())));
  return rays;
}

// Expected over the predictions of the models.
double Pareto::gain_of(Index candidate, SuggestionKind kind, const HypervolumeRays& rays) const {
  const auto& p = candidates_.predicted;
  const Vector height = heights(assumed({p.mean.col(candidate), p.deviation.col(candidate)},
                                        kind == SuggestionKind::lower_bound));
  const Vector deviation = p.deviation.col(candidate).cwiseQuotient(candidates_.ranges.width);
  if (!((height + 3.0 * deviation).minCoeff() > 0.0)) return 0.0;
  Matrix drawn = (deviation.asDiagonal() * normals_of(objectives_)).colwise() + height;
  drawn = drawn.cwiseMin(kSelectionReference + kLargestGain);
  return candidates_.feasible[candidate] * rays.mean_gain(drawn);
}

Pareto::Selection Pareto::selection() const {
  Selection s{.rays = rays_above_front()};
  s.whole = std::max(s.rays.volume(), 1e-9);
  if (!history_.open().empty()) s.rays.add(heights(models_.mean(history_.pending())));
  for (Index i = 0; i < candidates_.codes.cols(); ++i) {
    s.taken.push_back(history_.contains(candidates_.codes.col(i)));
    if (s.taken.back()) continue;
    for (const SuggestionKind kind : {SuggestionKind::lower_bound, SuggestionKind::mean}) {
      s.bounds[static_cast<std::size_t>(kind)].emplace(gain_of(i, kind, s.rays), -i);
    }
  }
  return s;
}

// In proportion to the square of what a suggestion of each kind added on average to the front of
// the last training, half of it from these results.
void Pareto::credit() {
  const auto kinds = std::exchange(kinds_, {});
  if (!front_before_) return;
  HypervolumeRays rays = *front_before_;
  Vector gained = Vector::Zero(kKinds), count = Vector::Zero(kKinds);
  for (Index i = trained_; i < history_.size(); ++i) {
    const auto kind = kinds.find(history_.id(i));
    if (kind == kinds.end()) continue;
    const auto k = static_cast<Index>(kind->second);
    count[k] += 1.0;
    const Vector y = values_of(history_, i, objectives_);
    if (y.size() == 0 || !history_.feasible(i)) continue;
    const Vector height = heights(scaling_.outcomes(y));
    gained[k] += rays.gain(height);
    rays.add(height);
  }
  if (count.minCoeff() == 0.0 || !(gained.sum() > 0.0)) return;
  const Vector worth = gained.cwiseQuotient(count).cwiseAbs2();
  shares_ = (0.5 * shares_ + 0.5 * worth / worth.sum()).cwiseMax(kLeastShare);
  shares_ /= shares_.sum();
}

void Pareto::note_kinds(std::span<const Trial> trials) {
  for (const Trial& trial : trials) {
    const Rationale& why = trial.rationale;
    if (why.origin != Origin::method || why.part < 1 || why.part > kKinds) continue;
    kinds_[trial.id] = static_cast<SuggestionKind>(why.part - 1);
  }
}

SuggestionKind Pareto::kind_of(TrialId id) const {
  Rng rng(common_.seed, "pareto-kind", static_cast<std::uint64_t>(id));
  double left = rng.uniform();
  for (Index k = 0; k + 1 < kKinds; ++k) {
    left -= shares_[k];
    if (left < 0.0) return static_cast<SuggestionKind>(k);
  }
  return SuggestionKind::mutation;
}

// Where nothing adds to the front: the best for a trade-off of its own, deviation included.
Index Pareto::best_by_trade_off(TrialId id, const Selection& s) const {
  Rng rng(common_.seed, "pareto-weights", static_cast<std::uint64_t>(id));
  const Vector w = random_weights(objectives_, rng);
  const auto& p = candidates_.predicted;
  const Matrix U = candidates_.ranges.distances(p.mean + p.deviation);
  Index best = -1;
  double highest = 0.0;
  for (Index i = 0; i < U.cols(); ++i) {
    if (s.taken[static_cast<std::size_t>(i)]) continue;
    const double score = chebyshev(U.col(i), w) + std::log(std::max(candidates_.feasible[i], 1e-9));
    if (best >= 0 && !(score > highest)) continue;
    best = i;
    highest = score;
  }
  return best;
}

Suggestion Pareto::select(TrialId id, Selection& s) {
  const SuggestionKind kind = kind_of(id);
  Index chosen = -1;
  double gain = 0.0;
  if (kind == SuggestionKind::mutation) {
    for (Index i = candidates_.codes.cols() - candidates_.variations;
         chosen < 0 && i < candidates_.codes.cols(); ++i) {
      if (!s.taken[static_cast<std::size_t>(i)]) chosen = i;
    }
    if (chosen >= 0) gain = gain_of(chosen, SuggestionKind::mean, s.rays);
  } else {
    auto& bounds = s.bounds[static_cast<std::size_t>(kind)];
    while (chosen < 0 && !bounds.empty()) {
      const Index candidate = -bounds.top().second;
      bounds.pop();
      if (s.taken[static_cast<std::size_t>(candidate)]) continue;
      gain = gain_of(candidate, kind, s.rays);
      if (gain >= (bounds.empty() ? 0.0 : bounds.top().first)) {
        chosen = candidate;
      } else {
        bounds.emplace(gain, -candidate);
      }
    }
    if (chosen >= 0 && !(gain > 0.0)) {
      bounds.emplace(gain, -chosen);
      chosen = best_by_trade_off(id, s);
    }
  }
  if (chosen < 0) return suggest(id, new_code(id), {.source = "nearby"});
  s.taken[static_cast<std::size_t>(chosen)] = true;
  const Vector mean = candidates_.predicted.mean.col(chosen);
  const Vector code = candidates_.codes.col(chosen);
  s.rays.add(heights(mean));
  // Two candidates may be the same point.
  if (history_.contains(code)) return suggest(id, new_code(id), {.source = "nearby"});
  Rationale why{.source = std::string(kLabels[static_cast<std::size_t>(kind)]),
                .part = static_cast<std::int64_t>(kind) + 1};
  why.acquisition = gain / s.whole;
  why.add(kGain, *why.acquisition);
  add_weights(why, weights_towards(-candidates_.ranges.distances(mean)));
  if (feasibility_.knows_anything()) why.add(kFeasible, candidates_.feasible[chosen]);
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
