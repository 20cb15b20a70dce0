// SPDX-License-Identifier: MIT
#include "optim/vbo/gp_judge.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <memory>
#include <set>

#include "core/normal.hpp"
#include "optim/vbo/constants.hpp"

namespace vbo {
namespace {

constexpr double kFailedOutcome = -std::numeric_limits<double>::infinity();

// Half of the points are the best results, the rest a sample of all others; all if they fit.
// Failures, and infeasible results once enough are feasible, are left to the models of success and
// of the limits (failures.hpp): a cliff at the border would be taken for the shape of the whole
// function.
std::vector<int> chosen_results(const Archive& archive, int most, Rng& rng) {
  const int n = archive.feasible() >= Tuning::gp_fewest_feasible ? archive.feasible()
                : archive.succeeded() > 0                        ? archive.succeeded()
                                                                 : archive.size();
  const int best = n <= most ? n : most / 2;
  std::set<int> ranks;  // of the others
  while (best < n && static_cast<int>(ranks.size()) < most - best) {
    ranks.insert(best + static_cast<int>(rng.below(static_cast<std::uint64_t>(n - best))));
  }
  std::vector<int> chosen;
  chosen.reserve(static_cast<std::size_t>(best) + ranks.size());
  for (int rank = 0; rank < best; ++rank) chosen.push_back(archive.at_rank(rank));
  for (const int rank : ranks) chosen.push_back(archive.at_rank(rank));
  return chosen;
}

// The lowest of the chosen outcomes that is neither infeasible nor an outlier: too far below the
// median, measured by how far the best is above it.
double lowest_usual(const Archive& archive, const Vector& outcomes) {
  std::vector<double> values;
  std::ranges::copy_if(outcomes, std::back_inserter(values),
                       [&](double value) { return archive.is_feasible(value); });
  if (values.empty()) return std::numeric_limits<double>::infinity();
  const auto middle = values.begin() + std::ssize(values) / 2;
  std::nth_element(values.begin(), middle, values.end());
  const double median = *middle, best = *std::max_element(middle, values.end());
  const double far = median - Tuning::gp_outlier * (best - median);
  double lowest = median;
  for (const double value : values) {
    if (!(value < far)) lowest = std::min(lowest, value);  // not a number: none is far
  }
  return lowest;
}

Lesson lesson_of(const Archive& archive, const Replay& replay, const std::vector<int>& indices) {
  const auto N = static_cast<Eigen::Index>(indices.size());
  Lesson lesson{Matrix(archive.code(0).size(), N), Vector(N), Vector(N), 0.0};
  for (Eigen::Index i = 0; i < N; ++i) {
    const int index = indices[static_cast<std::size_t>(i)];
    lesson.X.col(i) = archive.code(index);
    lesson.z[i] = -normal_quantile(replay.quantile(archive.shared_rank(index)));
    lesson.outcomes[i] = archive.value(index);
  }
  lesson.bar = lowest_usual(archive, lesson.outcomes);
  return lesson;
}

// What the process learns. Ranks squeeze the best results together, whose distances say most about
// where the optimum is, and hide that effects of categories add up. Hence outcomes above a bar y_b
// keep their values, bent by a map W (warp.hpp), on the scale of their scores z:
//   t + s (W(y) - W(y_b)),   s^2 = sum (z - t)^2 / sum (W(y) - W(y_b))^2.
// Outliers below the bar are better off with ranks, and so are infeasible results, whose values
// cannot be compared with the others'. t is the highest score that keeps its rank: many failures or
// ties share one. An outlier above squeezes the other results; then the critics, who see ranks,
// predict better and get the weight.
TargetScale target_scale(const Lesson& lesson, int warp) {
  const Vector &z = lesson.z, &y = lesson.outcomes;
  const double bar = lesson.bar;
  double t = z.minCoeff();
  std::vector<double> above{bar};
  for (Eigen::Index i = 0; i < z.size(); ++i) {
    if (y[i] > bar) above.push_back(y[i]);
    if (y[i] <= bar) t = std::max(t, z[i]);
  }
  TargetScale scale{
      bar, t, Warp::choice(warp, Eigen::Map<const Vector>(above.data(), std::ssize(above))), 0.0};
  double of_scores = 0.0, of_values = 0.0;  // sums of squares
  for (Eigen::Index i = 0; i < z.size(); ++i) {
    if (y[i] <= bar) continue;
    of_scores += std::pow(std::max(z[i] - t, 0.0), 2.0);
    of_values += std::pow(scale.warp(y[i]) - scale.warp(bar), 2.0);
  }
  const bool usable = of_values > 0.0 && std::isfinite(of_values);
  if (usable) scale.slope = std::sqrt(of_scores / of_values);
  return scale;
}

bool keeps_its_value(const TargetScale& scale, double outcome) {
  return scale.slope > 0.0 && outcome > scale.bar;
}

// Of an outcome whose rank gives the normal score z.
double target(const TargetScale& scale, double outcome, double z) {
  if (!keeps_its_value(scale, outcome)) return z;
  return scale.floor + scale.slope * (scale.warp(outcome) - scale.warp(scale.bar));
}

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

void bind(OptionBinder& b, VboGpOptions& o) {
  bind(b, o.vbo);
  bind(b, o.model);
}

VboGpOptions vbo_ablation(GpRole role) {
  VboGpOptions options{.role = role};
  options.vbo.beta = 0.02;
  return options;
}

GpJudge::GpJudge(const Critics& critics, const Frame& frame, const Encoding& encoding,
                 const VboGpOptions& options, const OptimizerOptions& common)
    : critics_(critics),
      frame_(frame),
      model_options_(gp_options(encoding, options.model)),
      options_(options),
      seed_(common.seed) {}

double GpJudge::gp_weight() const {
  if (options_.role == GpRole::exploits) return 1.0;
  return model_ ? weight_ : 0.0;
}

void GpJudge::examine(const Archive& archive, const Replay& replay, const std::vector<int>& fresh,
                      int threads) {
  std::vector<int> known;
  std::ranges::copy_if(fresh, std::back_inserter(known),
                       [&](int i) { return archive.value(i) > kFailedOutcome; });
  if (!model_ || known.empty()) return;
  const Lesson results = lesson_of(archive, replay, known);
  const Eigen::Index before = held_out_.cols();
  held_out_.conservativeResize(3, before + results.z.size());
  auto added = held_out_.rightCols(results.z.size());
  added.row(0) =
      critics_.evaluate(frame_, results.X.cast<float>(), {0.0, 0.0}, threads, room_.critics)
          .mean.cast<double>()
          .transpose();
  added.row(1) = model_->regression().mean(results.X).transpose();
  for (Eigen::Index i = 0; i < results.z.size(); ++i) {
    added(2, i) = target(scale_, results.outcomes[i], results.z[i]);
  }
  if (held_out_.cols() < Tuning::gp_fewest_fresh) return;  // batches may be small
  const auto share = share_of_second(held_out_.row(0), held_out_.row(1), held_out_.row(2));
  held_out_.resize(3, 0);
  if (share)
    weight_ = Tuning::gp_weight_memory * weight_ + (1.0 - Tuning::gp_weight_memory) * *share;
}

// Results seen through several bends, and what the process makes of each.
struct GpJudge::Fits {
  Lesson lesson;
  std::vector<int> warps;
  std::vector<std::optional<Fit>> of_warp;
};

Learning GpJudge::learning(const Archive& archive, const Replay& replay, std::int64_t round) {
  state_before_fit_ = state_;
  warp_before_fit_ = warp_;
  model_.reset();
  if (options_.role == GpRole::assists && weight_ < Tuning::gp_idle_weight &&
      round % Tuning::gp_idle_rounds != 0)
    return {};
  Rng rng(seed_, "gp-results", static_cast<std::uint64_t>(round));
  const auto most = static_cast<int>(std::max(options_.vbo.gp_points, Tuning::gp_fewest_points));
  std::vector<int> warps{static_cast<int>(warp_)};  // all of them once, then a neighbour a round
  if (state_before_fit_.size() == 0) {
    for (int warp = 0; warp < Warp::count; ++warp) {
      if (warp != warp_) warps.push_back(warp);
    }
  } else if (const auto next = Warp::neighbour(warps[0], round % 2 == 0 ? -1 : 1)) {
    warps.push_back(*next);
  }
  const auto fits = std::make_shared<Fits>(
      Fits{lesson_of(archive, replay, chosen_results(archive, most, rng)), std::move(warps), {}});
  fits->of_warp.resize(fits->warps.size());
  Learning work;
  for (std::size_t k = 0; k < fits->warps.size(); ++k) {
    work.pieces.push_back({[this, fits, k, round](int threads) {
                             fits->of_warp[k] =
                                 fitted(fits->lesson, fits->warps[k], round, threads);
                           },
                           Piece::any});
  }
  work.conclude = [this, fits] { take_best(*fits); };
  return work;
}

void GpJudge::take_best(Fits& fits) {
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
GpJudge::Fit GpJudge::fitted(const Lesson& lesson, int warp, std::int64_t round,
                             int threads) const {
  const Eigen::Index N = lesson.z.size();
  GpOptions options = model_options_;
  options.threads = threads;
  const double fewer = static_cast<double>(options_.vbo.gp_points) / static_cast<double>(N);
  options.max_iterations =
      static_cast<int>(std::lround(static_cast<double>(options_.vbo.gp_iterations) *
                                   std::clamp(fewer, 1.0, Tuning::gp_more_iterations)));
  Fit fit{GaussianProcess(options), target_scale(lesson, warp), 0.0, 0.0};
  if (state_before_fit_.size() > 0) fit.model.set_state(state_before_fit_);
  Vector targets(N);
  double slopes = 0.0;  // sum of log dv/dy
  for (Eigen::Index i = 0; i < N; ++i) {
    const double outcome = lesson.outcomes[i];
    targets[i] = target(fit.scale, outcome, lesson.z[i]);
    if (!keeps_its_value(fit.scale, outcome)) continue;
    slopes += fit.scale.warp.log_slope(outcome) + std::log(fit.scale.slope / fit.scale.warp.range);
  }
  const double deviation = std::sqrt((targets.array() - targets.mean()).square().mean());
  const FitReport report =
      fit.model.fit(lesson.X, targets, Rng(seed_, "gp-fit", static_cast<std::uint64_t>(round)));
  fit.best = fit.model.regression().mean(lesson.X).maxCoeff();
  fit.likelihood =
      report.objective + slopes - static_cast<double>(N) * std::log(std::max(deviation, 1e-300));
  return fit;
}

Process GpJudge::process() const {
  if (!model_) return {};
  return {&model_->regression(), best_, gp_weight()};
}

const Judgement& GpJudge::judge(nn::InputRef<float> X, double weight, int threads, Room& room,
                                MatrixOf<float>* dX) const {
  const bool explores = options_.role == GpRole::explores;
  const double w = gp_weight();
  const double information = explores ? 0.0 : weight;
  const DecompositionWeights weights{information, information, 1.0 - w};
  const Eigen::Index N = X.cols();
  const double share = 1.0 / static_cast<double>(N);
  const Matrix inputs = X.cast<double>();
  // The process in blocks, beside the critics: its means, and where asked for their slopes.
  const Eigen::Index block = dX ? Tuning::gp_slope_block : Tuning::gp_mean_block;
  Vector mu(model_ ? N : 0);
  Matrix slope(X.rows(), dX ? mu.size() : 0);
  const auto process = in_blocks(mu.size(), block, [&](Eigen::Index from, Eigen::Index count) {
    const auto some = inputs.middleCols(from, count);
    mu.segment(from, count) = model_->regression().mean(some);
    if (!dX) return;
    slope.middleCols(from, count) =
        model_->regression().mean_slope(some, Vector::Constant(count, w * share));
  });
  Judgement& judgement = room.judgement;
  set_judgement(dX ? critics_.evaluate(frame_, X, weights, threads, room.critics, *dX, process)
                   : critics_.evaluate(frame_, X, weights, threads, room.critics, process),
                weight, judgement);
  if (!model_) return judgement;
  judgement.terms.row(0) *= static_cast<float>(1.0 - w);
  judgement.terms.row(0) += (w * mu).cast<float>().transpose();
  judgement.exploitation = judgement.terms.row(0).cast<double>().mean();
  if (dX) *dX += slope.cast<float>();
  if (explores) explore(inputs, weight, judgement, dX);
  add_up(judgement);
  return judgement;
}

// (1 - w) critics + w process, whose normal distribution is cut at the levels' edges.
Matrix GpJudge::forecast(const OutcomeLevels& levels, nn::InputRef<float> X, int threads) {
  const double w = gp_weight();
  const bool believed = model_ && w > 0.0;
  Vector mean(believed ? X.cols() : 0), variance(mean.size());
  const auto process =
      in_blocks(mean.size(), Tuning::gp_variance_block, [&](Eigen::Index from, Eigen::Index count) {
        const auto p = model_->marginals(X.middleCols(from, count).cast<double>());
        mean.segment(from, count) = p->mean();
        variance.segment(from, count) = p->variance();
      });
  Matrix P =
      levels.merged(critics_.evaluate(frame_, X, {}, threads, room_.critics, process).predictive);
  if (!believed) return P;
  Vector edges(levels.edges().size());
  double below = 0.0;  // mass
  for (Eigen::Index g = 0; g < edges.size(); ++g) {
    below += levels.mass()[g];
    edges[g] = target(scale_, levels.edges()[g], normal_quantile(below));
  }
  for (Eigen::Index i = 0; i < X.cols(); ++i) {
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
void GpJudge::explore(ConstMatrixRef X, double weight, Judgement& judgement,
                      MatrixOf<float>* dX) const {
  const Eigen::Index N = X.cols();
  const auto posterior = model_->marginals(X);
  const Vector sigma = posterior->variance().cwiseMax(1e-12).cwiseSqrt();
  judgement.meanings = {&kExpectedOutcome, &kGpDeviation};
  judgement.terms.conservativeResize(2, N);
  judgement.terms.row(1) = sigma.cast<float>().transpose();
  if (!dX) return;
  const Vector d_variance = (0.5 * weight / static_cast<double>(N)) * sigma.cwiseInverse();
  *dX += posterior->pullback(Vector::Zero(N), d_variance).cast<float>();
}

void GpJudge::write(StateWriter& out) const {
  out.put(state_before_fit_).put(warp_before_fit_).put(weight_).put(noise_variance_).put(held_out_);
}

void GpJudge::read(StateReader& in) {
  state_ = in.get_vector();
  warp_ = in.get<std::int64_t>();
  if (warp_ < 0 || warp_ >= Warp::count) return in.fail();
  weight_ = in.get<double>();
  noise_variance_ = in.get<double>();
  held_out_ = in.get_matrix();
  if (held_out_.rows() != 3) in.fail();
  model_.reset();
}

}  // namespace vbo
