// SPDX-License-Identifier: MIT
#include "models/bnn/weight_ensemble.hpp"

#include <algorithm>
#include <vector>

#include "models/ensemble_posterior.hpp"
#include "numerics/parallel.hpp"

namespace vbo {
namespace {

// Members are handed to threads in groups of fixed size, so that sums over members have a fixed
// order whatever the number of threads.
constexpr Eigen::Index group_size = 8;

int groups(Eigen::Index members) {
  return static_cast<int>((members + group_size - 1) / group_size);
}

}  // namespace

Matrix WeightEnsemble::scaled(ConstMatrixRef X) const {
  if (input_mean.size() == 0) return X;
  return (X.colwise() - input_mean).array().colwise() / input_deviation.array();
}

Matrix WeightEnsemble::values(ConstMatrixRef X) const {
  const Matrix Z = scaled(X);
  Matrix F(X.cols(), members.cols());
  parallel_for(threads, groups(members.cols()), [&](int g) {
    nn::MlpWorkspace<double> work;
    Matrix Y(1, X.cols());
    const Eigen::Index end = std::min((g + 1) * group_size, members.cols());
    for (Eigen::Index m = g * group_size; m < end; ++m) {
      nn::predict<double>(shape, members.col(m).data(), Z, work, Y);
      F.col(m) = (offset + scale * Y.array()).transpose();
    }
  });
  return F;
}

Matrix WeightEnsemble::pullback(ConstMatrixRef X, ConstMatrixRef dF) const {
  const Matrix Z = scaled(X);
  std::vector<Matrix> parts(static_cast<std::size_t>(groups(members.cols())));
  parallel_for(threads, groups(members.cols()), [&](int g) {
    nn::MlpWorkspace<double> work;
    Matrix dX(X.rows(), X.cols());
    Matrix& part = parts[static_cast<std::size_t>(g)];
    part = Matrix::Zero(X.rows(), X.cols());
    const Eigen::Index end = std::min((g + 1) * group_size, members.cols());
    for (Eigen::Index m = g * group_size; m < end; ++m) {
      if ((dF.col(m).array() == 0.0).all()) continue;  // a draw nobody made
      nn::forward<double>(shape, members.col(m).data(), Z, work);
      const Matrix dY = scale * dF.col(m).transpose();
      nn::backward<double>(shape, members.col(m).data(), work, dY, nullptr, dX.data());
      part += dX;
    }
  });
  Matrix dX = Matrix::Zero(X.rows(), X.cols());
  for (const Matrix& part : parts) dX += part;
  if (input_mean.size() > 0) dX = dX.array().colwise() / input_deviation.array();
  return dX;
}

std::unique_ptr<Posterior> WeightEnsemble::posterior(ConstMatrixRef X) const {
  return std::make_unique<EnsemblePosterior>(
      values(X), [this, X = Matrix(X)](ConstMatrixRef dF) { return pullback(X, dF); });
}

Matrix WeightEnsemble::sample(ConstMatrixRef X, Eigen::Index S, Rng& rng) const {
  const Eigen::Index M = members.cols();
  WeightEnsemble chosen{shape,      Matrix(shape.parameters(), std::min(S, M)),
                        input_mean, input_deviation,
                        offset,     scale,
                        threads};
  const std::vector<std::size_t> order = rng.permutation(static_cast<std::size_t>(M));
  for (Eigen::Index s = 0; s < chosen.members.cols(); ++s) {
    chosen.members.col(s) =
        members.col(static_cast<Eigen::Index>(order[static_cast<std::size_t>(s)]));
  }
  Matrix F = chosen.values(X);
  if (S <= M) return F;
  Matrix all(X.cols(), S);
  for (Eigen::Index s = 0; s < S; ++s) all.col(s) = F.col(s % M);
  return all;
}

}  // namespace vbo
