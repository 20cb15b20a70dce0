// SPDX-License-Identifier: MIT
#include "optim/surrogate/acquisition.hpp"

#include <array>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "numerics/special.hpp"

namespace vbo {
namespace {

using Eigen::Index;

constexpr double smallest_variance = 1e-12;

DrawScore expected_improvement(ConstMatrixRef Y, double best) {
  DrawScore score{0.0, Matrix::Zero(Y.rows(), Y.cols())};
  const double S = static_cast<double>(Y.cols());
  for (Index s = 0; s < Y.cols(); ++s) {
    Index j = 0;
    const double gain = Y.col(s).maxCoeff(&j) - best;
    if (gain <= 0.0) continue;
    score.value += gain / S;
    score.ddraws(j, s) = 1.0 / S;
  }
  return score;
}

DrawScore log_expected_improvement(ConstMatrixRef Y, double best) {
  const Index q = Y.rows(), S = Y.cols();
  DrawScore score{0.0, Matrix::Zero(q, S)};
  std::vector<double> logs(static_cast<std::size_t>(q)), slopes(logs.size());
  Vector best_log(S);  // fatmax_j log fatplus
  for (Index s = 0; s < S; ++s) {
    Vector inner(q);
    for (Index j = 0; j < q; ++j) {
      const ValueSlope f = log_fatplus(Y(j, s) - best);
      logs[static_cast<std::size_t>(j)] = f.value;
      inner[j] = f.slope;
    }
    best_log[s] = fatmax(logs, 1e-2, slopes);
    score.ddraws.col(s) = inner.cwiseProduct(Eigen::Map<const Vector>(slopes.data(), q));
  }
  score.value = log_mean_exp(best_log);
  if (!std::isfinite(score.value)) {
    score.ddraws.setZero();
    return score;
  }
  const double S_log = std::log(static_cast<double>(S));
  for (Index s = 0; s < S; ++s) {
    score.ddraws.col(s) *= std::exp(best_log[s] - score.value - S_log);
  }
  return score;
}

DrawScore upper_confidence(ConstMatrixRef Y, double beta) {
  const double S = static_cast<double>(Y.cols());
  const double b = std::sqrt(beta * kPi / 2.0);
  const Vector mean = Y.rowwise().mean();
  DrawScore score{0.0, Matrix::Zero(Y.rows(), Y.cols())};
  Vector dmean = Vector::Zero(Y.rows());
  for (Index s = 0; s < Y.cols(); ++s) {
    Index j = 0;
    const Vector deviation = Y.col(s) - mean;
    score.value += (mean + b * deviation.cwiseAbs()).maxCoeff(&j) / S;
    const double sign = deviation[j] >= 0.0 ? b : -b;
    score.ddraws(j, s) += sign / S;
    dmean[j] += (1.0 - sign) / S;
  }
  score.ddraws.colwise() += dmean / S;
  return score;
}

}  // namespace

bool is_monte_carlo(Acquisition kind) {
  return kind == Acquisition::q_ei || kind == Acquisition::q_log_ei || kind == Acquisition::q_ucb;
}

Acquisition pointwise(Acquisition kind) {
  if (kind == Acquisition::q_ei) return Acquisition::ei;
  if (kind == Acquisition::q_log_ei) return Acquisition::log_ei;
  if (kind == Acquisition::q_ucb) return Acquisition::ucb;
  return kind;
}

Acquisition batchwise(Acquisition kind) {
  if (kind == Acquisition::ei) return Acquisition::q_ei;
  if (kind == Acquisition::log_ei || kind == Acquisition::pi) return Acquisition::q_log_ei;
  if (kind == Acquisition::ucb) return Acquisition::q_ucb;
  return kind;
}

PointScores score_points(Acquisition kind, ConstVectorRef mean, ConstVectorRef variance,
                         double best, double beta) {
  const Index m = mean.size();
  PointScores scores{Vector(m), Vector(m), Vector(m)};
  for (Index i = 0; i < m; ++i) {
    const double sigma = std::sqrt(std::max(variance[i], smallest_variance));
    const double u = (mean[i] - best) / sigma;
    double value = 0.0, by_mean = 0.0, by_sigma = 0.0;
    if (kind == Acquisition::ucb) {
      value = mean[i] + std::sqrt(beta) * sigma;
      by_mean = 1.0;
      by_sigma = std::sqrt(beta);
    } else if (kind == Acquisition::pi) {
      value = normal_cdf(u);
      by_mean = normal_pdf(u) / sigma;
      by_sigma = -u * by_mean;
    } else if (kind == Acquisition::ei) {
      by_mean = normal_cdf(u);
      by_sigma = normal_pdf(u);
      value = sigma * std::exp(log_h(u).value);
    } else {
      const LogH h = log_h(u);
      value = h.value + std::log(sigma);
      by_mean = h.cdf_ratio / sigma;
      by_sigma = h.pdf_ratio / sigma;
    }
    scores.value[i] = value;
    scores.dmean[i] = by_mean;
    scores.dvariance[i] = variance[i] > smallest_variance ? by_sigma / (2.0 * sigma) : 0.0;
  }
  return scores;
}

DrawScore score_draws(Acquisition kind, ConstMatrixRef draws, double best, double beta) {
  if (kind == Acquisition::q_ucb) return upper_confidence(draws, beta);
  if (kind == Acquisition::q_log_ei) return log_expected_improvement(draws, best);
  return expected_improvement(draws, best);
}

}  // namespace vbo
