// SPDX-License-Identifier: MIT
#include "optim/vbo/critics/panel.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <memory>

#include "core/normal.hpp"
#include "optim/vbo/constants.hpp"

namespace vbo {
namespace {

constexpr double kFailedOutcome = -std::numeric_limits<double>::infinity();

// work(first, count) for N points in pieces of at most `block`.
std::vector<std::function<void()>> in_blocks(
    Eigen::Index N, Eigen::Index block,
    const std::function<void(Eigen::Index first, Eigen::Index count)>& work) {
  std::vector<std::function<void()>> pieces;
  for (Eigen::Index from = 0; from < N; from += block) {
    pieces.emplace_back([=] { work(from, std::min(block, N - from)); });
  }
  return pieces;
}

// Share of b in the least-squares fit z ~ c + alpha a + beta b with alpha, beta >= 0; nothing when
// neither helps.
std::optional<double> share_of_second(Vector a, Vector b, Vector z) {
  for (Vector* v : {&a, &b, &z}) v->array() -= v->mean();
  const double aa = a.squaredNorm(), bb = b.squaredNorm(), ab = a.dot(b);
  const double az = a.dot(z), bz = b.dot(z);
  const double det = aa * bb - ab * ab;
  const bool solvable = det > 1e-9 * aa * bb;
  double alpha = solvable ? (bb * az - ab * bz) / det : 0.0;
  double beta = solvable ? (aa * bz - ab * az) / det : 0.0;
  if (alpha < 0.0 || beta < 0.0) {  // then the better of the two alone
    const double of_a = aa > 0.0 ? std::max(0.0, az) * az / aa : 0.0;  // squares explained
    const double of_b = bb > 0.0 ? std::max(0.0, bz) * bz / bb : 0.0;
    alpha = of_a > of_b ? az / aa : 0.0;
    beta = of_b > of_a ? bz / bb : 0.0;
  }
  if (alpha + beta <= 0.0 || !std::isfinite(alpha + beta)) return std::nullopt;
  return beta / (alpha + beta);
}

}  // namespace

void bind(OptionBinder& b, VboGpOptions& o) { bind(b, o.vbo); }

VboGpOptions vbo_ablation(GpRole role) {
  VboGpOptions options{.role = role};
  options.vbo.beta = 0.02;
  return options;
}

SurrogatePanel::SurrogatePanel(const Critics& critics, const LocalCoordinates& coordinates,
                               const Encoding& encoding, const VboGpOptions& options,
                               const OptimizerOptions& common)
    : critics_(critics),
      coordinates_(coordinates),
      model_options_(gp_options(encoding, options.model)),
      options_(options),
      seed_(common.seed) {}

double SurrogatePanel::gp_weight() const {
  if (options_.role == GpRole::exploits) return 1.0;
  return model_ ? weight_ : 0.0;
}

// Near the search the GP is fitted to its window alone: results of mutations far away are no test
// of it. While it is skipped the critics are tested on the whole box.
std::vector<bool> SurrogatePanel::knows(ConstMatrixRef X) const {
  if (!model_) return SearchSurrogate::knows(X);
  const Vector distances = view_.distance(X);
  std::vector<bool> known;
  for (const double distance : distances) known.push_back(distance <= Tuning::near_radius);
  return known;
}

// On codes in double precision, in which improvements are searched; the surrogate is asked in
// single precision, which matters to a search narrower than 1e-7 of the box.
void SurrogatePanel::examine(const Archive& archive, const Replay& replay,
                             const std::vector<int>& fresh, int threads) {
  if (!model_) return;
  std::vector<int> known;
  std::ranges::copy_if(fresh, std::back_inserter(known), [&](int i) {
    return archive.value(i) > kFailedOutcome && knows(archive.code(i))[0];
  });
  if (known.empty()) return;
  const TrainingSubset results = training_subset(archive, replay, known);
  const Eigen::Index before = held_out_.cols();
  held_out_.conservativeResize(3, before + results.z.size());
  auto added = held_out_.rightCols(results.z.size());
  added.row(0) =
      critics_
          .evaluate(coordinates_, results.X.cast<float>(), {0.0, 0.0}, threads, workspace_.critics)
          .mean.cast<double>()
          .transpose();
  added.row(1) = model_->regression().mean(view_(results.X)).transpose();
  for (Eigen::Index i = 0; i < results.z.size(); ++i) {
    added(2, i) = scale_.target(results.outcomes[i], results.z[i]);
  }
  if (held_out_.cols() < Tuning::gp_fewest_fresh) return;  // batches may be small
  const auto share = share_of_second(held_out_.row(0), held_out_.row(1), held_out_.row(2));
  held_out_.resize(3, 0);
  if (share)
    weight_ = Tuning::gp_weight_memory * weight_ + (1.0 - Tuning::gp_weight_memory) * *share;
}

// Fits to results under several warps.
struct SurrogatePanel::Fits {
  TrainingSubset subset;
  std::vector<int> warps;
  std::vector<std::optional<Fit>> of_warp;
};

// The results near the search to learn from, once there are more than the GP can learn from;
// none while the best one lies elsewhere or too few that differ from it are near: then the whole
// box is what it is fitted to. The window follows.
std::vector<int> SurrogatePanel::look_nearby(const Archive& archive, int most) {
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

Learning SurrogatePanel::learning(const Archive& archive, const Replay& replay,
                                  std::int64_t round) {
  near_before_fit_ = view_.is_near();
  state_before_fit_ = state_;
  warp_before_fit_ = warp_;
  model_.reset();
  if (options_.role == GpRole::assists && weight_ < Tuning::gp_idle_weight &&
      round % Tuning::gp_idle_rounds != 0)
    return {};
  const auto most = static_cast<int>(std::max(options_.vbo.gp_points, Tuning::gp_fewest_points));
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

void SurrogatePanel::take_best(Fits& fits) {
  const auto best = std::ranges::max_element(  // the first of equals
      fits.of_warp, [](const auto& a, const auto& b) { return a->likelihood < b->likelihood; });
  warp_ = fits.warps[static_cast<std::size_t>(best - fits.of_warp.begin())];
  model_.emplace(std::move((*best)->model));
  scale_ = (*best)->scale;
  best_ = (*best)->best;
  state_ = model_->state();
  noise_variance_ = model_->noise_variance();
}

// Made anew, so that a fit depends on its data and the state before it alone. The likelihood of
// outcomes y with targets v: that of the standardized targets, times dv/dy over their deviation;
// where ranks are kept dv/dy is the same for all bends.
SurrogatePanel::Fit SurrogatePanel::fitted(const TrainingSubset& subset, int warp,
                                           std::int64_t round, int threads) const {
  const Eigen::Index N = subset.z.size();
  GpOptions options = model_options_;
  options.threads = threads;
  const double fewer = static_cast<double>(options_.vbo.gp_points) / static_cast<double>(N);
  options.max_iterations =
      static_cast<int>(std::lround(static_cast<double>(options_.vbo.gp_iterations) *
                                   std::clamp(fewer, 1.0, Tuning::gp_more_iterations)));
  options.hill = view_.quadratic_mean();
  Fit fit{GaussianProcess(options), target_scale(subset, warp), 0.0, 0.0};
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
  const double deviation = std::sqrt((targets.array() - targets.mean()).square().mean());
  const Matrix U = view_(subset.X);
  const FitReport report =
      fit.model.fit(U, targets, Rng(seed_, "gp-fit", static_cast<std::uint64_t>(round)));
  fit.best = fit.model.regression().mean(U).maxCoeff();
  fit.likelihood =
      report.objective + slopes - static_cast<double>(N) * std::log(std::max(deviation, 1e-300));
  return fit;
}

GpMember SurrogatePanel::gp_member() const {
  if (!model_) return {};
  return {&model_->regression(), best_, gp_weight(), &view_};
}

const Assessment& SurrogatePanel::assess(nn::InputRef<float> X, double weight, int threads,
                                         Workspace& workspace, MatrixOf<float>* dX) const {
  const bool explores = options_.role == GpRole::explores;
  const double w = gp_weight();
  const double information = explores ? 0.0 : weight;
  const DecompositionWeights weights{information, information, 1.0 - w};
  const Eigen::Index N = X.cols();
  const double share = 1.0 / static_cast<double>(N);
  const Matrix inputs = X.cast<double>();
  // The GP in blocks, beside the critics: its means, and where asked for their slopes.
  const Eigen::Index block = dX ? Tuning::gp_slope_block : Tuning::gp_mean_block;
  Vector mu(model_ ? N : 0);
  Matrix slope(X.rows(), dX ? mu.size() : 0);
  const auto gp_blocks = in_blocks(mu.size(), block, [&](Eigen::Index from, Eigen::Index count) {
    const Matrix U = view_(inputs.middleCols(from, count));
    mu.segment(from, count) = model_->regression().mean(U);
    if (!dX) return;
    slope.middleCols(from, count) =
        view_.pullback(model_->regression().mean_slope(U, Vector::Constant(count, w * share)));
  });
  Assessment& assessment = workspace.assessment;
  set_assessment(
      dX ? critics_.evaluate(coordinates_, X, weights, threads, workspace.critics, *dX, gp_blocks)
         : critics_.evaluate(coordinates_, X, weights, threads, workspace.critics, gp_blocks),
      weight, assessment);
  if (!model_) return assessment;
  assessment.terms.row(0) *= static_cast<float>(1.0 - w);
  assessment.terms.row(0) += (w * mu).cast<float>().transpose();
  assessment.exploitation = assessment.terms.row(0).cast<double>().mean();
  if (dX) *dX += slope.cast<float>();
  if (explores) explore(inputs, weight, assessment, dX);
  add_up(assessment);
  return assessment;
}

// (1 - w) critics + w GP, whose normal distribution is cut at the levels' edges; the critics
// alone outside its window.
Matrix SurrogatePanel::forecast(const OutcomeLevels& levels, nn::InputRef<float> X, int threads) {
  const bool has_gp = model_ && gp_weight() > 0.0;
  Vector mean(has_gp ? X.cols() : 0), variance(mean.size());
  const auto gp_blocks =
      in_blocks(mean.size(), Tuning::gp_variance_block, [&](Eigen::Index from, Eigen::Index count) {
        const auto p = model_->marginals(view_(X.middleCols(from, count).cast<double>()));
        mean.segment(from, count) = p->mean();
        variance.segment(from, count) = p->variance();
      });
  Matrix P = levels.merged(
      critics_.evaluate(coordinates_, X, {}, threads, workspace_.critics, gp_blocks).predictive);
  if (!has_gp) return P;
  Vector edges(levels.edges().size());
  double below = 0.0;  // mass
  for (Eigen::Index g = 0; g < edges.size(); ++g) {
    below += levels.mass()[g];
    edges[g] = scale_.target(levels.edges()[g], normal_quantile(below));
  }
  const double w = gp_weight();
  const std::vector<bool> known = knows(X.cast<double>());
  for (Eigen::Index i = 0; i < X.cols(); ++i) {
    if (!known[static_cast<std::size_t>(i)]) continue;
    const double sigma = std::sqrt(variance[i] + model_->noise_variance());
    double left = 0.0;
    P.col(i) *= 1.0 - w;
    for (Eigen::Index g = 0; g < P.rows(); ++g) {
      const double right =
          g < edges.size() ? 0.5 * std::erfc((mean[i] - edges[g]) / (sigma * std::sqrt(2.0))) : 1.0;
      P(g, i) += w * std::max(0.0, right - left);
      left = std::max(left, right);
    }
  }
  return P;
}

// The second term becomes sigma_i; d sigma / d variance = 1 / (2 sigma).
void SurrogatePanel::explore(ConstMatrixRef X, double weight, Assessment& assessment,
                             MatrixOf<float>* dX) const {
  const Eigen::Index N = X.cols();
  const auto posterior = model_->marginals(view_(X));
  const Vector sigma = posterior->variance().cwiseMax(1e-12).cwiseSqrt();
  assessment.meanings = {&kExpectedOutcome, &kGpDeviation};
  assessment.terms.conservativeResize(2, N);
  assessment.terms.row(1) = sigma.cast<float>().transpose();
  if (!dX) return;
  const Vector d_variance = (0.5 * weight / static_cast<double>(N)) * sigma.cwiseInverse();
  *dX += view_.pullback(posterior->pullback(Vector::Zero(N), d_variance)).cast<float>();
}

void SurrogatePanel::write(StateWriter& out) const {
  out.put(state_before_fit_).put(warp_before_fit_).put<std::uint8_t>(near_before_fit_);
  out.put(weight_).put(noise_variance_).put(held_out_);
}

void SurrogatePanel::read(StateReader& in) {
  constexpr double largest = 1e30;  // outcomes in normal scores and their like
  state_ = in.get_numbers(largest);
  if (!GaussianProcess(model_options_).set_state(state_)) return in.fail();
  warp_ = in.get_count(Warp::count - 1);
  const bool near = in.get_flag();
  if (near && coordinates_.numeric() == 0) return in.fail();
  view_ = near ? GpWindow(coordinates_, model_options_.input_scale.size()) : GpWindow();
  weight_ = in.get_number(0.0, 1.0);
  noise_variance_ = in.get_number(0.0, largest);
  held_out_ = in.get_columns(3, Tuning::gp_fewest_fresh - 1, largest);
  model_.reset();
}

}  // namespace vbo
