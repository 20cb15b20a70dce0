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

constexpr int kAscentSteps = 15;
constexpr double kVariationShare = 0.25;     // of the candidates, at least
constexpr double kFeasibilityWeight = 0.05;  // of a nat, beside a scalarization

struct Population {
  Matrix codes;                          // (D,n)
  ObjectiveModels::Prediction outcomes;  // (M,n)
  Vector log_feasible;                   // (n)

  Index size() const { return codes.cols(); }
};

Population joined(const Population& a, const Population& b) {
  Population both = a;
  const auto append = [](Matrix& to, const Matrix& more) {
    to.conservativeResize(Eigen::NoChange, to.cols() + more.cols());
    to.rightCols(more.cols()) = more;
  };
  append(both.codes, b.codes);
  append(both.outcomes.mean, b.outcomes.mean);
  append(both.outcomes.deviation, b.outcomes.deviation);
  both.log_feasible.conservativeResize(both.codes.cols());
  both.log_feasible.tail(b.size()) = b.log_feasible;
  return both;
}

Population some_of(const Population& all, const std::vector<Index>& which) {
  return {all.codes(Eigen::all, which),
          {all.outcomes.mean(Eigen::all, which), all.outcomes.deviation(Eigen::all, which)},
          all.log_feasible(which)};
}

// Changed by chance, by the difference of two others, or crossed with another or with a point of a
// design.
Vector by_variation(const Encoding& encoding, const Matrix& all, Rng& rng) {
  const auto any = [&] {
    return static_cast<Index>(rng.below(static_cast<std::uint64_t>(all.cols())));
  };
  const Vector x = all.col(any());
  const double kind = rng.uniform();
  if (kind < 0.4) return varied(encoding, x, 0.3 * std::pow(10.0, -2.5 * rng.uniform()), rng);
  Vector y = x;
  const Index a = any(), b = any();
  const double length = kind < 0.7 ? 0.5 + 0.5 * rng.uniform() : 0.0;
  for (const Encoding::Block& block : encoding.blocks()) {
    auto part = y.segment(block.offset, block.width);
    const auto other = all.col(a).segment(block.offset, block.width);
    if (block.kind == ParameterKind::categorical || length == 0.0) {
      if (rng.uniform() < 0.5) part = other;
    } else {
      part += length * (other - all.col(b).segment(block.offset, block.width));
      part = part.cwiseMax(0.0).cwiseMin(1.0);
    }
  }
  return y;
}

class Search {
 public:
  Search(const CandidateParts& parts, const CandidateOptions& options, std::uint64_t seed,
         std::uint64_t round)
      : parts_(parts), options_(options), rng_(seed, "pareto-search", round) {
    const Index M = parts.models.objectives();
    constexpr double rest = 0.01;  // of the weights that are for one objective each, nearly
    weights_.resize(M, options.population + 2 * M);
    for (Index k = 0; k < weights_.cols(); ++k) {
      if (k < 2 * M) {  // one of each kind
        weights_.col(k).setConstant(rest);
        weights_(k / 2, k) = 1.0;
      } else {
        weights_.col(k) = random_weights(M, rng_);
      }
    }
  }

  Candidates run() {
    SobolDesign design(parts_.encoding, rng_());
    design_.resize(parts_.encoding.dimension(), options_.population / 2);
    for (Index i = 0; i < design_.cols(); ++i) {
      design_.col(i) = design.code(static_cast<std::uint64_t>(i));
    }
    Matrix first(design_.rows(), parts_.elite.cols() + design_.cols());
    first << parts_.elite, design_;
    select(predicted(first));
    for (std::int64_t g = 0; g < options_.generations / 2; ++g) advance(false);
    ascend();
    for (std::int64_t g = options_.generations / 2; g < options_.generations; ++g) {
      advance(g + 2 >= options_.generations);
    }
    return candidates();
  }

 private:
  Population predicted(Matrix codes) const {
    Population made;
    made.outcomes = parts_.models.predict(codes);
    made.log_feasible = Vector::Zero(codes.cols());
    if (parts_.feasibility.knows_anything()) {
      made.log_feasible = parts_.feasibility.log_probability(codes);
    }
    made.codes = std::move(codes);
    return made;
  }

  double feasibility_weight() const { return options_.feasible ? kFeasibilityWeight : 1.0; }

  // Of all, those that are the best for some trade-off.
  void select(const Population& all) {
    if (ranges_.ideal.size() == 0) ranges_ = ObjectiveRanges::of(all.outcomes.mean, {});
    // Twice: which are the best depends on the range, and the range on which are the best.
    for (int i = 0; i < 2; ++i) {
      std::vector<Index> best(static_cast<std::size_t>(weights_.cols()));
      for (Index c = 0; c < 2; ++c) {
        const Matrix U = ranges_.distances(assumed(all.outcomes, c == 0));
        for (Index k = c; k < weights_.cols(); k += 2) {
          Vector scores = feasibility_weight() * all.log_feasible;
          const auto weighted = (weights_.col(k).asDiagonal() * U).eval();
          scores -= weighted.colwise().maxCoeff().transpose();
          scores -= 0.05 * weighted.colwise().sum().transpose();
          scores.maxCoeff(&best[static_cast<std::size_t>(k)]);
        }
      }
      winners_ = best;
      std::ranges::sort(best);
      const auto repeated = std::ranges::unique(best);
      best.erase(repeated.begin(), repeated.end());
      population_ = some_of(all, best);
      for (Index& w : winners_) {
        w = std::ranges::lower_bound(best, w) - best.begin();
      }
      ranges_ = ObjectiveRanges::of(population_.outcomes.mean, {});
    }
  }

  void advance(bool keep) {
    Matrix codes(population_.codes.rows(), options_.population);
    for (Index i = 0; i < codes.cols(); ++i) {
      Vector x;
      if (rng_.uniform() < 0.15) {  // some coordinates from anywhere
        x = population_.codes.col(
            static_cast<Index>(rng_.below(static_cast<std::uint64_t>(population_.size()))));
        const auto other =
            design_.col(static_cast<Index>(rng_.below(static_cast<std::uint64_t>(design_.cols()))));
        const double share = 1.5 / static_cast<double>(parts_.encoding.blocks().size());
        for (const Encoding::Block& block : parts_.encoding.blocks()) {
          if (rng_.uniform() >= share) continue;
          x.segment(block.offset, block.width) = other.segment(block.offset, block.width);
        }
      } else {
        x = by_variation(parts_.encoding, population_.codes, rng_);
      }
      parts_.encoding.snap(x);
      codes.col(i) = x;
    }
    const Population made = predicted(std::move(codes));
    if (keep) last_ = last_.size() == 0 ? made : joined(last_, made);
    select(joined(population_, made));
  }

  // Ascents of the smoothed scalarizations from the codes that are the best for them.
  void ascend() {
    const std::vector<Index> numeric = parts_.encoding.numeric_coordinates();
    if (numeric.empty()) return;
    const auto count = std::min<Index>(options_.ascents, weights_.cols());
    Matrix ends(population_.codes.rows(), count);
    parallel_for(options_.threads, static_cast<int>(count), [&](int k) {
      const Vector w = weights_.col(k);
      const Vector x = population_.codes.col(winners_[static_cast<std::size_t>(k)]);
      Vector low = x, high = x;
      low(numeric).setZero();
      high(numeric).setOnes();
      const GradientFunction held =
          held_inside(parts_.encoding, [&](ConstVectorRef at, VectorRef slope) {
            double score = parts_.models.score(at, ranges_, w, slope);
            if (parts_.feasibility.knows_anything()) {
              Matrix by_x;
              score += feasibility_weight() * parts_.feasibility.log_probability(at, &by_x)[0];
              slope += feasibility_weight() * by_x.col(0);
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
      Vector end = found.usable() ? found.x : x;
      parts_.encoding.snap(end);
      ends.col(k) = end;
    });
    ascents_ = predicted(std::move(ends));
    select(joined(population_, ascents_));
  }

  Candidates candidates() {
    Candidates made;
    const Index found = population_.size() + ascents_.size() + last_.size();
    made.variations =
        std::max<Index>(static_cast<Index>(kVariationShare * static_cast<double>(options_.count)),
                        options_.count - found);
    made.codes.resize(parts_.encoding.dimension(), found + made.variations);
    made.codes.leftCols(found) << population_.codes, ascents_.codes, last_.codes;
    for (Index i = found; i < made.codes.cols(); ++i) {
      Vector x = by_variation(parts_.encoding, parts_.elite, rng_);
      parts_.encoding.snap(x);
      made.codes.col(i) = x;
    }
    made.predicted = parts_.models.predict(made.codes);
    made.feasible = Vector::Ones(made.codes.cols());
    if (parts_.feasibility.knows_anything()) {
      made.feasible = parts_.feasibility.log_probability(made.codes).array().exp();
    }
    made.ranges = ranges_;
    return made;
  }

  const CandidateParts& parts_;
  const CandidateOptions& options_;
  Rng rng_;
  Matrix weights_;  // (M,W)
  Matrix design_;   // (D,d)
  Population population_, ascents_, last_;
  std::vector<Index> winners_;  // of each trade-off, in the population
  ObjectiveRanges ranges_;      // of the population
};

}  // namespace

Matrix assumed(const ObjectiveModels::Prediction& p, bool at_lower_bound) {
  constexpr double below = 3.0;  // deviations
  return at_lower_bound ? Matrix(p.mean - below * p.deviation) : p.mean;
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
  return Search(parts, options, seed, round).run();
}

}  // namespace vbo::pareto
