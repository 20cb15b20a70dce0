// SPDX-License-Identifier: MIT
#include "information/pair_critic.hpp"

#include <algorithm>

#include "nn/init.hpp"
#include "numerics/flops.hpp"

namespace vbo {
namespace {

constexpr double kGradientNorm = 1.0;

bool counts_true_pairs(Estimator e) {
  return e == Estimator::dv || e == Estimator::infonce || e == Estimator::self_normalized;
}

}  // namespace

PairedSamples::PairedSamples(ConstMatrixRef x, ConstMatrixRef y, const GaussianCritic& base)
    : X(x.cast<float>()), Y(y.cast<float>()) {
  const GaussianCritic::Features f = base.features(x, y);
  left = f.left.cast<float>();
  right = f.right.cast<float>();
  left_offset = f.left_offset.cast<float>();
  right_offset = f.right_offset.cast<float>();
}

PairCritic::PairCritic(int x_dimension, int y_dimension, const PairCriticOptions& options, Rng rng)
    : options_(options),
      net_(nn::MlpShape({x_dimension + y_dimension, options.hidden, options.hidden, 1},
                        nn::Activation::relu)),
      adam_(net_.shape().parameters(),
            {.learning_rate = options.learning_rate, .weight_decay = options.weight_decay}) {
  nn::init_glorot<float>(net_.shape(), net_.parameters(), rng);
  nn::zero_last_layer<float>(net_.shape(), net_.parameters());  // starts as its base
  averaged_ =
      Eigen::Map<const VectorOf<float>>(net_.parameters().data(), net_.shape().parameters());
}

void PairCritic::load_pairs(const PairedSamples& s) {
  const auto pairs = static_cast<Eigen::Index>(x_.size());
  const Eigen::Index dx = s.X.rows();
  inputs_.resize(dx + s.Y.rows(), pairs);
  base_.resize(pairs);
  for (Eigen::Index p = 0; p < pairs; ++p) {
    const int i = x_[static_cast<std::size_t>(p)];
    const int j = y_[static_cast<std::size_t>(p)];
    inputs_.col(p).head(dx) = s.X.col(i);
    inputs_.col(p).tail(s.Y.rows()) = s.Y.col(j);
    base_[p] = s.left.col(i).dot(s.right.col(j)) + s.left_offset[i] + s.right_offset[j];
  }
  base_.array() += static_cast<float>(options_.score_offset);
  flops::add(static_cast<std::uint64_t>(pairs * (2 * s.left.rows() + 2)));
}

double PairCritic::step(const PairedSamples& samples, const std::vector<int>& batch,
                        const std::vector<int>& pool, int references,
                        ScoreEstimator<float>& estimator, Rng& rng) {
  const auto B = static_cast<Eigen::Index>(batch.size());
  x_.clear();
  y_.clear();
  for (int r = 0; r <= references; ++r) {  // column r of the (B, 1+R) scores; 0 = true pairs
    for (const int i : batch) {
      x_.push_back(i);
      y_.push_back(r == 0 ? i : pool[rng.below(pool.size())]);
    }
  }
  load_pairs(samples);
  scores_ = net_.forward(inputs_) + base_.transpose();
  const Eigen::Map<const VectorOf<float>> joint(scores_.data(), B);
  const bool with_true = counts_true_pairs(estimator.estimator());
  const Eigen::Index first = with_true ? 0 : B;
  const Eigen::Map<const MatrixOf<float>> others(scores_.data() + first, B,
                                                 references + (with_true ? 1 : 0));
  // infonce in its separated form adds the true pair itself.
  const bool infonce = estimator.estimator() == Estimator::infonce;
  const Eigen::Map<const MatrixOf<float>> drawn(scores_.data() + B, B, references);
  const double nats = infonce ? estimator.evaluate(joint, drawn, &d_joint_, &d_references_).nats
                              : estimator.evaluate(joint, others, &d_joint_, &d_references_).nats;
  // The loss is minus the estimate.
  d_scores_.setZero(1, scores_.cols());
  d_scores_.leftCols(B) = -d_joint_.transpose();
  d_scores_.rightCols(d_references_.size()) -= d_references_.reshaped().transpose();
  net_.backward(d_scores_);
  nn::clip_norm<float>(net_.gradient(), kGradientNorm);
  adam_.step(net_.parameters(), net_.gradient());

  // Averaging forgets the start quickly: the memory grows from 0 to its final length.
  const auto t = static_cast<double>(adam_.steps());
  const auto memory = static_cast<float>(std::min(options_.average, t / (t + 10.0)));
  const Eigen::Map<const VectorOf<float>> theta(net_.parameters().data(), averaged_.size());
  averaged_ = memory * averaged_ + (1.0F - memory) * theta;
  return nats;
}

void PairCritic::predict_pairs(const PairedSamples& samples) {
  load_pairs(samples);
  scores_.resize(1, inputs_.cols());
  nn::predict<float>(net_.shape(), averaged_.data(), inputs_, net_.workspace(), scores_);
  scores_ += base_.transpose();
}

MatrixOf<float> PairCritic::scores(const PairedSamples& samples, const std::vector<int>& rows,
                                   const std::vector<int>& columns) {
  MatrixOf<float> T(rows.size(), columns.size());
  x_ = rows;
  for (std::size_t j = 0; j < columns.size(); ++j) {
    y_.assign(rows.size(), columns[j]);
    predict_pairs(samples);
    T.col(static_cast<Eigen::Index>(j)) = scores_.transpose();
  }
  return T;
}

MatrixOf<float> PairCritic::scores(const PairedSamples& samples, const std::vector<int>& rows,
                                   const Eigen::MatrixXi& references) {
  MatrixOf<float> T(references.rows(), references.cols() + 1);
  x_ = rows;
  y_ = rows;
  for (Eigen::Index r = 0; r < T.cols(); ++r) {
    if (r > 0) y_.assign(references.col(r - 1).begin(), references.col(r - 1).end());
    predict_pairs(samples);
    T.col(r) = scores_.transpose();
  }
  return T;
}

}  // namespace vbo
