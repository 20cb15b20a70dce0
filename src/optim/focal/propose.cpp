// SPDX-License-Identifier: MIT
// What a level proposes: by posterior draws over candidates, or by maximizing an acquisition.
#include <algorithm>

#include "numerics/sobol.hpp"
#include "optim/focal/focal.hpp"

namespace vbo {

using Eigen::Index;

std::vector<FocalMethod::Proposal> FocalMethod::propose(std::size_t level, Index q,
                                                        Rng& rng) const {
  const Acquisition kind =
      options_.acquisition.value_or(q > 1 ? Acquisition::thompson : Acquisition::log_ei);
  if (kind == Acquisition::thompson) return propose_by_draws(level, q, rng);
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
  const bool weighted = k > 0 || (around_best() && focused());
  Vector u(blocks);
  for (Index i = 0; i < m; ++i) {
    sobol.next({u.data(), static_cast<std::size_t>(blocks)});
    C.col(i) = point_in(level, u, weighted);
  }
  const Matrix draws = level.model->sample_functions(C, q, true, Rng(rng(), "focal-draws"));
  std::vector<bool> taken(static_cast<std::size_t>(m), false);
  for (Index i = 0; i < m; ++i) taken[static_cast<std::size_t>(i)] = history_.contains(C.col(i));
  std::vector<Proposal> found;
  for (Index s = 0; s < q; ++s) {
    Index best = -1;
    for (Index i = 0; i < m; ++i) {
      if (!taken[static_cast<std::size_t>(i)] && (best < 0 || draws(i, s) > draws(best, s)))
        best = i;
    }
    if (best < 0) break;
    taken[static_cast<std::size_t>(best)] = true;
    found.push_back(
        {C.col(best), draws(best, s), Acquisition::thompson, static_cast<std::int64_t>(k)});
  }
  return found;
}

std::vector<FocalMethod::Proposal> FocalMethod::propose_by_search(std::size_t k, Index q,
                                                                  Acquisition kind,
                                                                  Rng& rng) const {
  const Level& level = levels_[k];
  const Surrogate& model = *level.model;
  const Index D = encoding_.dimension();
  const bool joint = is_monte_carlo(kind) && q * D <= kJointVariables;
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
      found.push_back({candidate.X.col(j), candidate.value, joint ? kind : pointwise(kind),
                       static_cast<std::int64_t>(k)});
    }
  }
  return found;
}

}  // namespace vbo
