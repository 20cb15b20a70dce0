// SPDX-License-Identifier: MIT
#include "optim/pareto/candidates.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "numerics/minimize.hpp"
#include "numerics/parallel.hpp"
#include "optim/design.hpp"
#include "optim/surrogate/maximize.hpp"

namespace vbo::pareto {
namespace {

using Eigen::Index;

constexpr double kNarrowest = 0.003, kWidest = 0.2;  // first deviation of an actor
constexpr int kAscentSteps = 12;
constexpr double kDesignShare = 0.03, kVariationShare = 0.35;
constexpr double kFeasibilityWeight = 0.05;  // of a nat, beside a scalarization

// The first M trade-offs are for one objective each, nearly.
Vector weights_for(Index k, Index M, Rng& rng) {
  if (k >= M || M == 1) return random_weights(M, rng);
  constexpr double rest = 0.02;
  Vector w = Vector::Constant(M, rest);
  w[k] = 1.0;
  return w / w.sum();
}

Vector scalarized(ConstMatrixRef V, ConstVectorRef w) {
  Vector scores(V.cols());
  for (Index i = 0; i < V.cols(); ++i) scores[i] = chebyshev(-V.col(i), w);
  return scores;
}

// The spread of the results that suit the trade-off best, in widths of the box.
double spread_of(const CandidateParts& parts, const Vector& scores) {
  std::vector<Index> order(static_cast<std::size_t>(scores.size()));
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = static_cast<Index>(i);
  const auto few = std::min<std::ptrdiff_t>(std::ssize(order), parts.numeric.dimension() + 3);
  std::partial_sort(order.begin(), order.begin() + few, order.end(), [&](Index a, Index b) {
    return scores[a] > scores[b] || (scores[a] == scores[b] && a < b);
  });
  order.resize(static_cast<std::size_t>(few));
  const Matrix near =
      Matrix(parts.elite(Eigen::all, order))(parts.numeric.coordinates(), Eigen::all);
  if (near.cols() < 2) return kWidest;
  const Matrix centred = near.colwise() - near.rowwise().mean();
  const double sigma = std::sqrt(centred.squaredNorm() / static_cast<double>(centred.size()));
  return std::clamp(sigma, kNarrowest, kWidest);
}

struct Proposals {
  Matrix codes;   // (D,n)
  Vector centre;  // (D)
};

Proposals by_actor(const CandidateParts& parts, const CandidateOptions& options, Index k, Rng rng) {
  const Index M = parts.models.objectives();
  const Vector w = weights_for(k, M, rng);
  const Vector scores = scalarized(parts.elite_outcomes, w);
  Index best = 0;
  scores.maxCoeff(&best);
  Actor actor(parts.numeric, parts.elite.col(best), spread_of(parts, scores));
  const auto score = [&](ConstMatrixRef X) {
    Vector s = scalarized(parts.models.mean(X), w);
    if (parts.feasibility.knows_anything()) {
      s += kFeasibilityWeight * parts.feasibility.log_probability(X);
    }
    return s;
  };
  const int population = 6 + static_cast<int>(3.0 * std::log(parts.numeric.dimension() + 1.0));
  std::vector<Matrix> kept;
  for (std::int64_t g = 0; g < options.generations; ++g) {
    kept.push_back(actor.advance(score, population, rng));
  }
  // What the last generations were drawn from is where they search next.
  const auto last = std::min<std::size_t>(kept.size(), 2);
  Proposals made{Matrix(parts.encoding.dimension(), 1 + static_cast<Index>(last) * population),
                 actor.mean()};
  made.codes.col(0) = made.centre;
  for (std::size_t i = 0; i < last; ++i) {
    made.codes.middleCols(1 + static_cast<Index>(i) * population, population) =
        kept[kept.size() - 1 - i];
  }
  return made;
}

// Ascent of the smoothed scalarization from the code that is best for it.
Vector by_ascent(const CandidateParts& parts, const Matrix& starts, const Matrix& outcomes, Index k,
                 Rng rng) {
  const Vector w = weights_for(k, parts.models.objectives(), rng);
  Index best = 0;
  scalarized(outcomes, w).maxCoeff(&best);
  const Vector x = starts.col(best);
  Vector low = x, high = x;
  low(parts.numeric.coordinates()).setZero();
  high(parts.numeric.coordinates()).setOnes();
  const GradientFunction held =
      held_inside(parts.encoding, [&](ConstVectorRef at, VectorRef slope) {
        double score = parts.models.score(at, w, slope);
        if (parts.feasibility.knows_anything()) {
          Matrix by_x;
          score += kFeasibilityWeight * parts.feasibility.log_probability(at, &by_x)[0];
          slope += kFeasibilityWeight * by_x.col(0);
        }
        return score;
      });
  const auto negative = [&](ConstVectorRef at, VectorRef slope) {
    const double score = held(at, slope);
    slope = -slope;
    return -score;
  };
  const MinimizeResult found = minimize_bounded(negative, x, low, high,
                                                {.max_iterations = kAscentSteps,
                                                 .max_evaluations = 2 * kAscentSteps,
                                                 .value_tolerance = 1e-7});
  return found.usable() ? found.x : x;
}

// A result changed by chance, by the difference of two others, or crossed with another.
Vector by_variation(const CandidateParts& parts, Rng& rng) {
  const auto any = [&] {
    return static_cast<Index>(rng.below(static_cast<std::uint64_t>(parts.elite.cols())));
  };
  const Vector x = parts.elite.col(any());
  const double kind = rng.uniform();
  if (kind < 0.4) {
    return varied(parts.encoding, x, 0.3 * std::pow(10.0, -2.5 * rng.uniform()), rng);
  }
  Vector y = x;
  const Index a = any(), b = any();
  const double length = kind < 0.7 ? 0.5 + 0.5 * rng.uniform() : 0.0;
  for (const Encoding::Block& block : parts.encoding.blocks()) {
    auto part = y.segment(block.offset, block.width);
    const auto other = parts.elite.col(a).segment(block.offset, block.width);
    if (block.kind == ParameterKind::categorical || length == 0.0) {
      if (rng.uniform() < 0.5) part = other;
    } else {
      part += length * (other - parts.elite.col(b).segment(block.offset, block.width));
      part = part.cwiseMax(0.0).cwiseMin(1.0);
    }
  }
  return y;
}

}  // namespace

const char* label(Source source) {
  switch (source) {
    case Source::actor:
      return "local";
    case Source::ascent:
      return "gradient-ascent";
    case Source::variation:
      return "mutation";
    case Source::design:
      break;
  }
  return "design";
}

Vector varied(const Encoding& encoding, ConstVectorRef x, double length, Rng& rng) {
  Vector y = x;
  const auto blocks = static_cast<double>(encoding.blocks().size());
  const double change = rng.uniform() < 0.5 ? 0.0 : std::min(1.0, 4.0 / blocks);  // or just one
  const std::uint64_t sure = rng.below(encoding.blocks().size());
  for (std::size_t i = 0; i < encoding.blocks().size(); ++i) {
    const Encoding::Block& block = encoding.blocks()[i];
    const bool touched = rng.uniform() < change || i == sure;
    const double z = rng.normal();
    const auto choice = static_cast<Index>(rng.below(static_cast<std::uint64_t>(block.width)));
    if (!touched) continue;
    if (block.kind == ParameterKind::categorical) {
      y.segment(block.offset, block.width).setZero();
      y[block.offset + choice] = 1.0;
    } else {
      y[block.offset] = std::clamp(y[block.offset] + length * z, 0.0, 1.0);
    }
  }
  return y;
}

Candidates make_candidates(const CandidateParts& parts, const CandidateOptions& options,
                           std::uint64_t seed, std::uint64_t round) {
  const Index D = parts.encoding.dimension();
  const bool numeric = parts.numeric.dimension() > 0;
  const auto rng_of = [&](std::string_view purpose, int piece) {
    return Rng(Rng(seed, purpose, round)(), "piece", static_cast<std::uint64_t>(piece));
  };
  std::vector<std::pair<Source, Vector>> all;
  if (numeric) {
    const int actors = static_cast<int>(options.actors);
    std::vector<Proposals> proposed(static_cast<std::size_t>(actors));
    parallel_for(options.threads, actors, [&](int k) {
      proposed[static_cast<std::size_t>(k)] =
          by_actor(parts, options, k, rng_of("pareto-actor", k));
    });
    // Ascents begin at results, or where an actor has come to.
    const Index e = parts.elite.cols();
    Matrix starts(D, e + actors);
    starts.leftCols(e) = parts.elite;
    for (int k = 0; k < actors; ++k) {
      starts.col(e + k) = proposed[static_cast<std::size_t>(k)].centre;
    }
    Matrix outcomes(parts.models.objectives(), starts.cols());
    outcomes.leftCols(e) = parts.elite_outcomes;
    outcomes.rightCols(actors) = parts.models.mean(starts.rightCols(actors));
    const int ascents = static_cast<int>(options.ascents);
    Matrix ends(D, ascents);
    parallel_for(options.threads, ascents, [&](int k) {
      ends.col(k) = by_ascent(parts, starts, outcomes, k, rng_of("pareto-ascent", k));
    });
    for (Index k = 0; k < ends.cols(); ++k) all.emplace_back(Source::ascent, ends.col(k));
    for (const Proposals& made : proposed) {
      for (Index i = 0; i < made.codes.cols(); ++i) {
        all.emplace_back(Source::actor, made.codes.col(i));
      }
    }
  }
  Rng rng(seed, "pareto-variation", round);
  const auto varied_least =
      static_cast<std::size_t>(kVariationShare * static_cast<double>(options.count));
  const auto count = std::max(static_cast<std::size_t>(options.count), all.size() + varied_least);
  SobolDesign design(parts.encoding, rng());
  const auto designed = static_cast<std::uint64_t>(kDesignShare * static_cast<double>(count)) + 1;
  for (std::uint64_t i = 0; i < designed; ++i) all.emplace_back(Source::design, design.code(i));
  while (all.size() < count) all.emplace_back(Source::variation, by_variation(parts, rng));
  Candidates made;
  made.codes.resize(D, std::ssize(all));
  for (std::size_t i = 0; i < all.size(); ++i) {
    parts.encoding.snap(all[i].second);
    made.codes.col(static_cast<Index>(i)) = all[i].second;
    made.sources.push_back(all[i].first);
  }
  made.predicted = parts.models.predict(made.codes);
  made.feasible = Vector::Ones(made.codes.cols());
  if (parts.feasibility.knows_anything()) {
    made.feasible = parts.feasibility.log_probability(made.codes).array().exp();
  }
  return made;
}

}  // namespace vbo::pareto
