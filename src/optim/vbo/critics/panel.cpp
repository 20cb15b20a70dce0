// SPDX-License-Identifier: MIT
#include "optim/vbo/critics/panel.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

namespace vbo {
namespace {

using Eigen::Index;

// A mixture with a little of the marginal, so that no result is impossible.
double log_ratio(double p, double m) {
  return std::log(((1.0 - Tuning::doubt) * p + Tuning::doubt * m) / m);
}

Vector prior_of(const std::vector<Critic*>& critics, const Critic* gp) {
  Vector prior = Vector::Constant(std::ssize(critics) + 1, Tuning::panel_prior);
  for (std::size_t k = 0; k < critics.size(); ++k) {
    if (critics[k] == gp) prior[static_cast<Index>(k)] = Tuning::panel_prior_gp;
  }
  return prior;
}

template <class T>
std::vector<Critic*> present(Critic& first, const std::unique_ptr<GpCritic>& gp,
                             const std::unique_ptr<T>& quadratic) {
  std::vector<Critic*> critics{&first};
  if (gp) critics.push_back(gp.get());
  if (quadratic) critics.push_back(quadratic.get());
  return critics;
}

std::unique_ptr<GpCritic> gp_critic(const Encoding& encoding, const LocalCoordinates& coordinates,
                                    const VboGpOptions& options, std::uint64_t seed) {
  const bool wanted =
      options.vbo.gp_points > 0 && std::ssize(encoding.blocks()) <= Tuning::gp_most_parameters;
  if (encoding.dimension() == 0 || (options.role == GpRole::assists && !wanted)) return nullptr;
  return std::make_unique<GpCritic>(encoding, coordinates, options.vbo, seed);
}

}  // namespace

void bind(OptionBinder& b, VboGpOptions& o) { bind(b, o.vbo); }

VboGpOptions vbo_ablation(GpRole role) {
  VboGpOptions options{.role = role};
  options.vbo.beta = 0.02;
  return options;
}

Panel::Panel(Networks& networks, const LocalCoordinates& coordinates, const Encoding& encoding,
             const VboGpOptions& options, const OptimizerOptions& common)
    : options_(options),
      networks_(networks),
      coordinates_(coordinates),
      network_(networks, coordinates, static_cast<int>(options.vbo.critic_steps)),
      gp_(gp_critic(encoding, coordinates, options, common.seed)),
      quadratic_(options.vbo.quadratic && coordinates.numeric() > 0
                     ? std::make_unique<QuadraticCritic>(encoding, coordinates, scale_)
                     : nullptr),
      critics_(present(network_, gp_, quadratic_)),
      weights_(prior_of(critics_, gp_.get()), Tuning::panel_memory) {}

double Panel::weight(std::string_view name) const {
  for (std::size_t k = 0; k < critics_.size(); ++k) {
    if (critics_[k]->name() == name) return weights_.weights()[static_cast<Index>(k)];
  }
  return 0.0;
}

// ---- a round ------------------------------------------------------------------------------------

Panel::Predictions Panel::predictions(ConstMatrixRef X, int threads) const {
  Predictions predicted{{}, Matrix::Zero(std::ssize(critics_) + 1, X.cols())};
  predicted.covered.bottomRows(1).setOnes();
  for (std::size_t k = 0; k < critics_.size(); ++k) {
    const Critic& critic = *critics_[k];
    predicted.of_critic.emplace_back();
    if (!critic.is_fitted()) continue;
    predicted.of_critic.back() = critic.predict(levels_, X, threads);
    const std::vector<bool> covers = critic.covers(X);
    for (Index i = 0; i < X.cols(); ++i) {
      const bool usable =
          covers[static_cast<std::size_t>(i)] && predicted.of_critic.back().col(i).allFinite();
      predicted.covered(static_cast<Index>(k), i) = usable ? 1.0 : 0.0;
    }
  }
  return predicted;
}

Matrix Panel::mixture(const Predictions& predicted) const {
  const Vector& w = weights_.weights();
  const Index K = std::ssize(critics_), N = predicted.covered.cols();
  Matrix P(levels_.size(), N);
  for (Index i = 0; i < N; ++i) {
    double sum = w[K];
    P.col(i) = w[K] * levels_.mass();
    for (Index k = 0; k < K; ++k) {
      if (predicted.covered(k, i) == 0.0) continue;
      P.col(i) += w[k] * predicted.of_critic[static_cast<std::size_t>(k)].col(i);
      sum += w[k];
    }
    P.col(i) /= sum;
  }
  return P;
}

Matrix Panel::examine(ConstMatrixRef X, std::span<const int> levels, int threads) {
  const Predictions predicted = predictions(X, threads);
  Matrix before = mixture(predicted);
  const Index K = std::ssize(critics_);
  Matrix T = Matrix::Zero(K + 1, X.cols());  // 0 is the marginal's
  for (Index i = 0; i < X.cols(); ++i) {
    const int level = levels[static_cast<std::size_t>(i)];
    for (Index k = 0; k < K; ++k) {
      T(k, i) = predicted.covered(k, i) == 0.0
                    ? PanelWeights::kNotCovered
                    : log_ratio(predicted.of_critic[static_cast<std::size_t>(k)](level, i),
                                levels_.mass()[level]);
    }
  }
  weights_.learn(T);
  return before;
}

Learning Panel::learning(const Archive& archive, const Replay& replay, std::int64_t round,
                         Scope scope) {
  Learning all;
  std::vector<std::function<void()>> conclusions;
  for (auto critic = critics_.rbegin(); critic != critics_.rend(); ++critic) {  // longest first
    if (scope == Scope::not_stored && (*critic)->is_stored()) continue;
    Learning one = (*critic)->learning(archive, replay, round);
    std::ranges::move(one.pieces, std::back_inserter(all.pieces));
    conclusions.push_back(std::move(one.conclude));
  }
  all.conclude = [this, &archive, replay, conclusions = std::move(conclusions)] {
    for (const auto& conclude : conclusions) conclude();
    levels_ = OutcomeLevels(archive, replay, static_cast<int>(networks_.levels().size()));
    scale_ = OutcomeScale(levels_, gp_ && gp_->is_fitted() ? gp_->scale() : TargetScale{});
  };
  return all;
}

void Panel::learn(const Archive& archive, const Replay& replay, std::int64_t round, int threads) {
  const Learning work = learning(archive, replay, round, Scope::not_stored);
  side_by_side(threads, work.pieces);
  work.conclude();
}

// ---- predicting ---------------------------------------------------------------------------------

Matrix Panel::forecast(ConstMatrixRef X, int threads) const {
  return mixture(predictions(X, threads));
}

std::vector<bool> Panel::knows(ConstMatrixRef X) const {
  return gp_ && gp_->is_fitted() ? gp_->covers(X) : network_.covers(X);
}

// Of the critics in the expected outcome at X (K,N): columns add up to one.
Matrix Panel::shares(ConstMatrixRef X) const {
  Matrix shares = Matrix::Zero(std::ssize(critics_), X.cols());
  for (Index k = 0; k < shares.rows(); ++k) {
    const Critic& critic = *critics_[static_cast<std::size_t>(k)];
    if (!critic.is_fitted()) continue;
    const bool alone = options_.role == GpRole::exploits && gp_ && gp_->is_fitted();
    if (alone && &critic != gp_.get()) continue;
    const std::vector<bool> covers =
        alone ? network_.covers(X) : critic.covers(X);  // alone it has to predict everywhere
    for (Index i = 0; i < X.cols(); ++i) {
      if (covers[static_cast<std::size_t>(i)]) shares(k, i) = weights_.weights()[k];
    }
  }
  const Vector sums = shares.colwise().sum().transpose();
  return shares * sums.cwiseInverse().asDiagonal();
}

// `sum` (N), and the slope (D,N) where it is not null, plus the shares of all critics but the
// networks.
Vector Panel::add_means(ConstMatrixRef X, const Matrix& shares, Vector sum, int threads,
                        Matrix* slope) const {
  for (std::size_t k = 1; k < critics_.size(); ++k) {
    const auto row = shares.row(static_cast<Index>(k));
    if (row.maxCoeff() == 0.0) continue;
    Matrix own;
    const Vector mean = critics_[k]->mean(X, threads, slope ? &own : nullptr);
    for (Index i = 0; i < X.cols(); ++i) {
      if (row[i] == 0.0) continue;
      sum[i] += row[i] * mean[i];
      if (slope) slope->col(i) += row[i] * own.col(i);
    }
  }
  return sum;
}

Vector Panel::expected(ConstMatrixRef X, int threads) const {
  const Matrix share = shares(X);
  Vector sum = Vector::Zero(X.cols());
  if (share.row(0).maxCoeff() > 0.0) {
    sum = share.row(0).transpose().cwiseProduct(network_.mean(X, threads, nullptr));
  }
  return add_means(X, share, std::move(sum), threads, nullptr);
}

// d mean(score) / dX: that of the information comes from the networks as it is, that of the
// expected outcome by the shares of each input.
const Assessment& Panel::assess(nn::InputRef<float> X, double weight, int threads,
                                Workspace& workspace, MatrixOf<float>* dX) const {
  const bool explores = options_.role == GpRole::explores && gp_ && gp_->is_fitted();
  const double information = explores ? 0.0 : weight;
  const Matrix inputs = X.cast<double>();
  const auto N = static_cast<double>(X.cols());
  const Matrix share = shares(inputs);
  Assessment& assessment = workspace.assessment;
  Matrix slope;  // of the expected outcome (D,N)
  if (dX) {
    Networks::Workspace of_mean;
    MatrixOf<float> networks;
    networks_.evaluate(coordinates_, X, {0.0, 0.0, 1.0}, threads, of_mean, networks);
    slope = N * networks.cast<double>() * share.row(0).asDiagonal();
    set_assessment(networks_.evaluate(coordinates_, X, {information, information, 0.0}, threads,
                                      workspace.networks, *dX),
                   weight, assessment);
  } else {
    set_assessment(networks_.evaluate(coordinates_, X, {information, information, 1.0}, threads,
                                      workspace.networks),
                   weight, assessment);
  }
  const Vector own = assessment.terms.row(0).transpose().cast<double>();
  const Vector expected = add_means(inputs, share, share.row(0).transpose().cwiseProduct(own),
                                    threads, dX ? &slope : nullptr);
  assessment.terms.row(0) = expected.cast<float>().transpose();
  assessment.exploitation = expected.mean();
  if (explores) {
    Matrix of_deviation;
    const Vector sigma = gp_->deviation(inputs, dX ? &of_deviation : nullptr);
    assessment.meanings = {&kExpectedOutcome, &kGpDeviation};
    assessment.terms.conservativeResize(2, X.cols());
    assessment.terms.row(1) = sigma.cast<float>().transpose();
    if (dX) slope += weight * of_deviation;
  }
  if (dX) *dX += (slope / N).cast<float>();
  add_up(assessment);
  return assessment;
}

// Its weight among the models that cover the whole box: the quadratic one says nothing against
// exploring by expected improvement.
GpMember Panel::gp_member() const {
  if (!gp_) return {};
  if (options_.role == GpRole::exploits) return gp_->member(1.0);
  const double own = weight(gp_->name());
  return gp_->member(own / (own + weight(network_.name())));
}

void Panel::write(StateWriter& out) const {
  for (const Critic* critic : critics_) critic->write(out);
  weights_.write(out);
}

void Panel::read(StateReader& in) {
  for (Critic* critic : critics_) critic->read(in);
  weights_.read(in);
}

}  // namespace vbo
