// SPDX-License-Identifier: MIT
#include "optim/vbo/batch/expected_improvement.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "numerics/parallel.hpp"
#include "optim/success_bar.hpp"
#include "optim/surrogate/acquisition.hpp"
#include "optim/surrogate/maximize.hpp"
#include "optim/vbo/constants.hpp"

namespace vbo {
namespace {

PointScores log_ei(const Vector& mean, const Vector& variance, double best) {
  return score_points(Acquisition::log_ei, mean, variance, best, 0.0);
}

// log EI of points, less where they will not likely enough succeed. log_p is empty where nothing
// fails.
Vector with_success(Vector scores, const Vector& log_p, double bar) {
  for (Eigen::Index i = 0; i < log_p.size(); ++i) {
    scores[i] = bounded_below(scores[i]).value + steep_below(bar, log_p[i]).value;
  }
  return scores;
}

// `fantasies` and `log_success`, which may be empty, must outlive it.
BatchObjective objective(const FantasyModel& fantasies, const LogSuccess& log_success, double bar) {
  return {[&fantasies, &log_success, best = fantasies.best(), bar](ConstVectorRef x,
                                                                   VectorRef gradient) {
            const auto p = fantasies.model().posterior(fantasies.view()(x), /*joint=*/false);
            const PointScores s = log_ei(p->mean(), p->variance(), best);
            gradient = fantasies.view().pullback(p->pullback(s.dmean, s.dvariance)).col(0);
            if (!log_success) return s.value[0];
            Matrix slope;
            const ValueSlope steep = steep_below(bar, log_success(x, &slope)[0]);
            const ValueSlope bounded = bounded_below(s.value[0]);
            gradient = bounded.slope * gradient + steep.slope * slope.col(0);
            return bounded.value + steep.value;
          },
          [&fantasies, &log_success, best = fantasies.best(), bar](ConstMatrixRef X) {
            const auto p = fantasies.model().posterior(fantasies.view()(X), /*joint=*/false);
            return with_success(log_ei(p->mean(), p->variance(), best).value,
                                log_success ? log_success(X, nullptr) : Vector(), bar);
          }};
}

}  // namespace

FantasyModel::FantasyModel(const GpMember& gp, LogSuccess log_success)
    : model_(*gp.model),
      view_(gp.view ? *gp.view : GpWindow()),
      log_success_(std::move(log_success)),
      best_(gp.best) {}

void FantasyModel::condition_on(const Matrix& points) {
  if (points.cols() == 0) return;
  const Matrix seen = view_(points);
  const Vector mean = model_.mean(seen);
  const Vector log_p =
      log_success_ ? log_success_(points, nullptr) : Vector(Vector::Zero(mean.size()));
  for (Eigen::Index i = 0; i < mean.size(); ++i) {
    if (log_p[i] >= std::log(Tuning::fantasy_success)) best_ = std::max(best_, mean[i]);
  }
  model_.append(seen, mean);
}

EiMaximizer::EiMaximizer(const GpMember& gp, EiProblem search, int count, Rng rng, int threads)
    : search_(std::move(search)),
      fantasies_(gp, search_.log_success),
      rng_(rng),
      starts_(static_cast<std::size_t>(count)) {
  fantasies_.condition_on(search_.pending);
  draw_starts(threads);
}

// Those of each point with a stream of random numbers of its own.
void EiMaximizer::draw_starts(int threads) {
  constexpr Eigen::Index block = 64;
  const std::uint64_t streams = rng_();
  parallel_for(threads, static_cast<int>(std::ssize(starts_)), [&](int i) {
    Starts& starts = starts_[static_cast<std::size_t>(i)];
    Rng rng(streams, "starts", static_cast<std::uint64_t>(i));
    starts.X = search_.starts(rng);
    if (search_.log_success) starts.log_p = search_.log_success(starts.X, nullptr);
  });
  struct Block {
    Starts* of;
    Eigen::Index first;
    std::optional<WatchedPoints> watched;
  };
  std::vector<Block> blocks;
  for (Starts& starts : starts_) {
    for (Eigen::Index j = 0; j < starts.X.cols(); j += block) blocks.push_back({&starts, j, {}});
  }
  parallel_for(threads, static_cast<int>(std::ssize(blocks)), [&](int b) {
    auto& [of, first, watched] = blocks[static_cast<std::size_t>(b)];
    const auto some = of->X.middleCols(first, std::min(block, of->X.cols() - first));
    watched.emplace(fantasies_.model(), fantasies_.view()(some));
  });
  for (Block& done : blocks) done.of->watched.push_back(std::move(*done.watched));
}

// Given the fantasies so far.
Vector EiMaximizer::scores_of(Starts& starts, double bar) const {
  Vector scores(starts.X.cols());
  Eigen::Index filled = 0;
  for (WatchedPoints& some : starts.watched) {
    some.follow(fantasies_.model());
    const Vector score = log_ei(some.mean(), some.variance(), fantasies_.best()).value;
    scores.segment(filled, score.size()) = score;
    filled += score.size();
  }
  return with_success(std::move(scores), starts.log_p, bar);
}

std::vector<EiPoint> EiMaximizer::find(int threads) {
  const LogSuccess& log_success = search_.log_success;
  const MaximizeOptions ascent{
      .restarts = Tuning::ei_ascents,
      .iterations = log_success ? Tuning::ei_iterations_along_borders : Tuning::ei_iterations,
      .threads = threads,
      .low = {},
      .high = {}};
  std::vector<EiPoint> found;
  const double shift = log_success ? rng_.uniform() : 0.0;
  const auto count = static_cast<double>(starts_.size());
  for (std::size_t i = 0; i < starts_.size(); ++i) {
    const double allowed = search_.doubt((static_cast<double>(i) + shift) / count);
    const double bar = std::log(1.0 - allowed);
    const auto doubt = [&](const Candidate& top) {
      return log_success ? -std::expm1(log_success(top.X, nullptr)[0]) : 0.0;
    };
    const Vector scores = scores_of(starts_[i], bar);
    const std::vector<Candidate> tops =
        maximize(search_.encoding, objective(fantasies_, log_success, bar), starts_[i].X, scores,
                 ascent, rng_);
    const auto fresh = std::find_if(tops.begin(), tops.end(), [&](const Candidate& top) {
      return !search_.taken(top.X.col(0)) && doubt(top) <= Tuning::ei_doubt * allowed;
    });
    if (fresh == tops.end()) continue;
    const auto p = fantasies_.model().posterior(fantasies_.view()(fresh->X), /*joint=*/false);
    found.push_back(
        {fresh->X.col(0), log_ei(p->mean(), p->variance(), fantasies_.best()).value[0]});
    if (i + 1 < starts_.size()) fantasies_.condition_on(fresh->X);
  }
  return found;
}

}  // namespace vbo
