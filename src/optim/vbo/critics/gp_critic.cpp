// SPDX-License-Identifier: MIT
#include "optim/vbo/critics/gp_critic.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>

#include "core/normal.hpp"
#include "optim/surrogate/gp_method.hpp"
#include "optim/vbo/constants.hpp"

namespace vbo {
namespace {

// work(first, count) for N points in pieces of at most `block`.
void in_blocks(Eigen::Index N, Eigen::Index block, int threads,
               const std::function<void(Eigen::Index first, Eigen::Index count)>& work) {
  const auto blocks = static_cast<int>((N + block - 1) / block);
  parallel_for(threads, blocks, [&](int b) {
    const Eigen::Index from = block * b;
    work(from, std::min(block, N - from));
  });
}

}  // namespace

GpCritic::GpCritic(const Encoding& encoding, const LocalCoordinates& coordinates,
                   const VboOptions& options, std::uint64_t seed)
    : coordinates_(coordinates),
      model_options_(gp_options(encoding, GpModelOptions{})),
      options_(options),
      seed_(seed) {}

std::vector<bool> GpCritic::covers(ConstMatrixRef X) const {
  const Vector distances = view_.distance(X);
  std::vector<bool> covered;
  for (const double distance : distances) covered.push_back(distance <= Tuning::near_radius);
  return covered;
}

// Fits to results under several warps.
struct GpCritic::Fits {
  TrainingSubset subset;
  std::vector<int> warps;
  std::vector<std::optional<Fit>> of_warp;
};

// The results near the search to learn from, once there are more than the GP can learn from;
// none while the best one lies elsewhere or too few that differ from it are near: then the whole
// box is what it is fitted to. The window follows.
std::vector<int> GpCritic::look_nearby(const Archive& archive, int most) {
  view_ = GpWindow();
  if (coordinates_.numeric() == 0 || archive.feasible() <= most) return {};
  const int best = archive.at_rank(0);
  const GpWindow near(coordinates_, archive.code(best).size());
  if (near.distance(archive.code(best))[0] > Tuning::near_radius) return {};
  std::vector<int> results = results_nearby(archive, near, most);
  const auto differ =
      std::ranges::count_if(results, [&](int i) { return archive.value(i) < archive.value(best); });
  if (differ < std::min<std::ptrdiff_t>(Tuning::near_fewest * coordinates_.numeric(), most / 2))
    return {};
  view_ = near;
  return results;
}

Learning GpCritic::learning(const Archive& archive, const Replay& replay, std::int64_t round) {
  near_before_fit_ = view_.is_near();
  state_before_fit_ = state_;
  warp_before_fit_ = warp_;
  model_.reset();
  const auto most = static_cast<int>(std::max(options_.gp_points, Tuning::gp_fewest_points));
  std::vector<int> chosen = look_nearby(archive, most);
  if (chosen.empty()) {
    Rng rng(seed_, "gp-results", static_cast<std::uint64_t>(round));
    chosen = results_of_the_box(archive, most, rng);
  }
  std::vector<int> warps{static_cast<int>(warp_)};  // all of them once, then a neighbour a round
  if (state_before_fit_.size() == 0) {
    for (int warp = 0; warp < Warp::count; ++warp) {
      if (warp != warp_) warps.push_back(warp);
    }
  } else if (const auto next = Warp::neighbour(warps[0], round % 2 == 0 ? -1 : 1)) {
    warps.push_back(*next);
  }
  const auto fits =
      std::make_shared<Fits>(Fits{training_subset(archive, replay, chosen), std::move(warps), {}});
  fits->of_warp.resize(fits->warps.size());
  Learning work;
  for (std::size_t k = 0; k < fits->warps.size(); ++k) {
    work.pieces.push_back({[this, fits, k, round](int threads) {
                             fits->of_warp[k] =
                                 fitted(fits->subset, fits->warps[k], round, threads);
                           },
                           Piece::any});
  }
  work.conclude = [this, fits] { take_best(*fits); };
  return work;
}

void GpCritic::take_best(Fits& fits) {
  const auto best = std::ranges::max_element(  // the first of equals
      fits.of_warp, [](const auto& a, const auto& b) { return a->likelihood < b->likelihood; });
  warp_ = fits.warps[static_cast<std::size_t>(best - fits.of_warp.begin())];
  model_.emplace(std::move((*best)->model));
  scale_ = (*best)->scale;
  best_ = (*best)->best;
  state_ = model_->state();
  known_variance_ = (*best)->known_variance;
  noise_variance_ = model_->noise_variance() + known_variance_;
}

// Made anew, so that a fit depends on its data and the state before it alone. The likelihood of
// outcomes y with targets v: that of the standardized targets, times dv/dy over their deviation;
// where ranks are kept dv/dy is the same for all bends.
GpCritic::Fit GpCritic::fitted(const TrainingSubset& subset, int warp, std::int64_t round,
                               int threads) const {
  const Eigen::Index N = subset.z.size();
  GpOptions options = model_options_;
  options.threads = threads;
  const double fewer = static_cast<double>(options_.gp_points) / static_cast<double>(N);
  options.max_iterations =
      static_cast<int>(std::lround(static_cast<double>(options_.gp_iterations) *
                                   std::clamp(fewer, 1.0, Tuning::gp_more_iterations)));
  options.quadratic = view_.quadratic_mean();
  Fit fit{GaussianProcess(options), target_scale(subset, warp), 0.0, 0.0, 0.0};
  // Length-scales of the whole box are no guide to those near the search.
  const bool goes_on = state_before_fit_.size() > 0 && near_before_fit_ == view_.is_near();
  if (goes_on) fit.model.set_state(state_before_fit_);
  Vector targets(N);
  double slopes = 0.0;  // sum of log dv/dy
  for (Eigen::Index i = 0; i < N; ++i) {
    const double outcome = subset.outcomes[i];
    targets[i] = fit.scale.target(outcome, subset.z[i]);
    if (fit.scale.keeps_value(outcome)) slopes += fit.scale.log_slope(outcome);
  }
  // To first order the standard error of a target is that of its outcome times dv/dy. What keeps
  // its rank alone counts as exact.
  Vector known(subset.errors.size());
  for (Eigen::Index i = 0; i < known.size(); ++i) {
    const double outcome = subset.outcomes[i];
    const bool kept = fit.scale.keeps_value(outcome);
    const double error = kept ? subset.errors[i] * std::exp(fit.scale.log_slope(outcome)) : 0.0;
    known[i] = error * error;
  }
  if (known.size() > 0) fit.known_variance = known.mean();
  fit.model.set_known_variances(known);
  const double deviation = std::sqrt((targets.array() - targets.mean()).square().mean());
  const Matrix U = view_(subset.X);
  const FitReport report =
      fit.model.fit(U, targets, Rng(seed_, "gp-fit", static_cast<std::uint64_t>(round)));
  fit.best = fit.model.regression().mean(U).maxCoeff();
  fit.likelihood =
      report.objective + slopes - static_cast<double>(N) * std::log(std::max(deviation, 1e-300));
  return fit;
}

Matrix GpCritic::predict(const OutcomeLevels& levels, ConstMatrixRef X, int threads) const {
  Vector edges(levels.edges().size());
  double below = 0.0;  // mass
  for (Eigen::Index g = 0; g < edges.size(); ++g) {
    below += levels.mass()[g];
    edges[g] = scale_.target(levels.edges()[g], normal_quantile(below));
  }
  Matrix P(levels.size(), X.cols());
  in_blocks(X.cols(), Tuning::gp_variance_block, threads, [&](Eigen::Index from, Eigen::Index n) {
    const auto p = model_->marginals(view_(X.middleCols(from, n)));
    const Vector mean = p->mean(), variance = p->variance();
    for (Eigen::Index i = 0; i < n; ++i) {
      const double sigma = std::sqrt(variance[i] + model_->noise_variance() + known_variance_);
      P.col(from + i) = normal_over_levels(mean[i], sigma, edges);
    }
  });
  return P;
}

Vector GpCritic::mean(ConstMatrixRef X, int threads, Matrix* slope) const {
  const Eigen::Index N = X.cols();
  Vector mean(N);
  if (slope) slope->resize(X.rows(), N);
  const Eigen::Index block = slope ? Tuning::gp_slope_block : Tuning::gp_mean_block;
  in_blocks(N, block, threads, [&](Eigen::Index from, Eigen::Index n) {
    const Matrix U = view_(X.middleCols(from, n));
    mean.segment(from, n) = model_->regression().mean(U);
    if (!slope) return;
    slope->middleCols(from, n) =
        view_.pullback(model_->regression().mean_slope(U, Vector::Ones(n)));
  });
  return mean;
}

// d sigma / d variance = 1 / (2 sigma).
Vector GpCritic::deviation(ConstMatrixRef X, Matrix* slope) const {
  const auto posterior = model_->marginals(view_(X));
  const Vector sigma = posterior->variance().cwiseMax(1e-12).cwiseSqrt();
  if (slope) {
    const Vector d_variance = 0.5 * sigma.cwiseInverse();
    *slope = view_.pullback(posterior->pullback(Vector::Zero(X.cols()), d_variance));
  }
  return sigma;
}

GpMember GpCritic::member(double weight) const {
  if (!model_) return {};
  return {&model_->regression(), best_, weight, &view_};
}

void GpCritic::write(StateWriter& out) const {
  out.put(state_before_fit_).put(warp_before_fit_).put<std::uint8_t>(near_before_fit_);
  out.put(noise_variance_);
}

void GpCritic::read(StateReader& in) {
  constexpr double largest = 1e30;  // outcomes in normal scores and their like
  state_ = in.get_numbers(largest);
  if (!GaussianProcess(model_options_).set_state(state_)) return in.fail();
  warp_ = in.get_count(Warp::count - 1);
  const bool near = in.get_flag();
  if (near && coordinates_.numeric() == 0) return in.fail();
  view_ = near ? GpWindow(coordinates_, model_options_.input_scale.size()) : GpWindow();
  noise_variance_ = in.get_number(0.0, largest);
  model_.reset();
}

}  // namespace vbo
