// SPDX-License-Identifier: MIT
#include "optim/vbo/gp_judge.hpp"

#include <algorithm>
#include <cmath>

#include "core/normal.hpp"

namespace vbo {
namespace {

// Half of the points are the best results, the rest a sample of all others; all if they fit.
std::vector<int> chosen_results(const Archive& archive, int most, Rng& rng) {
  std::vector<int> chosen;
  const int n = archive.size();
  const int best = n <= most ? n : most / 2;
  chosen.reserve(static_cast<std::size_t>(std::min(n, most)));
  for (int rank = 0; rank < best; ++rank) chosen.push_back(archive.at_rank(rank));
  if (best == n) return chosen;
  const std::vector<std::size_t> order = rng.permutation(static_cast<std::size_t>(n - best));
  for (int i = 0; i < most - best; ++i) {
    chosen.push_back(archive.at_rank(best + static_cast<int>(order[static_cast<std::size_t>(i)])));
  }
  return chosen;
}

}  // namespace

void bind(OptionBinder& b, VboGpOptions& o) {
  bind(b, o.vbo);
  bind(b, o.model);
  b.integer("gp_points", o.gp_points, 8, 2000,
            "results the Gaussian process looks at; its time grows with their cube");
  b.integer("gp_iterations", o.gp_iterations, 1, 1000,
            "steps of its hyper-parameter search per round");
}

GpJudge::GpJudge(Critics& critics, const Frame& frame, const Encoding& encoding,
                 const VboGpOptions& options, std::uint64_t seed)
    : critics_(critics),
      frame_(frame),
      model_options_(gp_options(encoding, options.model)),
      options_(options),
      seed_(seed) {
  model_options_.max_iterations = static_cast<int>(options.gp_iterations);
}

void GpJudge::learn(const Archive& archive, const Replay& replay, std::int64_t round) {
  Rng rng(seed_, "gp-results", static_cast<std::uint64_t>(round));
  const std::vector<int> chosen =
      chosen_results(archive, static_cast<int>(options_.gp_points), rng);
  Matrix X(archive.code(0).size(), static_cast<Eigen::Index>(chosen.size()));
  Vector z(X.cols());
  for (Eigen::Index i = 0; i < X.cols(); ++i) {
    const int index = chosen[static_cast<std::size_t>(i)];
    X.col(i) = archive.code(index);
    z[i] = -normal_quantile(replay.quantile(archive.shared_rank(index)));
  }
  if (model_) state_before_fit_ = model_->state();
  // Made anew, so that a fit depends on its data and this state alone.
  model_.emplace(model_options_);
  if (state_before_fit_.size() > 0) model_->set_state(state_before_fit_);
  model_->fit(X, z, Rng(seed_, "gp-fit", static_cast<std::uint64_t>(round)));
}

const Judgement& GpJudge::judge(nn::InputRef<float> X, double weight, int threads,
                                MatrixOf<float>* dX) {
  const bool explores = options_.replaces == GpTerm::exploration;
  const DecompositionWeights weights =
      explores ? DecompositionWeights{0.0, 0.0, 1.0} : DecompositionWeights{weight, weight, 0.0};
  set_judgement(dX ? critics_.evaluate(frame_, X, weights, threads, *dX)
                   : critics_.evaluate(frame_, X, weights, threads),
                weight, judgement_);
  const Eigen::Index N = X.cols();
  const auto posterior = model_->marginals(X.cast<double>());
  const Vector sigma = posterior->variance().cwiseMax(1e-12).cwiseSqrt();
  if (explores) {
    judgement_.names = {"exploitation", "gp_deviation"};
    judgement_.terms.conservativeResize(2, N);
    judgement_.terms.row(1) = (weight * sigma).cast<float>().transpose();
  } else {
    judgement_.terms.row(0) = posterior->mean().cast<float>().transpose();
    judgement_.exploitation = posterior->mean().mean();
  }
  judgement_.score = judgement_.terms.colwise().sum().transpose();
  if (!dX) return judgement_;
  // d mean_i / dX of weight sigma_i, with d sigma / d variance = 1 / (2 sigma), or of mu_i.
  const double share = 1.0 / static_cast<double>(N);
  const Vector zero = Vector::Zero(N);
  const Matrix slope = explores
                           ? posterior->pullback(zero, 0.5 * weight * share * sigma.cwiseInverse())
                           : posterior->pullback(Vector::Constant(N, share), zero);
  *dX += slope.cast<float>();
  return judgement_;
}

void GpJudge::write(StateWriter& out) const { out.put(state_before_fit_); }

void GpJudge::read(StateReader& in) {
  state_before_fit_ = in.get_vector();
  model_.reset();
}

}  // namespace vbo
