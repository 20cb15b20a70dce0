// SPDX-License-Identifier: MIT
#include "optim/vbo_paper/gp_term.hpp"

#include <algorithm>
#include <numeric>

namespace vbo {
namespace {

constexpr double kLeastTermVariance = 1e-12;

// Columns of the best half and a random half of the rest, in their order of arrival; all if they
// fit.
std::vector<Eigen::Index> chosen(const VectorOf<float>& y, Eigen::Index most, Rng& rng) {
  std::vector<Eigen::Index> columns(static_cast<std::size_t>(y.size()));
  std::iota(columns.begin(), columns.end(), 0);
  if (y.size() <= most) return columns;
  std::stable_sort(columns.begin(), columns.end(),
                   [&](Eigen::Index a, Eigen::Index b) { return y[a] > y[b]; });
  rng.shuffle(std::span(columns).subspan(static_cast<std::size_t>(most / 2)));
  columns.resize(static_cast<std::size_t>(most));
  std::sort(columns.begin(), columns.end());
  return columns;
}

}  // namespace

GpReplacement::GpReplacement(const Encoding& encoding, const VboPaperGpOptions& options,
                             const OptimizerOptions& common)
    : options_(options), model_options_(gp_options(encoding, options.model)), seed_(common.seed) {
  model_options_.threads = common.threads;
  model_options_.max_iterations = static_cast<int>(options.gp_iterations);
}

void GpReplacement::learn(const Histories& histories, std::int64_t round) {
  state_before_fit_ = state_;
  learn_again(histories, round);
}

void GpReplacement::learn_again(const Histories& histories, std::int64_t round) {
  Rng rng(seed_, "gp-results", static_cast<std::uint64_t>(round));
  const std::vector<Eigen::Index> columns = chosen(histories.y, options_.gp_points, rng);
  model_.emplace(model_options_);  // anew: a fit depends on its data and this state alone
  if (state_before_fit_.size() > 0) model_->set_state(state_before_fit_);
  model_->fit(histories.X(Eigen::all, columns).cast<double>(), histories.y(columns).cast<double>(),
              Rng(seed_, "gp-fit", static_cast<std::uint64_t>(round)));
  state_ = model_->state();
}

VectorOf<float> GpReplacement::mean(nn::InputRef<float> X, MatrixOf<float>* dX) const {
  const Matrix inputs = X.cast<double>();
  if (dX) {
    const Vector share = Vector::Constant(X.cols(), 1.0 / static_cast<double>(X.cols()));
    *dX += model_->regression().mean_slope(inputs, share).cast<float>();
  }
  return model_->regression().mean(inputs).cast<float>();
}

// d sigma / d variance = 1 / (2 sigma)
VectorOf<float> GpReplacement::deviation(nn::InputRef<float> X, double weight,
                                         MatrixOf<float>* dX) const {
  const auto posterior = model_->marginals(X.cast<double>());
  const Vector sigma = posterior->variance().cwiseMax(kLeastTermVariance).cwiseSqrt();
  if (dX) {
    const Vector d_variance = (0.5 * weight / static_cast<double>(X.cols())) * sigma.cwiseInverse();
    *dX += posterior->pullback(Vector::Zero(X.cols()), d_variance).cast<float>();
  }
  return sigma.cast<float>();
}

void GpReplacement::write(StateWriter& out) const { out.put(state_before_fit_); }

void GpReplacement::read(StateReader& in) {
  state_before_fit_ = in.get_numbers(StateReader::kInfinity);
  if (!GaussianProcess(model_options_).set_state(state_before_fit_)) in.fail();
}

}  // namespace vbo
