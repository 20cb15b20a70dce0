// SPDX-License-Identifier: MIT
#include "optim/vbo/improve.hpp"

#include <algorithm>
#include <cmath>
#include <memory>

#include "optim/success_bar.hpp"
#include "optim/surrogate/acquisition.hpp"
#include "optim/surrogate/maximize.hpp"
#include "optim/vbo/constants.hpp"

namespace vbo {
namespace {

PointScores log_ei(const Posterior& p, double best) {
  return score_points(Acquisition::log_ei, p.mean(), p.variance(), best, 0.0);
}

// `model` and `log_success`, which may be empty, must outlive it.
BatchObjective objective(const Surrogate& model, double best, const LogSuccess& log_success,
                         double success_wanted) {
  const double bar = std::log(success_wanted);
  return {[&model, &log_success, best, bar](ConstVectorRef x, VectorRef gradient) {
            const auto p = model.marginals(x);
            const PointScores s = log_ei(*p, best);
            gradient = p->pullback(s.dmean, s.dvariance).col(0);
            if (!log_success) return s.value[0];
            Matrix slope;
            const ValueSlope steep = steep_below(bar, log_success(x, &slope)[0]);
            const ValueSlope bounded = bounded_below(s.value[0]);
            gradient = bounded.slope * gradient + steep.slope * slope.col(0);
            return bounded.value + steep.value;
          },
          [&model, &log_success, best, bar](ConstMatrixRef X) {
            Vector scores = log_ei(*model.marginals(X), best).value;
            if (!log_success) return scores;
            const Vector log_p = log_success(X, nullptr);
            for (Eigen::Index i = 0; i < scores.size(); ++i) {
              scores[i] = bounded_below(scores[i]).value + steep_below(bar, log_p[i]).value;
            }
            return scores;
          }};
}

// A process that takes what it expects for what came out. What may well fail is no result to beat.
// `process` and `log_success`, which may be empty, must outlive it.
class Believer {
 public:
  Believer(const Process& process, const LogSuccess& log_success)
      : process_(process), log_success_(log_success), best_(process.best) {}

  const Surrogate& model() const { return fantasy_ ? *fantasy_ : *process_.model; }
  double best() const { return best_; }

  void believe(const Matrix& points) {  // (D,k), k >= 1
    const Vector mean = model().marginals(points)->mean();
    const Vector log_p =
        log_success_ ? log_success_(points, nullptr) : Vector(Vector::Zero(mean.size()));
    for (Eigen::Index i = 0; i < mean.size(); ++i) {
      if (log_p[i] >= std::log(Tuning::believed_success)) best_ = std::max(best_, mean[i]);
    }
    std::unique_ptr<Surrogate> next = model().conditioned_on(points, mean);
    fantasy_ = std::move(next);
  }

 private:
  const Process& process_;
  const LogSuccess& log_success_;
  double best_;
  std::unique_ptr<Surrogate> fantasy_;
};

}  // namespace

std::vector<Improvement> improvements(const Process& process, const ImproveSearch& search,
                                      int count, Rng& rng) {
  std::vector<Improvement> found;
  if (count <= 0) return found;
  Team team(search.threads, Tuning::improve_climbs + 1);  // one draws the next starts
  MaximizeOptions climbs{.restarts = Tuning::improve_climbs,
                         .iterations = search.log_success ? Tuning::improve_iterations_along_borders
                                                          : Tuning::improve_iterations,
                         .low = {},
                         .high = {},
                         .team = &team};
  Believer believer(process, search.log_success);
  if (search.pending.cols() > 0) believer.believe(search.pending);
  Matrix starts = search.starts(rng), next;
  const double shift = search.log_success ? rng.uniform() : 0.0;
  for (int i = 0; i < count; ++i) {
    const double allowed = search.doubt((i + shift) / count);
    const auto doubt = [&](const Candidate& top) {
      return search.log_success ? -std::expm1(search.log_success(top.X, nullptr)[0]) : 0.0;
    };
    // Climbing draws nothing: the next starts are the same whether drawn beside or after it.
    climbs.meanwhile = [&, more = i + 1 < count] {
      if (more) next = search.starts(rng);
    };
    const std::vector<Candidate> tops =
        maximize(search.encoding,
                 objective(believer.model(), believer.best(), search.log_success, 1.0 - allowed),
                 starts, climbs, rng);
    starts.swap(next);
    const auto fresh = std::find_if(tops.begin(), tops.end(), [&](const Candidate& top) {
      return !search.taken(top.X.col(0)) && doubt(top) <= Tuning::improve_doubt * allowed;
    });
    if (fresh == tops.end()) continue;
    const Vector hope = log_ei(*believer.model().marginals(fresh->X), believer.best()).value;
    found.push_back({fresh->X.col(0), hope[0]});
    if (i + 1 < count) believer.believe(fresh->X);
  }
  return found;
}

}  // namespace vbo
