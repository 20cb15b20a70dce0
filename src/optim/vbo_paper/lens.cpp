// SPDX-License-Identifier: MIT
#include "optim/vbo_paper/lens.hpp"

#include <Eigen/Eigenvalues>

namespace vbo {
namespace {

constexpr float kBest = 1.0F;        // results above this normal score: one in six
constexpr double kNarrowest = 1e-3;  // least deviation along any direction

}  // namespace

void Lens::move(const Histories& codes) {
  if (kind_ == LensKind::none || coordinates_.numeric() == 0) return;
  std::vector<Eigen::Index> best;
  for (Eigen::Index i = 0; i < codes.y.size(); ++i) {
    if (codes.y[i] > kBest) best.push_back(i);
  }
  if (best.size() < 2) return;
  const Matrix X = codes.X(coordinates_.numeric_coordinates(), best).cast<double>();  // (Dn, m)
  const Vector mean = X.rowwise().mean();
  const Matrix centred = X.colwise() - mean;
  const auto m = static_cast<double>(best.size());
  Matrix C = centred * centred.transpose() / m;
  const Vector variances = C.diagonal().array() + kNarrowest * kNarrowest;
  if (kind_ == LensKind::axes) {
    coordinates_.move({mean, variances.cwiseSqrt().cwiseInverse()});
    return;
  }
  C *= m / (m + 2.0 * static_cast<double>(mean.size()));  // few results say little about tilts
  C.diagonal() = variances;
  const Eigen::SelfAdjointEigenSolver<Matrix> eigen(C);
  const Vector scale =
      eigen.eigenvalues().cwiseMax(kNarrowest * kNarrowest).cwiseSqrt().cwiseInverse();
  coordinates_.move(
      {mean, eigen.eigenvectors() * scale.asDiagonal() * eigen.eigenvectors().transpose()});
}

Histories Lens::seen(const Histories& codes) const {
  Histories seen{{}, codes.y, codes.slots};
  coordinates_.features(codes.X, seen.X);
  return seen;
}

}  // namespace vbo
