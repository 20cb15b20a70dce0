// SPDX-License-Identifier: MIT
#include "models/bnn/diagnostics.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace vbo {
namespace {

// (S/2, 2C): both halves of every chain; the middle value of an odd S is left out.
Matrix split(ConstMatrixRef traces) {
  const Eigen::Index half = traces.rows() / 2;
  Matrix halves(half, 2 * traces.cols());
  halves << traces.topRows(half), traces.bottomRows(half);
  return halves;
}

struct Variances {
  double within = 0.0;  // W: mean of the chains' variances
  double plus = 0.0;    // (S-1)/S W + variance of the chains' means
};

Variances variances(const Matrix& chains) {
  const auto S = static_cast<double>(chains.rows()), C = static_cast<double>(chains.cols());
  const Vector means = chains.colwise().mean();
  const Matrix centered = chains.rowwise() - means.transpose();
  Variances v;
  v.within = centered.squaredNorm() / ((S - 1.0) * C);
  v.plus = (S - 1.0) / S * v.within;
  if (C > 1.0) v.plus += (means.array() - means.mean()).square().sum() / (C - 1.0);
  return v;
}

bool is_constant(ConstMatrixRef traces) { return (traces.array() == traces(0, 0)).all(); }

// Mean over the chains of the autocovariance at `lag`, with divisor S.
double autocovariance(const Matrix& centered, Eigen::Index lag) {
  const Eigen::Index S = centered.rows();
  const double sum = centered.topRows(S - lag).cwiseProduct(centered.bottomRows(S - lag)).sum();
  return sum / static_cast<double>(S * centered.cols());
}

}  // namespace

double split_r_hat(ConstMatrixRef traces) {
  if (traces.rows() < 4 || is_constant(traces)) return 1.0;
  const Variances v = variances(split(traces));
  if (v.within <= 0.0) return std::numeric_limits<double>::infinity();
  return std::sqrt(v.plus / v.within);
}

double effective_sample_size(ConstMatrixRef traces) {
  if (traces.rows() < 4) return static_cast<double>(traces.size());
  if (is_constant(traces)) return 1.0;
  const Matrix chains = split(traces);
  const auto draws = static_cast<double>(chains.size());
  const Variances v = variances(chains);
  const Matrix centered = chains.rowwise() - chains.colwise().mean();
  // rho_t = 1 - (W - mean autocovariance_t) / var_plus
  const auto rho = [&](Eigen::Index lag) {
    return 1.0 - (v.within - autocovariance(centered, lag)) / v.plus;
  };
  // Pairs rho_2k + rho_2k+1 of a reversible chain are positive and decrease; noise shows where
  // they stop doing so.
  double tau = -1.0, previous = std::numeric_limits<double>::infinity();
  for (Eigen::Index lag = 0; lag + 1 < chains.rows(); lag += 2) {
    const double pair = std::min(previous, (lag == 0 ? 1.0 : rho(lag)) + rho(lag + 1));
    if (pair <= 0.0) break;
    tau += 2.0 * pair;
    previous = pair;
  }
  tau = std::max(tau, 1.0 / std::log10(std::max(draws, 10.0)));
  return std::max(1.0, draws / tau);
}

Matrix probe_points(ConstMatrixRef X, ConstVectorRef y, Eigen::Index count) {
  std::vector<Eigen::Index> order(static_cast<std::size_t>(y.size()));
  std::iota(order.begin(), order.end(), Eigen::Index{0});
  std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return y[a] < y[b]; });
  count = std::min(count, y.size());
  Matrix probes(X.rows(), count);
  for (Eigen::Index i = 0; i < count; ++i) {
    const Eigen::Index rank = count == 1 ? 0 : i * (y.size() - 1) / (count - 1);
    probes.col(i) = X.col(order[static_cast<std::size_t>(rank)]);
  }
  return probes;
}

TraceSummary summarize(const std::vector<Matrix>& traces) {
  const auto chains = static_cast<Eigen::Index>(traces.size());
  const Eigen::Index samples = traces.front().rows();
  TraceSummary worst;
  worst.effective_samples = static_cast<double>(samples * chains);
  for (Eigen::Index quantity = 0; quantity < traces.front().cols(); ++quantity) {
    Matrix together(samples, chains);
    for (Eigen::Index c = 0; c < chains; ++c) {
      together.col(c) = traces[static_cast<std::size_t>(c)].col(quantity);
    }
    worst.effective_samples = std::min(worst.effective_samples, effective_sample_size(together));
    worst.r_hat = std::max(worst.r_hat, split_r_hat(together));
  }
  worst.r_hat = std::min(worst.r_hat, 1e6);
  return worst;
}

}  // namespace vbo
