// SPDX-License-Identifier: MIT
#include "optim/border.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <Eigen/Cholesky>

#include "numerics/special.hpp"
#include "numerics/symmetric_eigen.hpp"

namespace vbo {
namespace {

using Eigen::Index;

// Products of coordinates are features up to so many dimensions: in ten there are 66 of them, too
// many for 240 results. With logarithmic distances nobody has looked.
constexpr Index kMostForProducts = 8, kMostForProductsBent = 10;
constexpr std::size_t kEach = 120;  // nearest successes and failures to learn from
constexpr double kNear = 3.6;       // times the frame's size
constexpr double kNearBent = 2.0;   // asinh of it
// A result at distance r counts as (1 + r^2)^-p of its features: with 1/2 those far away hold the
// border's course, with 1 hardly, which is right where it is no quadric.
const std::vector<double> kFading = {0.5, 1.0};
constexpr double kFar = 1e3;  // r from which it counts less still: H stays well conditioned
constexpr double kLeastStretch = 1e-9;
constexpr int kNewtonSteps = 25;
constexpr double kLeastEvidence = 0.05;  // of the best, below which a prior is left out
constexpr double kLeastProbability = 1e-300;

// The `most` of `among` nearest to the origin of coordinates.
std::vector<Index> nearest(const std::vector<Index>& among, const Vector& distance,
                           std::size_t most) {
  std::vector<Index> chosen = among;
  const auto closer = [&](Index a, Index b) {
    return distance[a] < distance[b] || (distance[a] == distance[b] && a < b);
  };
  most = std::min(most, chosen.size());
  std::partial_sort(chosen.begin(), chosen.begin() + static_cast<std::ptrdiff_t>(most),
                    chosen.end(), closer);
  chosen.resize(most);
  return chosen;
}

struct Fit {
  Vector weights;
  Matrix covariance;
  double stiffness = 0.0;  // w' H w, H the curvature at w
  double evidence = -std::numeric_limits<double>::infinity();
};

// Laplace's approximation of Bayesian logistic regression. Phi (P,N), y (N) +-1, prior variances
// (P); begins at `start`.
Fit laplace(const Matrix& Phi, const Vector& y, const Vector& variances, Vector w) {
  const Vector precision = variances.cwiseInverse();
  const auto value = [&](const Vector& at) {
    const Vector m = y.cwiseProduct(Phi.transpose() * at);
    double sum = -0.5 * at.dot(precision.cwiseProduct(at));
    for (const double t : m) sum -= t > 0 ? std::log1p(std::exp(-t)) : std::log1p(std::exp(t)) - t;
    return sum;
  };
  double now = value(w);
  Eigen::LLT<Matrix> llt;
  for (int step = 0; step < kNewtonSteps; ++step) {
    const Vector m = y.cwiseProduct(Phi.transpose() * w);
    const Vector s = (1.0 + m.array().exp()).inverse();  // sigma(-m)
    const Vector gradient = Phi * y.cwiseProduct(s) - precision.cwiseProduct(w);
    const Vector curvature = s.array() * (1.0 - s.array());
    Matrix H = Phi * curvature.asDiagonal() * Phi.transpose();
    H.diagonal() += precision;
    llt.compute(H);
    const Vector direction = llt.solve(gradient);
    const double promised = direction.dot(gradient);
    if (promised < 1e-6) break;
    double length = 1.0;
    for (; length > 1e-4; length *= 0.5) {
      const double then = value(w + length * direction);
      if (then >= now + 1e-4 * length * promised) {
        w += length * direction;
        now = then;
        break;
      }
    }
    if (length <= 1e-4) break;
  }
  Fit fit;
  fit.weights = w;
  fit.stiffness = (Matrix(llt.matrixU()) * w).squaredNorm();
  fit.covariance = llt.solve(Matrix::Identity(w.size(), w.size()));
  const Matrix L = llt.matrixL();
  fit.evidence = now - 0.5 * variances.array().log().sum() - L.diagonal().array().log().sum();
  return fit;
}

}  // namespace

// Root-mean-square coordinates of one over D dimensions in all: the size of a search around the
// best result, along its axes.
void Border::set_frame(const Encoding& encoding, ConstMatrixRef X, const std::vector<Index>& good) {
  const Index D = X.rows();
  Matrix S = Matrix::Zero(D, D);
  for (const Index i : good) {
    const Vector away = X.col(i) - centre_;
    S += away * away.transpose() / static_cast<double>(good.size());
  }
  for (const Encoding::Block& block : encoding.blocks()) {
    if (block.kind != ParameterKind::categorical) continue;  // categories keep their distances
    S.middleRows(block.offset, block.width).setZero();
    S.middleCols(block.offset, block.width).setZero();
    S.diagonal().segment(block.offset, block.width).setOnes();
  }
  S.diagonal().array() += kLeastStretch * kLeastStretch + 1e-4 * S.trace() / static_cast<double>(D);
  const SymmetricEigen eigen = symmetric_eigen(S);
  const Vector stretch =
      (eigen.values.cwiseMax(0.0) * static_cast<double>(D)).cwiseSqrt().cwiseMax(kLeastStretch);
  whitening_ = eigen.vectors * stretch.cwiseInverse().asDiagonal() * eigen.vectors.transpose();
}

Vector Border::local(ConstVectorRef x) const {
  const Vector v = whitening_ * (x - centre_);
  const double r = v.norm();
  const bool bent = distances_ == Distances::logarithmic && r > 1e-9;
  return bent ? Vector(v * (std::asinh(r) / r)) : v;
}

Vector Border::features(ConstVectorRef z) const {
  const Index D = z.size();
  Vector phi(1 + D + (mixed_ ? D * (D + 1) / 2 : D));
  phi[0] = 1.0;
  phi.segment(1, D) = z;
  Index at = 1 + D;
  for (Index i = 0; i < D; ++i) {
    for (Index j = i; j < (mixed_ ? D : i + 1); ++j) phi[at++] = z[i] * z[j];
  }
  return phi;
}

void Border::learn(const Encoding& encoding, ConstMatrixRef X, const std::vector<Success>& success,
                   Index best, std::size_t fewest, Distances distances) {
  forget();
  distances_ = distances;
  const Index D = X.rows();
  std::vector<Index> good, bad;
  for (Index i = 0; i < X.cols(); ++i) {
    if (success[static_cast<std::size_t>(i)] == Success::yes) good.push_back(i);
    if (success[static_cast<std::size_t>(i)] == Success::no) bad.push_back(i);
  }
  const auto framed = static_cast<std::size_t>(4 * D + 20);
  if (bad.empty() || good.size() < fewest) return;
  centre_ = X.col(best);
  Vector distance = (X.colwise() - centre_).colwise().norm();
  set_frame(encoding, X, nearest(good, distance, framed));
  for (int i = 0; i < 2; ++i) {
    distance = (whitening_ * (X.colwise() - centre_)).colwise().norm();
    if (i == 0) set_frame(encoding, X, nearest(good, distance, framed));
  }
  std::vector<Index> chosen = nearest(good, distance, kEach);
  const std::vector<Index> failed = nearest(bad, distance, kEach);
  chosen.insert(chosen.end(), failed.begin(), failed.end());
  const bool bent = distances_ == Distances::logarithmic;
  mixed_ = D <= (bent ? kMostForProductsBent : kMostForProducts);
  Matrix Phi;
  Vector y(static_cast<Index>(chosen.size())), r(y.size());
  for (std::size_t k = 0; k < chosen.size(); ++k) {
    const auto at = static_cast<Index>(k);
    const Vector z = local(X.col(chosen[k])), phi = features(z);
    if (k == 0) Phi.resize(phi.size(), y.size());
    Phi.col(at) = phi;
    y[at] = success[static_cast<std::size_t>(chosen[k])] == Success::yes ? 1 : -1;
    r[at] = z.norm();
  }
  reach_ = r.maxCoeff();
  std::vector<Fit> fits;
  double most = -std::numeric_limits<double>::infinity();
  for (const double p : bent ? std::vector<double>{0.0} : kFading) {  // bent: instead of fading
    const Vector weight = (1.0 + r.array().square()).pow(-p) * (kFar / r.array()).min(1.0);
    const Matrix faded = Phi * weight.asDiagonal();
    for (const double q : {0.02, 0.1, 0.5}) {
      Vector start = Vector::Zero(Phi.rows());
      for (const double a : {1.0, 4.0, 16.0, 64.0}) {
        Vector variances = Vector::Constant(Phi.rows(), a * a);
        variances.tail(Phi.rows() - 1 - D) *= q * q;
        fits.push_back(laplace(faded, y, variances, start));
        start = fits.back().weights;
        most = std::max(most, fits.back().evidence);
      }
    }
  }
  std::erase_if(fits,
                [&](const Fit& fit) { return !(std::exp(fit.evidence - most) >= kLeastEvidence); });
  double sum = 0.0;
  for (const Fit& fit : fits) sum += std::exp(fit.evidence - most);
  for (Fit& fit : fits) {
    // The length of w says nothing about the side of the border: without its variance.
    if (fit.stiffness > 0.0) {
      fit.covariance -= fit.weights * fit.weights.transpose() / fit.stiffness;
    }
    posteriors_.push_back(
        {std::exp(fit.evidence - most) / sum, std::move(fit.weights), std::move(fit.covariance)});
  }
}

Border::Place Border::place_of(ConstVectorRef x) const {
  if (!known()) return Place::beyond;
  const double r = local(x).norm();
  const double near = distances_ == Distances::logarithmic ? kNearBent : kNear;
  return r <= std::min(near, reach_) ? Place::near : r <= reach_ ? Place::within : Place::beyond;
}

Vector Border::log_probability(ConstMatrixRef X, Matrix* slope) const {
  const Index D = X.rows(), m = X.cols();
  Vector found(m);
  if (slope) slope->resize(D, m);
  // Weights of results are none of a point's: they would scale its mean and deviation alike.
  for (Index k = 0; k < m; ++k) {
    const Vector z = local(X.col(k)), phi = features(z);
    double p = 0.0;
    Vector by_phi = Vector::Zero(phi.size());
    for (const Posterior& posterior : posteriors_) {
      const Vector spread = posterior.covariance * phi;
      const double mean = posterior.weights.dot(phi), variance = std::max(phi.dot(spread), 1e-12);
      const double sigma = std::sqrt(variance), u = mean / sigma;
      p += posterior.share * normal_cdf(u);
      // du/dphi = w / sigma - u spread / variance
      if (slope) {
        by_phi +=
            posterior.share * normal_pdf(u) * (posterior.weights / sigma - (u / variance) * spread);
      }
    }
    found[k] = std::log(std::max(p, kLeastProbability));
    if (!slope) continue;
    by_phi /= std::max(p, kLeastProbability);
    Vector by_z = by_phi.segment(1, D);
    Index at = 1 + D;
    for (Index i = 0; i < D; ++i) {
      for (Index j = i; j < (mixed_ ? D : i + 1); ++j, ++at) {
        by_z[i] += by_phi[at] * z[j];
        by_z[j] += by_phi[at] * z[i];
      }
    }
    // z = g(r) v, v = A (x - c), g = asinh(r)/r:  dz/dv = g I + g'(r)/r v v'
    Vector by_v = by_z;
    const Vector v = whitening_ * (X.col(k) - centre_);
    const double r = v.norm();
    if (distances_ == Distances::logarithmic && r > 1e-9) {
      const double g = std::asinh(r) / r, dg = (1.0 / std::sqrt(1.0 + r * r) - g) / r;
      by_v = g * by_z + (dg / r) * v.dot(by_z) * v;
    }
    slope->col(k) = whitening_.transpose() * by_v;
  }
  return found;
}

}  // namespace vbo
