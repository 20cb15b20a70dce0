// SPDX-License-Identifier: MIT
#include "optim/vbo/improve.hpp"

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

// `believer` and `log_success`, which may be empty, must outlive it.
BatchObjective objective(const Believer& believer, const LogSuccess& log_success, double bar) {
  return {
      [&believer, &log_success, best = believer.best(), bar](ConstVectorRef x, VectorRef gradient) {
        const auto p = believer.model().posterior(believer.view()(x), /*joint=*/false);
        const PointScores s = log_ei(p->mean(), p->variance(), best);
        gradient = believer.view().pullback(p->pullback(s.dmean, s.dvariance)).col(0);
        if (!log_success) return s.value[0];
        Matrix slope;
        const ValueSlope steep = steep_below(bar, log_success(x, &slope)[0]);
        const ValueSlope bounded = bounded_below(s.value[0]);
        gradient = bounded.slope * gradient + steep.slope * slope.col(0);
        return bounded.value + steep.value;
      },
      [&believer, &log_success, best = believer.best(), bar](ConstMatrixRef X) {
        const auto p = believer.model().posterior(believer.view()(X), /*joint=*/false);
        return with_success(log_ei(p->mean(), p->variance(), best).value,
                            log_success ? log_success(X, nullptr) : Vector(), bar);
      }};
}

}  // namespace

Believer::Believer(const Process& process, LogSuccess log_success)
    : model_(*process.model),
      view_(process.view ? *process.view : ProcessView()),
      log_success_(std::move(log_success)),
      best_(process.best) {}

void Believer::believe(const Matrix& points) {
  if (points.cols() == 0) return;
  const Matrix seen = view_(points);
  const Vector mean = model_.mean(seen);
  const Vector log_p =
      log_success_ ? log_success_(points, nullptr) : Vector(Vector::Zero(mean.size()));
  for (Eigen::Index i = 0; i < mean.size(); ++i) {
    if (log_p[i] >= std::log(Tuning::believed_success)) best_ = std::max(best_, mean[i]);
  }
  model_.append(seen, mean);
}

Improvements::Improvements(const Process& process, ImproveSearch search, int count, Rng rng,
                           int threads)
    : search_(std::move(search)),
      believer_(process, search_.log_success),
      rng_(rng),
      starts_(static_cast<std::size_t>(count)) {
  believer_.believe(search_.pending);
  draw_starts(threads);
}

// Those of each point with a stream of random numbers of its own.
void Improvements::draw_starts(int threads) {
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
    watched.emplace(believer_.model(), believer_.view()(some));
  });
  for (Block& done : blocks) done.of->watched.push_back(std::move(*done.watched));
}

// By what is believed now.
Vector Improvements::scores_of(Starts& starts, double bar) const {
  Vector scores(starts.X.cols());
  Eigen::Index filled = 0;
  for (WatchedPoints& some : starts.watched) {
    some.follow(believer_.model());
    const Vector score = log_ei(some.mean(), some.variance(), believer_.best()).value;
    scores.segment(filled, score.size()) = score;
    filled += score.size();
  }
  return with_success(std::move(scores), starts.log_p, bar);
}

std::vector<Improvement> Improvements::find(int threads) {
  const LogSuccess& log_success = search_.log_success;
  const MaximizeOptions climbs{.restarts = Tuning::improve_climbs,
                               .iterations = log_success ? Tuning::improve_iterations_along_borders
                                                         : Tuning::improve_iterations,
                               .threads = threads,
                               .low = {},
                               .high = {}};
  std::vector<Improvement> found;
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
        maximize(search_.encoding, objective(believer_, log_success, bar), starts_[i].X, scores,
                 climbs, rng_);
    const auto fresh = std::find_if(tops.begin(), tops.end(), [&](const Candidate& top) {
      return !search_.taken(top.X.col(0)) && doubt(top) <= Tuning::improve_doubt * allowed;
    });
    if (fresh == tops.end()) continue;
    const auto p = believer_.model().posterior(believer_.view()(fresh->X), /*joint=*/false);
    found.push_back({fresh->X.col(0), log_ei(p->mean(), p->variance(), believer_.best()).value[0]});
    if (i + 1 < starts_.size()) believer_.believe(fresh->X);
  }
  return found;
}

}  // namespace vbo
