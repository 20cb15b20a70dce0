// SPDX-License-Identifier: MIT
// How the surrogate optimizer chooses points once the model is fitted.
#include <algorithm>
#include <cmath>

#include "optim/success_bar.hpp"
#include "optim/surrogate/surrogate.hpp"

namespace vbo {
namespace {

using Eigen::Index;

// Without fantasies, pending points enter every Monte Carlo evaluation; older ones are left out.
constexpr Index pending_joined = 32;

constexpr int best_results = 10;  // that suggestions may lie around
// Of one point's acquisition, a logarithm or a value in deviations; what is gained beyond changes
// the point by less than the next result does.
constexpr double ascent_tolerance = 1e-4;

}  // namespace

std::vector<SurrogateOptimizer::Selected> SurrogateOptimizer::pick(Index q, Rng& rng) {
  const bool monte_carlo = is_monte_carlo(acquisition_);
  const bool fits_jointly = q * encoding_.dimension() <= kJointVariables;
  using Batch = SurrogateOptions::Batch;
  Batch rule = options_.batch;
  if (acquisition_ == Acquisition::thompson) rule = Batch::draws;
  const bool alone = q == 1 && history_.open().empty();
  const bool fantasies = model_->has_fantasies();
  if (rule == Batch::automatic) {
    const bool one_by_one = fantasies || !fits_jointly;
    rule = monte_carlo ? (fits_jointly ? Batch::joint : Batch::greedy)
                       : (alone || one_by_one ? Batch::greedy : Batch::joint);
  }
  if (rule == Batch::draws) return pick_thompson(q, rng);
  if (rule == Batch::joint) return pick_joint(q, rng);
  return alone || fantasies ? pick_greedy(q, rng) : pick_greedy_by_draws(q, rng);
}

namespace {

bool is_product(Acquisition kind) {
  return kind == Acquisition::ei || kind == Acquisition::pi || kind == Acquisition::q_ei;
}

// Before anything is feasible there is nothing to improve on: where the model knows least, which
// also keeps the points of a batch apart.
PointScores spread_of(bool product, ConstVectorRef variance) {
  const Vector v = variance.cwiseMax(1e-12);
  if (product) {
    const Vector sigma = v.cwiseSqrt();
    return {sigma, Vector::Zero(v.size()), 0.5 * sigma.cwiseInverse()};
  }
  return {0.5 * v.array().log(), Vector::Zero(v.size()), 0.5 * v.cwiseInverse()};
}

}  // namespace

// What success is likely enough: where not even the best results would be sure to succeed again, as
// likely as the likeliest of them. Asking for more would send suggestions to wherever nothing is
// known.
double SurrogateOptimizer::attainable_success() const {
  const double wanted = 1.0 - (1.0 - kSuccessWanted) * boldness_;
  if (!feasibility_.knows_failures() || order_.empty()) return wanted;
  const auto best = std::min<std::ptrdiff_t>(std::ssize(order_), best_results);
  const std::vector<Index> columns(order_.begin(), order_.begin() + best);
  const Vector log_p = feasibility_.log_success(Matrix(X_(Eigen::all, columns)));
  return std::min(wanted, std::exp(log_p.maxCoeff()));
}

Vector SurrogateOptimizer::log_feasible(ConstMatrixRef X, Matrix* slope) const {
  Vector found = feasibility_.log_success(X, slope);
  const double bar = std::log(success_wanted_);
  for (Index i = 0; i < found.size(); ++i) {
    const ValueSlope steep = steep_below(bar, found[i]);
    found[i] = steep.value;
    if (slope) slope->col(i) *= steep.slope;
  }
  Matrix by_x;
  found += feasibility_.log_within(X, slope ? &by_x : nullptr);
  if (slope) *slope += by_x;
  return found;
}

double SurrogateOptimizer::weighed(Acquisition kind, double score, ConstMatrixRef X,
                                   Matrix* slope) const {
  if (!feasibility_.knows_anything()) return score;
  Matrix by_x;
  const double log_p = log_feasible(X, slope ? &by_x : nullptr).mean();
  by_x /= static_cast<double>(X.cols());
  const bool product = is_product(kind);
  const double p = std::exp(log_p);
  if (!product && feasibility_.knows_failures()) {
    const ValueSlope bounded = bounded_below(score);
    score = bounded.value;
    if (slope) *slope *= bounded.slope;
  }
  if (slope && product) *slope = p * (*slope + score * by_x);
  if (slope && !product) *slope += by_x;
  return product ? score * p : score + log_p;
}

BatchObjective SurrogateOptimizer::point_objective(const Surrogate& model, double best) const {
  const Acquisition kind = pointwise(acquisition_);
  const auto scores_of = [=, this](const Posterior& p) {
    if (!any_feasible_) return spread_of(is_product(kind), p.variance());
    return score_points(kind, p.mean(), p.variance(), best, options_.beta);
  };
  return {[=, this, &model](ConstVectorRef x, VectorRef gradient) {
            const auto p = model.marginals(x);
            const PointScores s = scores_of(*p);
            Matrix slope = p->pullback(s.dmean, s.dvariance);
            const double score = weighed(kind, s.value[0], x, &slope);
            gradient = slope.col(0);
            return score;
          },
          [=, this, &model](ConstMatrixRef X) {
            const auto p = model.marginals(X);
            Vector scores = scores_of(*p).value;
            if (!feasibility_.knows_anything()) return scores;
            const Vector log_p = log_feasible(X);
            if (is_product(kind)) return Vector(scores.array() * log_p.array().exp());
            if (feasibility_.knows_failures()) {
              for (double& score : scores) score = bounded_below(score).value;
            }
            return Vector(scores + log_p);
          }};
}

// The Monte Carlo acquisition of q free points together with the points still out.
BatchObjective SurrogateOptimizer::draw_objective(Index q, const Matrix& pending, Rng& rng) const {
  const Acquisition kind = batchwise(acquisition_);
  const Index D = encoding_.dimension(), S = options_.samples;
  const auto base = std::make_shared<BaseSamples>(BaseSamples::make(q + pending.cols(), S, rng));
  const auto fresh = std::make_shared<Rng>(rng);
  const auto joined = [D, q, pending](ConstVectorRef x) {
    Matrix X(D, q + pending.cols());
    X << Eigen::Map<const Matrix>(x.data(), D, q), pending;
    return X;
  };
  const auto renew = [this, base, fresh] {
    if (options_.fresh_samples) {
      *base = BaseSamples::make(base->normals.rows(), base->normals.cols(), *fresh);
    }
  };
  return {[=, this](ConstVectorRef x, VectorRef gradient) {
            renew();
            const auto p = model_->posterior(joined(x));
            const DrawScore s = score_draws(kind, p->draws(*base), best_, options_.beta);
            Matrix slope = p->pullback_draws(*base, s.ddraws).leftCols(q);
            const double score =
                weighed(kind, s.value, Eigen::Map<const Matrix>(x.data(), D, q), &slope);
            gradient = slope.reshaped();
            return score;
          },
          [=, this](ConstMatrixRef X) {
            Vector values(X.cols());
            for (Index i = 0; i < X.cols(); ++i) {
              renew();
              const auto p = model_->posterior(joined(X.col(i)));
              values[i] = score_draws(kind, p->draws(*base), best_, options_.beta).value;
              values[i] = weighed(kind, values[i], Eigen::Map<const Matrix>(X.col(i).data(), D, q));
            }
            return values;
          }};
}

Matrix SurrogateOptimizer::raw_points(Index q, Index m, Rng& rng) const {
  const Index D = encoding_.dimension();
  SobolDesign design(encoding_, rng());
  Matrix raw(D * q, m);
  for (Index i = 0; i < m; ++i) {
    for (Index j = 0; j < q; ++j) {
      Vector x;
      if (options_.local_starts && i % 2 == 1) {
        // Around one of the best results, at a length between 0.5 and 0.0005.
        const auto rank = static_cast<std::size_t>(
            rng.below(std::min<std::uint64_t>(order_.size(), best_results)));
        x = near(X_.col(order_[rank]), 0.5 * std::pow(10.0, -3.0 * rng.uniform()), rng);
      } else {
        x = design.code(static_cast<std::uint64_t>(i * q + j));
      }
      encoding_.snap(x);
      raw.col(i).segment(j * D, D) = x;
    }
  }
  return raw;
}

Vector SurrogateOptimizer::near(ConstVectorRef x, double length, Rng& rng) const {
  Vector y = x;
  const double change = std::min(1.0, 8.0 / static_cast<double>(encoding_.blocks().size()));
  for (const Encoding::Block& block : encoding_.blocks()) {
    const bool touched = rng.uniform() < change;
    const double z = rng.normal();
    const double u = rng.uniform();
    const std::uint64_t choice = rng.below(static_cast<std::uint64_t>(block.width));
    if (!touched) continue;
    if (block.kind == ParameterKind::categorical) {
      // As likely to change as a coordinate is to move by half its range.
      if (u > std::max(0.1, length)) continue;
      y.segment(block.offset, block.width).setZero();
      y[block.offset + static_cast<Index>(choice)] = 1.0;
    } else {
      y[block.offset] = std::clamp(y[block.offset] + length * z, 0.0, 1.0);
    }
  }
  return y;
}

bool SurrogateOptimizer::is_new(ConstVectorRef x, const std::vector<Selected>& chosen) const {
  const bool repeated = std::any_of(chosen.begin(), chosen.end(), [&](const Selected& pick) {
    return ((pick.x - x).array().abs() <= kSamePlace).all();
  });
  return !repeated && !history_.contains(x);
}

Vector SurrogateOptimizer::made_new(ConstVectorRef x, const std::vector<Selected>& chosen,
                                    Rng& rng) const {
  if (is_new(x, chosen) || x.size() == 0) return x;
  constexpr int tries = 20;
  for (const double length : {1e-3, 1e-2, 0.1, 0.5}) {
    for (int i = 0; i < tries; ++i) {
      Vector y = near(x, length, rng);
      encoding_.snap(y);
      if (is_new(y, chosen)) return y;
    }
  }
  SobolDesign design(encoding_, rng());
  for (std::uint64_t i = 0; i < 512; ++i) {
    Vector y = design.code(i);
    encoding_.snap(y);
    if (is_new(y, chosen)) return y;
  }
  return x;
}

SurrogateOptimizer::Selected SurrogateOptimizer::picked(ConstVectorRef x, const char* source,
                                                        double score, Acquisition kind,
                                                        const std::vector<Selected>& chosen,
                                                        Rng& rng) const {
  Vector y = made_new(x, chosen, rng);
  if (y != x) return {std::move(y), "nearby"};
  return {std::move(y), source, score, kind};
}

SurrogateOptimizer::Search SurrogateOptimizer::search_for(Index q) const {
  Search s{{.restarts = static_cast<int>(options_.restarts),
            .iterations = static_cast<int>(options_.iterations),
            .threads = threads_,
            .value_tolerance = ascent_tolerance},
           options_.raw_samples};
  if (q > 8) {  // the next points correct what a shorter search misses
    s.search.restarts = std::min(s.search.restarts, 2);
    s.search.iterations = std::min(s.search.iterations, 20);
    s.raw = std::min<Index>(s.raw, 128);
  }
  return s;
}

// One point after the other; points chosen or still out count as evaluated, with the posterior
// mean as their result ("kriging believer", Ginsbourger et al. 2010).
std::vector<SurrogateOptimizer::Selected> SurrogateOptimizer::pick_greedy(Index q, Rng& rng) {
  const auto [search, raw] = search_for(q);
  Matrix X = X_;
  Vector z = z_;
  double best = best_;
  std::unique_ptr<Surrogate> fantasy;
  const auto condition_on = [&](const Matrix& points) {
    const Surrogate& model = fantasy ? *fantasy : *model_;
    const Vector mean = model.marginals(points)->mean();
    if (feasibility_.knows_anything()) {  // what is likely infeasible is no result to beat
      const Vector log_p = feasibility_.log_probability(points);
      for (Index i = 0; i < mean.size(); ++i) {
        if (log_p[i] > std::log(0.5)) best = std::max(best, mean[i]);
      }
    } else {
      best = std::max(best, mean.maxCoeff());
    }
    const Index n = X.cols();
    X.conservativeResize(Eigen::NoChange, n + points.cols());
    z.conservativeResize(n + points.cols());
    X.rightCols(points.cols()) = points;
    z.tail(points.cols()) = mean;
    if (fantasy) {
      fantasy->update(X, z, rng);
    } else {
      fantasy = model_->conditioned_on(points, mean);
    }
  };
  if (!history_.open().empty()) condition_on(history_.pending());
  const auto probing = static_cast<Index>(kProbingShare * boldness_ * static_cast<double>(q));
  const double likely = attainable_success();
  std::vector<Selected> picks;
  while (static_cast<Index>(picks.size()) < q) {
    const Surrogate& model = fantasy ? *fantasy : *model_;
    // The first few may fail, to learn where the border is.
    const bool probes = static_cast<Index>(picks.size()) < probing;
    success_wanted_ = probes ? kSuccessProbed : likely;
    const std::vector<Candidate> found =
        maximize(encoding_, point_objective(model, best), raw_points(1, raw, rng), search, rng);
    const auto fresh = std::find_if(found.begin(), found.end(),
                                    [&](const Candidate& c) { return is_new(c.X.col(0), picks); });
    const Candidate& chosen = fresh == found.end() ? found.front() : *fresh;
    picks.push_back(
        picked(chosen.X.col(0), "acquisition", chosen.value, pointwise(acquisition_), picks, rng));
    if (static_cast<Index>(picks.size()) < q) condition_on(picks.back().x);
  }
  return picks;
}

// One point after the other, each the best addition to those chosen or still out, by joint draws:
// for models without fantasies.
std::vector<SurrogateOptimizer::Selected> SurrogateOptimizer::pick_greedy_by_draws(Index q,
                                                                                   Rng& rng) {
  auto [search, raw] = search_for(q);
  if (options_.fresh_samples) search.threads = 1;
  Matrix out = history_.pending();
  std::vector<Selected> picks;
  while (static_cast<Index>(picks.size()) < q) {
    const Matrix joined = out.rightCols(std::min(pending_joined, out.cols()));
    const Candidate found =
        maximize(encoding_, draw_objective(1, joined, rng), raw_points(1, raw, rng), search, rng)
            .front();
    picks.push_back(
        picked(found.X.col(0), "acquisition", found.value, batchwise(acquisition_), picks, rng));
    out.conservativeResize(encoding_.dimension(), out.cols() + 1);
    out.rightCols(1) = picks.back().x;
  }
  return picks;
}

std::vector<SurrogateOptimizer::Selected> SurrogateOptimizer::pick_joint(Index q, Rng& rng) {
  const MaximizeOptions search{static_cast<int>(options_.restarts),
                               static_cast<int>(options_.iterations),
                               options_.fresh_samples ? 1 : threads_};
  const Matrix all_pending = history_.pending();
  const Matrix pending = all_pending.rightCols(std::min(pending_joined, all_pending.cols()));
  const BatchObjective objective = draw_objective(q, pending, rng);
  const std::vector<Candidate> found =
      maximize(encoding_, objective, raw_points(q, options_.raw_samples, rng), search, rng);
  std::vector<Selected> picks;
  for (Index j = 0; j < q; ++j) {
    picks.push_back(picked(found.front().X.col(j), "acquisition", found.front().value,
                           batchwise(acquisition_), picks, rng));
  }
  return picks;
}

// One posterior draw per point, each maximized over the same candidates.
std::vector<SurrogateOptimizer::Selected> SurrogateOptimizer::pick_thompson(Index q, Rng& rng) {
  const Matrix candidates = raw_points(1, options_.candidates, rng);
  Matrix draws = model_->sample_functions(candidates, q, false, rng);
  if (feasibility_.knows_anything()) {
    draws.colwise() += feasibility_.log_probability(candidates);
  }
  std::vector<bool> taken(static_cast<std::size_t>(candidates.cols()), false);
  std::vector<Selected> picks;
  for (Index s = 0; s < q; ++s) {
    std::vector<Index> order(static_cast<std::size_t>(candidates.cols()));
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = static_cast<Index>(i);
    std::sort(order.begin(), order.end(), [&](Index a, Index b) {
      return draws(a, s) > draws(b, s) || (draws(a, s) == draws(b, s) && a < b);
    });
    const auto found = std::find_if(order.begin(), order.end(), [&](Index i) {
      return !taken[static_cast<std::size_t>(i)] && is_new(candidates.col(i), picks);
    });
    const Index at = found == order.end() ? order.front() : *found;
    taken[static_cast<std::size_t>(at)] = true;
    picks.push_back(
        picked(candidates.col(at), "thompson", draws(at, s), Acquisition::thompson, picks, rng));
  }
  return picks;
}

}  // namespace vbo
