// SPDX-License-Identifier: MIT
#include "optim/focal/focal.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "models/focal/focal_gp.hpp"
#include "models/gp/gp.hpp"
#include "models/standardize.hpp"
#include "numerics/sobol.hpp"
#include "optim/design.hpp"
#include "optim/state_bytes.hpp"

namespace vbo {
namespace {

using Eigen::Index;

constexpr std::uint32_t format = 0x464f4301;  // "FOC", version 1
constexpr Index joint_variables = 120;
constexpr double refit_growth = 0.05;
constexpr double none = -std::numeric_limits<double>::infinity();

// While there are fewer results than inducing points, an exact process over the whole cube.
GpOptions exact_options(Index D) {
  GpOptions o = GpOptions::standard(D);
  o.lengthscale_prior = o.noise_prior = {};
  o.lengthscale_low = 0.005, o.lengthscale_high = 10.0, o.lengthscale_start = 0.5;
  o.noise_low = 1e-4, o.noise_start = 0.1;
  return o;
}

}  // namespace

void bind(OptionBinder& b, FocalMethodOptions& o) {
  b.choice("acquisition", o.acquisition, {"auto", "ts", "ei", "logei", "qei", "qucb", "pi"},
           "how a level proposes; auto: ts for batches, logei for single points");
  b.number("beta", o.beta, 0.0, 1e6, "qucb: weight of the deviation is sqrt(beta)");
  b.integer("inducing", o.inducing, 1, 1000, "inducing points; cost is quadratic");
  b.integer("epochs", o.epochs, 1, 100000, "Adam steps per level and fit");
  b.integer("max_depth", o.max_depth, 1, 20, "most levels; cost is proportional");
  b.integer("candidates", o.candidates, 10, 5000, "points per level on which draws are compared");
  b.integer("restarts", o.restarts, 1, 100, "local searches per level");
  b.integer("raw_samples", o.raw_samples, 1, 20000, "points scored before the local searches");
  b.integer("initial", o.initial, 0, 100000, "space-filling points first; 0 = 2 per parameter + 1");
  b.integer("max_points", o.max_points, 10, 100000,
            "results a fit looks at (best and most recent)");
}

FocalMethod::FocalMethod(const Space& space, const OptimizerOptions& common,
                         const FocalMethodOptions& options)
    : encoding_(space),
      options_(options),
      seed_(common.seed),
      batch_(std::max<std::int64_t>(1, common.batch)),
      threads_(common.threads),
      results_(encoding_) {}

// Depth rule: with k* the level of the round's best point, one level less if a smaller box
// existed, else one more.
void FocalMethod::finish_round() {
  if (round_results_ < batch_) return;
  if (round_level_ >= 0) {
    depth_ += round_level_ + 1 < depth_ ? -1 : 1;
    depth_ = std::clamp<std::int64_t>(depth_, 1, options_.max_depth);
  }
  round_results_ = 0;
  round_level_ = -1;
}

void FocalMethod::tell(std::span<const Trial> finished) {
  for (const Trial& trial : finished) {
    const auto found = level_of_.find(trial.id);
    if (found == level_of_.end()) continue;
    ++round_results_;
    if (trial.value && (round_level_ < 0 || *trial.value > round_best_)) {
      round_best_ = *trial.value;
      round_level_ = found->second;
    }
    level_of_.erase(found);
  }
  results_.told(finished);
  finish_round();
}

void FocalMethod::fit(Index count) {
  const std::vector<Index> chosen = results_.chosen(count, options_.max_points, true);
  const Vector y = results_.outcomes(chosen, count);
  const Standardize output = Standardize::of(y);
  offset_ = output.offset;
  scale_ = output.scale;
  const Vector z = output.apply(y);
  const Index D = encoding_.dimension();
  Matrix X(D, z.size());
  for (Index i = 0; i < z.size(); ++i)
    X.col(i) = results_.code(chosen[static_cast<std::size_t>(i)]);
  Index at = 0;
  best_z_ = z.maxCoeff(&at);
  best_ = chosen[static_cast<std::size_t>(at)];
  centre_ = X.col(at);
  fitted_ = count;
  fitted_depth_ = depth_;

  levels_.clear();
  const auto blocks = static_cast<Index>(encoding_.blocks().size());
  const Vector equal = Vector::Ones(blocks);
  const auto stream = [&](std::int64_t level) {
    return Rng(seed_, "focal-fit", static_cast<std::uint64_t>(count * 64 + level));
  };
  if (z.size() < options_.inducing) {
    auto model = std::make_shared<GaussianProcess>(exact_options(D));
    model->fit(X, z, stream(0));
    levels_.push_back({Vector::Zero(D), Vector::Ones(D), equal, std::move(model)});
    return;
  }
  Vector low = Vector::Zero(D), high = Vector::Ones(D);
  double side = 1.0;
  bool alone = false;  // a box held one result only: smaller ones keep its model
  for (std::int64_t k = 0; k < depth_; ++k) {
    if (k > 0) {
      side *= 0.5;
      low = (centre_.array() - 0.5 * side).cwiseMax(0.0);
      high = (centre_.array() + 0.5 * side).cwiseMin(1.0);
      for (const Encoding::Block& block : encoding_.blocks()) {  // choices have no neighbourhood
        if (block.kind != ParameterKind::categorical) continue;
        low.segment(block.offset, block.width).setZero();
        high.segment(block.offset, block.width).setOnes();
      }
    }
    if (alone) {
      levels_.push_back({low, high, levels_.back().weights, levels_.back().model});
      continue;
    }
    const FocalRegion region{low, high};
    auto model = std::make_shared<FocalGp>(
        FocalOptions{options_.inducing, static_cast<int>(options_.epochs), 0.01}, region);
    model->fit(X, z, stream(k));
    Vector logs(blocks);
    for (Index b = 0; b < blocks; ++b) {
      const Encoding::Block& block = encoding_.blocks()[static_cast<std::size_t>(b)];
      logs[b] = std::log(model->parameters().lengthscales[block.offset]);
    }
    levels_.push_back({low, high, (logs.array() - logs.mean()).exp(), model});
    Index inside = 0;
    for (Index i = 0; i < X.cols(); ++i) inside += region.contains(X.col(i));
    alone = inside <= 1;
  }
}

// u (blocks) in (0,1) -> a snapped point of the level's box; `weighted` stretches the box around
// the centre by the level's weights.
Vector FocalMethod::point_in(const Level& level, ConstVectorRef u, bool weighted) const {
  Vector x = centre_;
  for (std::size_t b = 0; b < encoding_.blocks().size(); ++b) {
    const Encoding::Block& block = encoding_.blocks()[b];
    const auto k = static_cast<Index>(b);
    if (block.kind == ParameterKind::categorical) {
      const auto choice = static_cast<Index>(u[k] * static_cast<double>(block.width));
      x.segment(block.offset, block.width).setZero();
      x[block.offset + std::min(choice, block.width - 1)] = 1.0;
      continue;
    }
    double low = level.low[block.offset], high = level.high[block.offset];
    if (weighted) {
      const double middle = 0.5 * (low + high), half = 0.5 * (high - low) * level.weights[k];
      low = std::max(0.0, middle - half);
      high = std::min(1.0, middle + half);
    }
    x[block.offset] = low + (high - low) * u[k];
  }
  encoding_.snap(x);
  return x;
}

std::vector<FocalMethod::Proposal> FocalMethod::propose(std::size_t level, Index q,
                                                        Rng& rng) const {
  const std::string& name = options_.acquisition;
  if (name == "ts" || (name == "auto" && q > 1)) return propose_by_draws(level, q, rng);
  const Acquisition kind =
      name == "auto" ? Acquisition::log_ei : acquisition_from(name).value_or(Acquisition::log_ei);
  return propose_by_search(level, q, kind, rng);
}

// Thompson sampling: draw k of the observations is maximized over the candidates left.
std::vector<FocalMethod::Proposal> FocalMethod::propose_by_draws(std::size_t k, Index q,
                                                                 Rng& rng) const {
  const Level& level = levels_[k];
  const auto blocks = static_cast<int>(encoding_.blocks().size());
  SobolSequence sobol(blocks, Rng(rng(), "focal-candidates"));
  const Index m = std::max<Index>(options_.candidates, 2 * q);
  Matrix C(encoding_.dimension(), m);
  Vector u(blocks);
  for (Index i = 0; i < m; ++i) {
    sobol.next({u.data(), static_cast<std::size_t>(blocks)});
    C.col(i) = point_in(level, u, k > 0);
  }
  const Matrix draws = level.model->sample_functions(C, q, true, Rng(rng(), "focal-draws"));
  std::vector<bool> taken(static_cast<std::size_t>(m), false);
  for (Index i = 0; i < m; ++i) taken[static_cast<std::size_t>(i)] = results_.contains(C.col(i));
  std::vector<Proposal> found;
  for (Index s = 0; s < q; ++s) {
    Index best = -1;
    for (Index i = 0; i < m; ++i) {
      if (!taken[static_cast<std::size_t>(i)] && (best < 0 || draws(i, s) > draws(best, s)))
        best = i;
    }
    if (best < 0) break;
    taken[static_cast<std::size_t>(best)] = true;
    found.push_back({C.col(best), draws(best, s), static_cast<std::int64_t>(k)});
  }
  return found;
}

std::vector<FocalMethod::Proposal> FocalMethod::propose_by_search(std::size_t k, Index q,
                                                                  Acquisition kind,
                                                                  Rng& rng) const {
  const Level& level = levels_[k];
  const Surrogate& model = *level.model;
  const Index D = encoding_.dimension();
  const bool joint = is_monte_carlo(kind) && q * D <= joint_variables;
  const Index together = joint ? q : 1;
  const auto blocks = static_cast<int>(encoding_.blocks().size());
  SobolSequence sobol(blocks, Rng(rng(), "focal-raw"));
  Matrix raw(D * together, options_.raw_samples);
  Vector u(blocks);
  for (Index i = 0; i < raw.cols(); ++i) {
    for (Index j = 0; j < together; ++j) {
      sobol.next({u.data(), static_cast<std::size_t>(blocks)});
      raw.col(i).segment(j * D, D) = point_in(level, u, false);
    }
  }
  const double best = best_z_, beta = options_.beta;
  BatchObjective objective;
  const BaseSamples base = BaseSamples::make(together, 256, rng);
  if (joint) {
    objective.value_and_gradient = [&](ConstVectorRef x, VectorRef gradient) {
      const auto p = model.posterior(Eigen::Map<const Matrix>(x.data(), D, q));
      const DrawScore s = score_draws(kind, p->draws(base), best, beta);
      gradient = p->pullback_draws(base, s.ddraws).reshaped();
      return s.value;
    };
    objective.score = [&](ConstMatrixRef X) {
      Vector values(X.cols());
      for (Index i = 0; i < X.cols(); ++i) {
        const Matrix points = X.col(i).reshaped(D, q);
        values[i] = score_draws(kind, model.posterior(points)->draws(base), best, beta).value;
      }
      return values;
    };
  } else {
    const Acquisition single = pointwise(kind);
    objective.value_and_gradient = [&, single](ConstVectorRef x, VectorRef gradient) {
      const auto p = model.marginals(x);
      const PointScores s = score_points(single, p->mean(), p->variance(), best, beta);
      gradient = p->pullback(s.dmean, s.dvariance).col(0);
      return s.value[0];
    };
    objective.score = [&, single](ConstMatrixRef X) {
      const auto p = model.marginals(X);
      return score_points(single, p->mean(), p->variance(), best, beta).value;
    };
  }
  MaximizeOptions search{static_cast<int>(std::max(options_.restarts, joint ? 1 : q)), 40,
                         threads_};
  search.low = level.low;
  search.high = level.high;
  std::vector<Proposal> found;
  for (const Candidate& candidate : maximize(encoding_, objective, raw, search, rng)) {
    for (Index j = 0; j < together && static_cast<Index>(found.size()) < q; ++j) {
      found.push_back({candidate.X.col(j), candidate.value, static_cast<std::int64_t>(k)});
    }
  }
  return found;
}

Vector FocalMethod::made_new(Vector x, Rng& rng) const {
  if (x.size() == 0 || !results_.contains(x)) return x;
  SobolDesign design(encoding_, rng());
  for (std::uint64_t i = 0; i < 600; ++i) {
    // First close by, then anywhere.
    const double share = std::min(1.0, 1e-3 * std::pow(1.03, static_cast<double>(i)));
    Vector y = x + share * (design.code(i) - x);
    encoding_.snap(y);
    if (!results_.contains(y)) return y;
  }
  return x;
}

std::vector<Suggestion> FocalMethod::ask(std::span<const TrialId> ids) {
  std::vector<Suggestion> suggestions;
  Rng rng(seed_, "focal-ask", static_cast<std::uint64_t>(asks_++));
  const auto suggest = [&](const Proposal& p, const char* source) {
    const TrialId id = ids[suggestions.size()];
    const Vector x = made_new(p.x, rng);
    results_.asked(id, x);
    Rationale why{.source = source, .acquisition = p.value, .terms = {}};
    if (p.level >= 0) {
      level_of_[id] = p.level;
      why.terms = {{"level", static_cast<double>(p.level)}};
    }
    suggestions.push_back({encoding_.decode(x), std::move(why)});
  };
  const Index count = results_.size();
  const auto known =
      static_cast<std::int64_t>(count) + static_cast<std::int64_t>(results_.open().size());
  const std::int64_t initial = options_.initial > 0
                                   ? options_.initial
                                   : 2 * static_cast<std::int64_t>(encoding_.blocks().size()) + 1;
  const bool learned = results_.successes() > 0 && encoding_.dimension() > 0;
  const auto wanted = static_cast<std::int64_t>(ids.size());
  const std::int64_t designed =
      learned ? std::clamp(initial - known, std::int64_t{0}, wanted) : wanted;
  SobolDesign design(encoding_, seed_);
  for (std::int64_t i = 0; i < designed; ++i) {
    Vector x = design.code(static_cast<std::uint64_t>(known + i));
    encoding_.snap(x);
    suggest({std::move(x), 0.0, -1}, "design");
  }
  if (designed == wanted) return suggestions;

  const double grown = static_cast<double>(count - fitted_);
  if (fitted_ == 0 || fitted_depth_ != depth_ ||
      (grown > 0 &&
       grown >= refit_growth * static_cast<double>(std::min(fitted_, options_.max_points)))) {
    fit(count);
  }
  const auto q = static_cast<Index>(wanted - designed);
  std::vector<Proposal> pool;
  for (std::size_t k = 0; k < levels_.size(); ++k) {
    for (Proposal& p : propose(k, q, rng)) pool.push_back(std::move(p));
  }
  // q of the pool without replacement with probability softmax(value): the q largest Gumbel keys.
  std::vector<std::pair<double, std::size_t>> keys;
  for (std::size_t i = 0; i < pool.size(); ++i) {
    const double gumbel = -std::log(-std::log(std::max(rng.uniform(), 1e-300)));
    const double value = std::isfinite(pool[i].value) ? pool[i].value : -1e300;
    keys.emplace_back(-(value + gumbel), i);
  }
  std::sort(keys.begin(), keys.end());
  for (Index i = 0; i < q; ++i) {
    if (keys.empty()) {
      suggest({design.code(static_cast<std::uint64_t>(known + i)), 0.0, -1}, "design");
    } else {
      suggest(pool[keys[static_cast<std::size_t>(i) % keys.size()].second], "focal");
    }
  }
  return suggestions;
}

AskReport FocalMethod::report() const {
  AskReport report;
  report.round = asks_;
  report.values = {{"depth", static_cast<double>(depth_)},
                   {"levels", static_cast<double>(levels_.size())}};
  if (levels_.empty()) return report;
  const auto p = levels_.back().model->marginals(centre_);
  report.recommendation = Recommendation{results_.id(best_), offset_ + scale_ * p->mean()[0],
                                         scale_ * std::sqrt(p->variance()[0])};
  return report;
}

std::string FocalMethod::snapshot() const {
  StateWriter out;
  out.put(format);
  for (const std::int64_t n : {asks_, depth_, fitted_, fitted_depth_, round_results_, round_level_,
                               static_cast<std::int64_t>(level_of_.size())}) {
    out.put(n);
  }
  out.put(round_best_);
  for (const auto& [id, level] : level_of_) out.put<std::int64_t>(id).put(level);
  return out.take();
}

Result<void> FocalMethod::restore(std::string_view snapshot, std::span<const Trial> history) {
  StateReader in(snapshot);
  const bool known = in.get<std::uint32_t>() == format;
  std::int64_t fitted = 0, fitted_depth = 0, pending = 0;
  for (std::int64_t* n :
       {&asks_, &depth_, &fitted, &fitted_depth, &round_results_, &round_level_, &pending}) {
    *n = in.get<std::int64_t>();
  }
  round_best_ = in.get<double>();
  for (; pending > 0 && in.ok(); --pending) {
    const auto id = in.get<std::int64_t>();
    level_of_[id] = in.get<std::int64_t>();
  }
  results_.restore(history);
  if (!known || !in.complete() || fitted > results_.size() || depth_ < 1 || fitted_depth > 20) {
    return Error{ErrorKind::damaged, "the snapshot is not one of this method and version"};
  }
  if (fitted > 0) {  // fits depend on the data and their number alone
    const std::int64_t depth = depth_;
    depth_ = fitted_depth;
    fit(fitted);
    depth_ = depth;
  }
  return {};
}

}  // namespace vbo
