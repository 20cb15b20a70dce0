// SPDX-License-Identifier: MIT
#include "information/estimate.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <string>

#include "information/gaussian_critic.hpp"
#include "information/pair_critic.hpp"
#include "nn/adam.hpp"
#include "numerics/parallel.hpp"
#include "vbo/random.hpp"

namespace vbo {
namespace {

constexpr std::size_t kBlock = 512;     // held-out samples scored all against all,
constexpr std::size_t kMostBlocks = 8;  // so many times at most
constexpr int kValidation = 512;        // true pairs, each against
constexpr int kValidationRefs = 63;     // fixed references
constexpr int kCheckEvery = 50;         // steps
constexpr int kPatience = 12;           // checks without a better validation value

Error invalid(std::string message) { return {ErrorKind::invalid_input, std::move(message)}; }

// Two-sided 95% point of Student's t with f degrees of freedom (Cornish-Fisher expansion of the
// normal quantile; Abramowitz and Stegun 26.7.5), within 1% for f >= 3; f = 1, 2 exact.
double student_95(int f) {
  if (f == 1) return 12.706;
  if (f == 2) return 4.303;
  const double z = 1.959963984540054;
  const double z3 = z * z * z;
  const double z5 = z3 * z * z;
  const double z7 = z5 * z * z;
  const double n = f;
  return z + (z3 + z) / (4 * n) + (5 * z5 + 16 * z3 + 3 * z) / (96 * n * n) +
         (3 * z7 + 19 * z5 + 17 * z3 - 15 * z) / (384 * n * n * n);
}

struct Split {
  std::vector<int> training, validation, test;
};

// Every `folds`-th of the shuffled samples is held out; a fifth of the others validates.
Split split_samples(int n, int fold, const EstimateOptions& options) {
  Rng rng(options.seed, "mi-folds");
  Split split;
  std::vector<int> rest;
  int position = 0;
  for (const std::size_t sample : rng.permutation(static_cast<std::size_t>(n))) {
    (position++ % options.folds == fold ? split.test : rest).push_back(static_cast<int>(sample));
  }
  const std::size_t count = std::min<std::size_t>(rest.size() / 5, kValidation);
  const auto middle = rest.begin() + static_cast<std::ptrdiff_t>(count);
  split.validation.assign(rest.begin(), middle);
  split.training.assign(middle, rest.end());
  return split;
}

// One fold: fits, trains, scores. A class because the steps share the split and the critic.
class Fold {
 public:
  Fold(ConstMatrixRef X, ConstMatrixRef Y, int fold, const EstimateOptions& options)
      : options_(options),
        id_(static_cast<std::uint64_t>(fold)),
        split_(split_samples(static_cast<int>(X.cols()), fold, options)),
        critic_(static_cast<int>(X.rows()), static_cast<int>(Y.rows()),
                {.hidden = options.hidden,
                 .learning_rate = options.learning_rate,
                 .score_offset = options.estimator == Estimator::nwj ? 1.0 : 0.0},
                Rng(options.seed, "mi-init", id_)) {
    const auto rows = static_cast<Eigen::Index>(split_.validation.size());
    Rng rng(options.seed, "mi-validation", id_);
    validation_references_ = Eigen::MatrixXi::NullaryExpr(rows, kValidationRefs, [&] {
      return split_.validation[rng.below(split_.validation.size())];
    });
    if (options.gaussian_baseline) fit_baseline(X, Y);
    samples_.emplace(X, Y, base_);
  }

  void train();
  InformationValue score();
  double gaussian_nats() const { return base_.mutual_information(); }
  int steps() const { return steps_; }

 private:
  void fit_baseline(ConstMatrixRef X, ConstMatrixRef Y);
  double validation_value(const PairedSamples& samples);

  const EstimateOptions& options_;
  std::uint64_t id_;
  Split split_;
  PairCritic critic_;
  Eigen::MatrixXi validation_references_;  // (validation samples, kValidationRefs)
  GaussianCritic base_;
  std::optional<PairedSamples> samples_;
  int steps_ = 0;  // of the critic chosen
};

// Which critic is better: by the estimator itself, except that smile's value rewards a wrong
// scale; like its gradient, the choice follows js.
double Fold::validation_value(const PairedSamples& samples) {
  const MatrixOf<float> T = critic_.scores(samples, split_.validation, validation_references_);
  const Estimator by = options_.estimator == Estimator::smile ? Estimator::js : options_.estimator;
  const bool with_true = by == Estimator::dv || by == Estimator::self_normalized;
  ScoreEstimator<float> estimator(by, options_.estimator_options);
  return estimator
      .evaluate(VectorOf<float>(T.col(0)),
                MatrixOf<float>(T.rightCols(kValidationRefs + (with_true ? 1 : 0))))
      .nats;
}

// The Gaussian fitted to the training samples, shrunk as far as the validation samples want.
void Fold::fit_baseline(ConstMatrixRef X, ConstMatrixRef Y) {
  const GaussianCritic full(X(Eigen::all, split_.training), Y(Eigen::all, split_.training));
  const double roots =
      std::sqrt(static_cast<double>(X.rows())) + std::sqrt(static_cast<double>(Y.rows()));
  const double edge = roots * roots / static_cast<double>(split_.training.size());
  double best_value = validation_value(PairedSamples(X, Y, GaussianCritic()));
  for (const double share : {1.0, 0.5, 0.25, 0.1, 0.0}) {  // of the largest s^2 noise would show
    const GaussianCritic candidate = full.shrunk(share * edge);
    const double value = validation_value(PairedSamples(X, Y, candidate));
    if (value > best_value) {
      best_value = value;
      base_ = candidate;
    }
  }
}

void Fold::train() {
  ScoreEstimator<float> estimator(options_.estimator, options_.estimator_options);
  Rng rng(options_.seed, "mi-batches", id_);
  std::vector<int> order = split_.training;
  const std::size_t size = std::min(order.size(), static_cast<std::size_t>(options_.batch));
  const int references = options_.estimator == Estimator::dv_shuffled ? 1 : options_.references;
  std::vector<int> batch(size);
  std::size_t next = order.size();
  VectorOf<float> best = critic_.averaged();
  double best_value = validation_value(*samples_);
  int waited = 0;
  for (int step = 1; step <= options_.max_steps && waited < kPatience; ++step) {
    if (next + size > order.size()) {
      rng.shuffle(std::span<int>(order));
      next = 0;
    }
    std::copy_n(order.begin() + static_cast<std::ptrdiff_t>(next), size, batch.begin());
    next += size;
    critic_.set_learning_rate(
        nn::cosine_rate(options_.learning_rate, step - 1, options_.max_steps));
    critic_.step(*samples_, batch, split_.training, references, estimator, rng);
    if (step % kCheckEvery != 0) continue;
    ++waited;
    const double value = validation_value(*samples_);
    if (value > best_value) {
      best_value = value;
      best = critic_.averaged();
      steps_ = step;
      waited = 0;
    }
  }
  critic_.restore(best);
}

// Held-out samples in equal blocks, each scored all against all; the mean over blocks.
InformationValue Fold::score() {
  const std::size_t n = std::min(split_.test.size(), kMostBlocks * kBlock);
  const std::size_t blocks = (n + kBlock - 1) / kBlock;
  InformationValue mean{0.0, std::numeric_limits<double>::infinity()};
  ScoreEstimator<float> estimator(options_.estimator, options_.estimator_options);
  for (std::size_t b = 0; b < blocks; ++b) {
    const std::vector<int> block(
        split_.test.begin() + static_cast<std::ptrdiff_t>(b * n / blocks),
        split_.test.begin() + static_cast<std::ptrdiff_t>((b + 1) * n / blocks));
    const InformationValue value = estimator.evaluate(critic_.scores(*samples_, block, block));
    mean.nats += value.nats / static_cast<double>(blocks);
    mean.ceiling = std::min(mean.ceiling, value.ceiling);
  }
  return mean;
}

struct FoldResult {
  double nats = 0.0;
  double ceiling = std::numeric_limits<double>::infinity();
  double gaussian_nats = 0.0;
  int steps = 0;
};

FoldResult run_fold(ConstMatrixRef X, ConstMatrixRef Y, int number,
                    const EstimateOptions& options) {
  Fold fold(X, Y, number, options);
  fold.train();
  const InformationValue held_out = fold.score();
  return {held_out.nats, held_out.ceiling, fold.gaussian_nats(), fold.steps()};
}

}  // namespace

int fewest_samples(int folds) { return std::max(40, 8 * folds); }

Result<void> EstimateOptions::validate() const {
  if (folds < 2) return invalid("folds is " + std::to_string(folds) + ", must be at least 2.");
  if (hidden < 1) return invalid("hidden is " + std::to_string(hidden) + ", must be at least 1.");
  if (references < 1) return invalid("references must be at least 1.");
  if (batch < 2) return invalid("batch is " + std::to_string(batch) + ", must be at least 2.");
  if (max_steps < 0) return invalid("max_steps must not be negative.");
  if (!(learning_rate > 0.0)) return invalid("learning_rate must be positive.");
  if (!(estimator_options.clip > 0.0)) return invalid("clip must be positive.");
  if (!(estimator_options.rate > 0.0 && estimator_options.rate <= 1.0)) {
    return invalid("rate must be in (0, 1].");
  }
  return {};
}

Result<InformationEstimate> estimate_information(ConstMatrixRef X, ConstMatrixRef Y,
                                                 const EstimateOptions& options) {
  if (const Result<void> valid = options.validate(); !valid) return valid.error();
  if (X.cols() != Y.cols()) {
    return invalid("x has " + std::to_string(X.cols()) + " samples and y has " +
                   std::to_string(Y.cols()) + ".");
  }
  if (X.cols() < fewest_samples(options.folds)) {
    return invalid("There are " + std::to_string(X.cols()) + " samples; " +
                   std::to_string(options.folds) + " folds need at least " +
                   std::to_string(fewest_samples(options.folds)) + ".");
  }
  if (!X.allFinite() || !Y.allFinite()) return invalid("A sample is not a finite number.");
  InformationEstimate estimate;
  estimate.samples = static_cast<int>(X.cols());
  std::vector<FoldResult> folds(static_cast<std::size_t>(options.folds));
  if (X.rows() > 0 && Y.rows() > 0) {
    parallel_for(options.threads, options.folds, [&](int fold) {
      folds[static_cast<std::size_t>(fold)] = run_fold(X, Y, fold, options);
    });
  }
  const double k = options.folds;
  estimate.ceiling = std::numeric_limits<double>::infinity();
  for (const FoldResult& fold : folds) {
    estimate.fold_nats.push_back(fold.nats);
    estimate.raw += fold.nats / k;
    estimate.ceiling = std::min(estimate.ceiling, fold.ceiling);
    estimate.gaussian_nats += fold.gaussian_nats / k;
    estimate.mean_steps += fold.steps / k;
  }
  double squares = 0.0;
  for (const FoldResult& fold : folds) squares += std::pow(fold.nats - estimate.raw, 2);
  const double error = std::sqrt(squares / (k - 1.0) / k) * student_95(options.folds - 1);
  estimate.nats = std::max(0.0, estimate.raw);
  estimate.low = std::max(0.0, estimate.raw - error);
  estimate.high = std::max(0.0, estimate.raw + error);
  return estimate;
}

}  // namespace vbo
